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

#include "utctl.h"

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
static const char *const malloc_places[] = {
	"../lib/libut-malloc.so", "../libut/libut-malloc.so", NULL
};

static int
is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, mode) == 0;
}

/* The directory of this utctl, or NULL. */
static char *
own_dir(void)
{
	const char *p, *name = utctl_path, *slash = strrchr(name, '/');
	char *dir, *path;
	size_t n;
	int found;

	if (slash != NULL)
		return format("%.*s/", (int)(slash - name), name);
	for (p = getenv("PATH"); p != NULL; p = p[n] == '\0' ? NULL :
	    p + n + 1) {
		n = strcspn(p, ":");
		dir = n == 0 ? format("./") : format("%.*s/", (int)n, p);
		path = format("%s%s", dir, name);
		found = is_file(path, X_OK);
		free(path);
		if (found)
			return dir;
		free(dir);
	}
	return NULL;
}

/* A file at one of these places, or where it is installed; else NULL. */
static char *
find(const char *const *places, const char *installed, int mode)
{
	char *path, *dir;

	if ((dir = own_dir()) != NULL) {
		for (; *places != NULL; places++) {
			path = format("%s%s", dir, *places);
			if (is_file(path, mode)) {
				free(dir);
				return path;
			}
			free(path);
		}
		free(dir);
	}
	return is_file(installed, mode) ? format("%s", installed) : NULL;
}

/* utd; in PATH, or nowhere, if it is not where it should be. */
char *
utd_find(void)
{
	char *path = find(utd_places, SBINDIR "/utd", X_OK);

	return path != NULL ? path : format("utd");
}

/* The library for -w. */
char *
wrapper_find(const char *name)
{
	char *path, *full;

	if (strcmp(name, "malloc") != 0)
		die("wrapper '%s': there is only malloc", name);
	path = find(malloc_places, LIBDIR "/libut-malloc.so", R_OK);
	if (path == NULL)
		die("libut-malloc.so: not in %s, nor near utctl", LIBDIR);
	if ((full = realpath(path, NULL)) == NULL)
		die_errno("%s", path);
	free(path);
	if (strpbrk(full, ": ") != NULL)
		die("%s: a path in LD_PRELOAD has no colon and no space",
		    full);
	return full;
}
