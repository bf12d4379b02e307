/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * Wrappers: where their libraries are, as utd, near this utctl or where they
 * are installed; and the dynamic linker that loads them into the programs of a
 * command, or does not.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "record.h"

#ifndef SBINDIR
#define SBINDIR	"/usr/local/sbin"
#endif
#ifndef LIBDIR
#define LIBDIR	"/usr/local/lib"
#endif

/* Only glibc expands this, to the directory of its libraries. */
#define ONLY_GLIBC	"/$LIB/../../../../../.."

#define SCRIPTS		4	/* scripts that name one another */
#define LINE		256	/* bytes of the line that names one */

/* Where they are, seen from the directory of utctl: installed, or built. */
static const char *const utd_places[] = {
	"utd", "../sbin/utd", "../utd/utd", NULL
};
static const char *const wrapper_dirs[] = { "../lib", "../libut", NULL };

const struct wrapper wrappers[] = {
	{ "cpu", "also samples of what uses the CPU: cpu=RATE, 99 a second",
	    { "cpu:sample", NULL }, "UT_CPU_RATE", 10000,
	    { NULL, NULL } },
	{ "func", "also functions, of -finstrument-functions",
	    { "func:entry", NULL }, NULL, 0, { NULL, NULL } },
	{ "malloc", "also malloc(3) and free(3); malloc=BYTES: samples of them",
	    { "libc:malloc", "libc:free" }, "UT_MALLOC_BYTES", 1 << 30,
	    { "libc:malloc_sample", "libc:free_sample" } },
	{ "pthread", "also what takes and releases locks",
	    { "pthread:mutex_acquired", "pthread:mutex_release" }, NULL, 0,
	    { NULL, NULL } },
	{ NULL, NULL, { NULL, NULL }, NULL, 0, { NULL, NULL } }
};

#if UINTPTR_MAX > UINT32_MAX
#define OWN_CLASS	ELFCLASS64
#define OWN_BITS	64
typedef Elf64_Ehdr	Ehdr;
typedef Elf64_Phdr	Phdr;
#else
#define OWN_CLASS	ELFCLASS32
#define OWN_BITS	32
typedef Elf32_Ehdr	Ehdr;
typedef Elf32_Phdr	Phdr;
#endif

/* The command's file; -1: it is not found. */
static int
command_open(const char *name)
{
	char *path = path_find(name, X_OK);
	struct stat st;
	int fd;

	if (path == NULL)
		return -1;
	fd = regular_open(AT_FDCWD, path, 0, &st);
	free(path);
	return fd;
}

/*
 * Find the dynamic linker that loads a program of this ABI, or "" if none does:
 * 0, or -1 if it is no such program.
 */
static int
loader(int fd, char path[PATH_MAX])
{
	Ehdr e;
	Phdr p;
	uint64_t i;

	path[0] = '\0';
	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != OWN_CLASS ||
	    e.e_phentsize != sizeof(p))
		return -1;
	for (i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff + i *
		    sizeof(p))) != (ssize_t)sizeof(p))
			return -1;
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz == 0 || p.p_filesz > PATH_MAX ||
		    pread(fd, path, p.p_filesz, (off_t)p.p_offset) !=
		    (ssize_t)p.p_filesz)
			return -1;
		path[p.p_filesz - 1] = '\0';
		return 0;
	}
	return 0;
}

/* The name of the script's interpreter, or NULL: it is no script. */
static char *
interpreter(int fd)
{
	char line[LINE];
	const ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	char *name = line + 2;

	if (n < 2 || memcmp(line, "#!", 2) != 0)
		return NULL;
	line[n] = '\0';
	name += strspn(name, " \t");
	return format("%.*s", (int)strcspn(name, " \t\r\n"), name);
}

static int
changes_user(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (((st.st_mode & S_ISUID) != 0 &&
	    st.st_uid != geteuid()) || ((st.st_mode & S_ISGID) != 0 &&
	    st.st_gid != getegid()));
}

static int
other_class(int fd)
{
	unsigned char e[EI_NIDENT];

	return pread(fd, e, sizeof(e), 0) == (ssize_t)sizeof(e) &&
	    memcmp(e, ELFMAG, SELFMAG) == 0 && e[EI_CLASS] != OWN_CLASS;
}

static int
is_file(const char *path, int fd)
{
	struct stat s, t;

	return stat(path, &s) == 0 && fstat(fd, &t) == 0 &&
	    s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/*
 * The wrappers are for programs that are loaded as utctl is.  Who starts the
 * loader itself has it load a program.
 */
static void
say_program(const char *name, int fd)
{
	const int own = command_open(utctl_path);
	char of_name[PATH_MAX], ours[PATH_MAX];
	const int known = own != -1 && loader(own, ours) == 0 &&
	    ours[0] != '\0';

	if (changes_user(fd))
		say("%s changes its user or group: -w has no effect on it",
		    name);
	else if (other_class(fd))
		say("%s is no program of %d bits: -w has no effect on it",
		    name, OWN_BITS);
	else if (loader(fd, of_name) == -1)
		;
	else if (known && is_file(ours, fd))
		;
	else if (of_name[0] == '\0')
		say("%s is statically linked: -w has no effect on it", name);
	else if (known && strcmp(of_name, ours) != 0)
		say("%s is loaded by %s: -w is for programs that %s loads",
		    name, of_name, ours);
	if (own != -1)
		close(own);
}

void
loader_say(const char *command)
{
	char *name = format("%s", command), *by;
	struct stat st;
	int fd = command_open(name), n;

	for (n = 0; fd != -1 && n < SCRIPTS &&
	    (by = interpreter(fd)) != NULL; n++) {
		close(fd);
		free(name);
		name = by;
		fd = regular_open(AT_FDCWD, name, 0, &st);
	}
	if (fd != -1) {
		say_program(name, fd);
		close(fd);
	}
	free(name);
}

/*
 * A library's path, as LD_PRELOAD is to have it; the argument is freed.
 * The loader of another C library would load a wrapper, too, and not start the
 * program as that has not what the wrapper needs.  In this name of it, such a
 * loader finds nothing.  Whether glibc does is tried with glibc itself.
 */
static char *
loader_entry(char *path)
{
#if defined(__GLIBC__)
	void *puts_at = dlsym(RTLD_DEFAULT, "puts"), *lib = NULL;
	char *name;
	Dl_info info;

	if (puts_at == NULL || dladdr(puts_at, &info) == 0 ||
	    info.dli_fname == NULL || info.dli_fname[0] != '/')
		return path;
	name = format(ONLY_GLIBC "%s", info.dli_fname);
	lib = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	free(name);
	if (lib == NULL)
		return path;
	dlclose(lib);
	name = format(ONLY_GLIBC "%s", path);
	free(path);
	return name;
#else
	return path;
#endif
}

/* The directory of this utctl, with the slash, or NULL. */
static char *
own_dir(void)
{
	char *path = strchr(utctl_path, '/') != NULL ?
	    format("%s", utctl_path) : path_find(utctl_path, X_OK);

	if (path != NULL)
		strrchr(path, '/')[1] = '\0';
	return path;
}

/* A file at one of these places, or where it is installed; else NULL. */
static char *
file_find(const char *const *places, const char *installed, int mode)
{
	char *path, *dir;

	if ((dir = own_dir()) != NULL) {
		for (; *places != NULL; places++) {
			path = format("%s%s", dir, *places);
			if (path_is_file(path, mode)) {
				free(dir);
				return path;
			}
			free(path);
		}
		free(dir);
	}
	return path_is_file(installed, mode) ? format("%s", installed) : NULL;
}

/* utd; in PATH, or nowhere, if it is not where it should be. */
char *
utd_find(void)
{
	char *path = file_find(utd_places, SBINDIR "/utd", X_OK);

	return path != NULL ? path : format("utd");
}

static char *
wrapper_find(const char *name)
{
	char *file = format("libut-%s.so", name), *path, *full;
	const char *places[sizeof(wrapper_dirs) / sizeof(wrapper_dirs[0])];
	size_t i;

#ifndef __linux__
	if (strcmp(name, "cpu") == 0)
		die("-w cpu: this system has no timer of CPU time that is "
		    "known to end with execve(2)");
#endif
	for (i = 0; wrapper_dirs[i] != NULL; i++)
		places[i] = format("%s/%s", wrapper_dirs[i], file);
	places[i] = NULL;
	path = file_find(places, format(LIBDIR "/%s", file), R_OK);
	if (path == NULL)
		die("%s: not in %s, nor near utctl", file, LIBDIR);
	if ((full = realpath(path, NULL)) == NULL)
		die_errno("%s", path);
	free(path);
	if (strpbrk(full, ": ") != NULL)
		die("%s: a path in LD_PRELOAD has no colon and no space",
		    full);
	return loader_entry(full);
}

/* The wrapper of that name, up to a `=', or NULL. */
static const struct wrapper *
wrapper_named(const char *name)
{
	const size_t len = strcspn(name, "=");
	const struct wrapper *w;

	for (w = wrappers; w->name != NULL; w++)
		if (strlen(w->name) == len && memcmp(w->name, name, len) == 0)
			return w;
	return NULL;
}

int
wrapper_is(const char *name)
{
	return wrapper_named(name) != NULL;
}

/* Tell the wrapper its number: the command gets our environment. */
static void
wrapper_number(const struct wrapper *w, const char *s)
{
	unsigned long long n;

	if (w->env == NULL)
		die("wrapper '%s': takes no number, but '%s'", w->name, s);
	if (parse_size(s, &n) == -1 || n < 1 ||
	    n > (unsigned long long)w->most)
		die("wrapper '%s=%s': not a number from 1 to %d", w->name, s,
		    w->most);
	setenv(w->env, format("%llu", n), 1);
}

/* Is that the library of a wrapper, in a list for LD_PRELOAD, or NULL? */
int
wrapper_in(const char *list, const char *name)
{
	char *file = format("/libut-%s.so", name);
	const int in = list != NULL && strstr(list, file) != NULL;

	free(file);
	return in;
}

const char *const *
wrapper_events(const struct wrapper *w)
{
	return w->numbered[0] != NULL && getenv(w->env) != NULL ?
	    w->numbered : w->events;
}

const char *
wrapper_name(size_t i)
{
	return wrappers[i].name;
}

/* Add the wrappers of one -w to such a list. */
char *
wrapper_add(char *list, const char *arg)
{
	char *names = format("%s", arg), *rest = names, *name, *path, *number;
	const struct wrapper *w;

	while ((name = strsep(&rest, ",")) != NULL) {
		if ((w = wrapper_named(name)) == NULL)
			die("wrapper '%s': there are %s", name,
			    names_text(wrapper_name));
		if ((number = strchr(name, '=')) != NULL)
			wrapper_number(w, number + 1);
		if (wrapper_in(list, w->name))
			continue;
		path = wrapper_find(w->name);
		list = list == NULL ? path : format("%s:%s", list, path);
	}
	free(names);
	return list;
}
