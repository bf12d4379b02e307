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
 * The C++ library of the system knows how to demangle names.  Where there is
 * none, names stay as they are.
 *
 * Names are hostile: a short one can stand for one of gigabytes, and looks like
 * any other.  So a process of its own demangles, a helper, which the system
 * ends when one name, or all of them, take too much of the processor.  From
 * then on names stay as they are.  Each name is demangled once.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../map.h"
#include "../say.h"
#include "common/compat.h"
#include "demangle.h"

#define LONGEST		1024	/* bytes of a mangled name */
#define SHOWN		4096	/* bytes of its text, with NUL */
#define NAME_MS		250	/* processor time for one name */
#define ALL_S		10	/* for all */
#define KEPT		(32 << 20)	/* bytes of texts in memory */

static const char *const libraries[] = {
	"libstdc++.so.6", "libc++abi.so.1", "libcxxrt.so.1", "libc++abi.so",
	"libstdc++.so"
};

#define NLIBRARIES	(sizeof(libraries) / sizeof(libraries[0]))

typedef char	*(*demangle_fn)(const char *, char *, size_t *, int *);

/* A name that was demangled. */
struct known {
	struct known	*next;		/* with the same key */
	char		*text;		/* NULL: it is no such name */
	char		 name[];
};

/* A string of which there is one. */
struct interned {
	struct interned	*next;		/* with the same key */
	char		 text[];
};

static int		 loaded;
static demangle_fn	 function;

static pid_t		 helper;	/* 0: none */
static int		 sock = -1;	/* to it */
static struct map	 known, strings;
static size_t		 kept;

/*
 * The helper.
 */

static void
load(void)
{
	void *lib, *p;
	size_t i;

	loaded = 1;
	for (i = 0; i < NLIBRARIES; i++) {
		lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		if (lib == NULL)
			continue;
		if ((p = dlsym(lib, "__cxa_demangle")) != NULL) {
			/* ISO C does not convert it. */
			memcpy(&function, &p, sizeof(function));
			return;
		}
		dlclose(lib);
	}
}

/* Send or receive all n bytes: 0, or -1 if the other process is gone. */
static int
transfer(int fd, void *buf, size_t n, int out)
{
	char *p = buf;
	ssize_t k;

	for (; n > 0; p += k, n -= (size_t)k) {
		k = out ? send(fd, p, n, MSG_NOSIGNAL) : read(fd, p, n);
		if (k == -1 && errno == EINTR)
			k = 0;
		else if (k <= 0)
			return -1;
	}
	return 0;
}

/* Limit the processor time, from now on, to so many ms; 0: no limit. */
static void
limit(long ms)
{
	struct itimerval it;

	memset(&it, 0, sizeof(it));
	it.it_value.tv_sec = ms / 1000;
	it.it_value.tv_usec = ms % 1000 * 1000;
	(void)setitimer(ITIMER_PROF, &it, NULL);
}

static void
answer(int fd)
{
	char name[LONGEST + 1], text[SHOWN], *s = NULL;
	uint16_t n;
	int status;

	if (transfer(fd, &n, sizeof(n), 0) == -1 || n > LONGEST ||
	    transfer(fd, name, n, 0) == -1)
		_exit(0);
	name[n] = '\0';
	limit(NAME_MS);
	if (!loaded)
		load();
	if (function != NULL)
		s = function(name, NULL, NULL, &status);
	limit(0);
	n = 0;
	if (s != NULL) {
		cut_text(text, sizeof(text), s);
		n = (uint16_t)strlen(text);
	}
	free(s);
	if (transfer(fd, &n, sizeof(n), 1) == -1 ||
	    transfer(fd, text, n, 1) == -1)
		_exit(0);
}

/* The helper has none of utctl's standard files: it keeps no pipe open. */
static void
help(int fd)
{
	const struct rlimit cpu = { ALL_S, ALL_S }, none = { 0, 0 };
	const int null = open("/dev/null", O_RDWR);
	int i;

	for (i = 0; i < 3; i++)
		(void)dup2(null, i);
	signal(SIGPROF, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	(void)setrlimit(RLIMIT_CPU, &cpu);
	(void)setrlimit(RLIMIT_CORE, &none);
#if defined(__OpenBSD__)
	load();				/* not once it is confined */
#endif
	ut_confine_reader(0);
	for (;;)
		answer(fd);
}

/*
 * The reader.
 */

void
demangle_ready(void)
{
	int fds[2];

	if (helper != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == -1)
		return;
	(void)fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	if ((helper = fork()) == 0) {
		close(fds[0]);
		help(fds[1]);
	}
	close(fds[1]);
	sock = fds[0];
	if (helper == -1) {
		helper = 0;
		close(sock);
	}
}

static void
helper_end(void)
{
	if (helper == 0)
		return;
	close(sock);
	while (waitpid(helper, NULL, 0) == -1 && errno == EINTR)
		continue;
	helper = 0;
}

/* Get the text of a name, to be freed; NULL: the name has none. */
static char *
ask(const char *name)
{
	uint16_t n = (uint16_t)strlen(name);
	char buf[LONGEST], text[SHOWN];

	memcpy(buf, name, n);
	if (transfer(sock, &n, sizeof(n), 1) == -1 ||
	    transfer(sock, buf, n, 1) == -1 ||
	    transfer(sock, &n, sizeof(n), 0) == -1 || n > SHOWN ||
	    transfer(sock, text, n, 0) == -1) {
		helper_end();
		say("names of C++ functions take too long: they stay as they "
		    "are in the file, from %.64s on", name);
		return NULL;
	}
	return n == 0 ? NULL : format("%.*s", (int)n, text);
}

static void
forget(void)
{
	struct known *k, *next;
	size_t i;

	for (i = 0; i < known.cap; i++)
		for (k = known.v[i].value; k != NULL; k = next) {
			next = k->next;
			free(k->text);
			free(k);
		}
	map_free(&known);
	kept = 0;
}

static const char *
text_of(const char *name)
{
	const size_t n = strlen(name) + 1;
	const uint64_t key = map_bytes(0, name, n);
	struct known *k, *first = map_get(&known, key);

	for (k = first; k != NULL; k = k->next)
		if (strcmp(k->name, name) == 0)
			return k->text;
	if (helper == 0)
		return NULL;
	if (kept > KEPT) {
		forget();
		first = NULL;
	}
	if ((k = malloc(sizeof(*k) + n)) == NULL)
		die_errno("malloc");
	memcpy(k->name, name, n);
	k->text = ask(name);
	k->next = first;
	map_put(&known, key, k);
	kept += sizeof(*k) + n + (k->text == NULL ? 0 : strlen(k->text));
	return k->text;
}

int
demangle(const char *name, char *buf, size_t size)
{
	const char *s;

	if (strncmp(name, "_Z", 2) != 0 || size <= CUT_MARK ||
	    strlen(name) > LONGEST || (s = text_of(name)) == NULL)
		return 0;
	cut_text(buf, size, s);
	return 1;
}

const char *
intern(const char *text)
{
	const size_t n = strlen(text) + 1;
	const uint64_t key = map_bytes(0, text, n);
	struct interned *first = map_get(&strings, key), *i;

	for (i = first; i != NULL; i = i->next)
		if (strcmp(i->text, text) == 0)
			return i->text;
	if ((i = malloc(sizeof(*i) + n)) == NULL)
		die_errno("malloc");
	memcpy(i->text, text, n);
	i->next = first;
	map_put(&strings, key, i);
	return i->text;
}

const char *
intern_name(const char *name)
{
	char text[SHOWN];

	if (!demangle(name, text, sizeof(text)))
		cut_text(text, sizeof(text), name);
	return intern(text);
}

void
demangle_end(void)
{
	struct interned *s, *next;
	size_t i;

	helper_end();
	forget();
	for (i = 0; i < strings.cap; i++)
		for (s = strings.v[i].value; s != NULL; s = next) {
			next = s->next;
			free(s);
		}
	map_free(&strings);
}
