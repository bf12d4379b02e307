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
 * Where utd and the libraries for -w are: near this utctl, as installed or as
 * built, or where they are installed.
 */

#include <sys/types.h>
#include <sys/stat.h>

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

/* Where they are, seen from the directory of utctl: installed, or built. */
static const char *const utd_places[] = {
	"utd", "../sbin/utd", "../utd/utd", NULL
};
static const char *const wrapper_dirs[] = { "../lib", "../libut", NULL };

const struct wrapper wrappers[] = {
	{ "func", "also functions, of -finstrument-functions",
	    { "func:entry", NULL } },
	{ "malloc", "also the calls of malloc(3) and free(3)",
	    { "libc:malloc", "libc:free" } },
	{ "pthread", "also what takes and releases locks",
	    { "pthread:mutex_acquired", "pthread:mutex_release" } },
	{ NULL, NULL, { NULL, NULL } }
};

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
find(const char *const *places, const char *installed, int mode)
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
	char *path = find(utd_places, SBINDIR "/utd", X_OK);

	return path != NULL ? path : format("utd");
}

/* The library of a wrapper. */
static char *
wrapper_find(const char *name)
{
	char *file = format("libut-%s.so", name), *path, *full;
	const char *places[sizeof(wrapper_dirs) / sizeof(wrapper_dirs[0])];
	size_t i;

	for (i = 0; wrapper_dirs[i] != NULL; i++)
		places[i] = format("%s/%s", wrapper_dirs[i], file);
	places[i] = NULL;
	path = find(places, format(LIBDIR "/%s", file), R_OK);
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

int
wrapper_is(const char *name)
{
	const struct wrapper *w;

	for (w = wrappers; w->name != NULL; w++)
		if (strcmp(w->name, name) == 0)
			return 1;
	return 0;
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

const char *
wrapper_name(size_t i)
{
	return wrappers[i].name;
}

/* Add the wrappers of one -w to such a list. */
char *
wrapper_add(char *list, const char *arg)
{
	char *names = format("%s", arg), *rest = names, *name, *path;

	while ((name = strsep(&rest, ",")) != NULL) {
		if (!wrapper_is(name))
			die("wrapper '%s': there are %s", name,
			    names_text(wrapper_name));
		if (wrapper_in(list, name))
			continue;
		path = wrapper_find(name);
		list = list == NULL ? path : format("%s:%s", list, path);
	}
	free(names);
	return list;
}
