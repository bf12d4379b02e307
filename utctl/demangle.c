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
 * The C++ library of the system knows how to demangle names.  It is loaded
 * when the first such name comes; where there is none, names stay as they are.
 *
 * Names are hostile: a short one can stand for one of gigabytes.  A name grows
 * by parts of it that stand for earlier parts.  With k of these it grows by
 * less than 3 to the k/3, when each part has three of the one before; so
 * names with many of them stay as they are, too.
 */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "say.h"

#define LONGEST		1024	/* bytes of a mangled name */
#define REPEATS		24	/* of earlier parts */
#define PACK		8	/* a list that is repeated counts as so many */

static const char *const libraries[] = {
	"libstdc++.so.6", "libc++abi.so.1", "libcxxrt.so.1", "libc++abi.so",
	"libstdc++.so"
};

#define NLIBRARIES	(sizeof(libraries) / sizeof(libraries[0]))

typedef char	*(*demangle_fn)(const char *, char *, size_t *, int *);

static int		 loaded;
static demangle_fn	 function;

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

/* OpenBSD lets a process that has only "stdio rpath" map no code. */
void
demangle_ready(void)
{
#if defined(__OpenBSD__)
	if (!loaded)
		load();
#endif
}

/* S_, S1_, T_ and so on stand for earlier parts; Dp and sp repeat a list. */
static int
may_grow(const char *s)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = 0;

	for (; *s != '\0'; s++)
		if (*s == 'S' || *s == 'T')
			n += s[1 + strspn(s + 1, digits)] == '_';
		else if ((*s == 'D' || *s == 's') && s[1] == 'p')
			n += PACK;
	return n > REPEATS;
}

int
demangle(const char *name, char *buf, size_t size)
{
	char *s;
	int status;

	if (strncmp(name, "_Z", 2) != 0 || size <= CUT_MARK ||
	    strlen(name) > LONGEST || may_grow(name))
		return 0;
	if (!loaded)
		load();
	if (function == NULL ||
	    (s = function(name, NULL, NULL, &status)) == NULL)
		return 0;
	cut_text(buf, size, s);
	free(s);
	return 1;
}
