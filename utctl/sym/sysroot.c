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
 * Paths below a directory: see sysroot.h.  Each part is looked at by itself, so
 * that neither `..' nor a link leads out of the directory: `..' stays below it,
 * and a link that begins with a slash begins there.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "sysroot.h"

#define LINKS		40		/* that are followed */

struct walk {
	const char	*root;
	char		 done[PATH_MAX];	/* has no links in it */
	char		 left[PATH_MAX];
	int		 links;
};

/* Take the first part off what is left: 0 if there is none. */
static int
part_take(struct walk *w, char *part)
{
	const char *from = w->left + strspn(w->left, "/");
	const size_t n = strcspn(from, "/");

	memcpy(part, from, n);
	part[n] = '\0';
	memmove(w->left, from + n, strlen(from + n) + 1);
	return n > 0;
}

static void
part_drop(struct walk *w)
{
	char *slash = strrchr(w->done, '/');

	if (slash != NULL)
		*slash = '\0';
}

/* It is the last part of what is done: what it points to comes first now. */
static int
link_follow(struct walk *w, const char *to)
{
	const size_t n = strlen(to);

	if (w->links++ == LINKS || n + strlen(w->left) >= sizeof(w->left))
		return -1;
	part_drop(w);
	if (to[0] == '/')
		w->done[0] = '\0';
	memmove(w->left + n, w->left, strlen(w->left) + 1);
	memcpy(w->left, to, n);
	return 0;
}

static int
part_add(struct walk *w, const char *part)
{
	const size_t n = strlen(w->done);
	char to[PATH_MAX], *path;
	ssize_t k;

	if (n + 1 + strlen(part) >= sizeof(w->done))
		return -1;
	w->done[n] = '/';
	strcpy(w->done + n + 1, part);
	path = format("%s%s", w->root, w->done);
	k = readlink(path, to, sizeof(to) - 1);
	free(path);
	if (k == -1)
		return 0;		/* no link, or nothing */
	to[k] = '\0';
	return link_follow(w, to);
}

char *
sysroot_path(const char *root, const char *path)
{
	struct walk w = { root, "", "", 0 };
	char part[PATH_MAX];

	if (strlen(path) >= sizeof(w.left))
		return NULL;
	strcpy(w.left, path);
	while (part_take(&w, part)) {
		if (strcmp(part, "..") == 0)
			part_drop(&w);
		else if (strcmp(part, ".") != 0 && part_add(&w, part) == -1)
			return NULL;
	}
	return format("%s%s", root, w.done);
}
