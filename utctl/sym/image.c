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
 * Files that are mapped into processes.  Each is opened when a name of it is
 * wanted for the first time, and its functions are read then; its variables,
 * when the name of one is wanted.  No name is
 * better than a wrong one: the file must be the one that was mapped.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../map.h"
#include "../say.h"
#include "image.h"

#define MOST		4096	/* files */
#define NOPEN		16	/* files that stay open */
#define NHASH		256
#define LINKS		40	/* links that are followed */
#define DEBUG		"/usr/lib/debug/.build-id"

struct image {
	struct image		*next;
	uint64_t		 key;		/* a hash of path and id */
	char			*path;
	uint8_t			 id[ELF_IDMAX];
	size_t			 idlen;
	int			 tried;
	int			 stays;		/* open */
	struct elf		 elf;		/* with the symbols */
	struct elf_symbols	 symbols;
	int			 tried_data;
	struct elf_symbols	 data;
};

static struct image	*images[NHASH];
static size_t		 nimages, nopen;
static const char	*root = "";
static int		 tried, found_any;	/* files, below root */

/*
 * Paths below the directory of -R, as a process would find them whose root
 * that is.  Each part is looked at by itself, so that neither `..' nor a link
 * leads out of the directory: `..' stays below it, and a link that begins with
 * a slash begins there.
 */

struct walk {
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

/* Replace the last part of what is done, a link, by the path that it has. */
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
	path = format("%s%s", root, w->done);
	k = readlink(path, to, sizeof(to) - 1);
	free(path);
	if (k == -1)
		return 0;		/* no link, or nothing */
	to[k] = '\0';
	return link_follow(w, to);
}

/* The absolute path below the directory, to be freed; NULL: there is none. */
static char *
sysroot_path(const char *path)
{
	struct walk w = { "", "", 0 };
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

/*
 * Images.
 */

void
images_root(const char *dir)
{
	struct stat st;

	if (*root != '\0')
		die("-R is given twice");
	if (stat(dir, &st) == -1)
		die_errno("-R %s", dir);
	if (!S_ISDIR(st.st_mode))
		die("-R %s: not a directory", dir);
	root = dir;
}

static uint64_t
hash(const char *path, const uint8_t *id, size_t n)
{
	return map_bytes(map_bytes(0, id, n), path, strlen(path));
}

struct image *
image_get(const char *path, const uint8_t *id, size_t idlen)
{
	const uint64_t key = hash(path, id, idlen);
	struct image **list = &images[key % NHASH], *im;

	for (im = *list; im != NULL; im = im->next)
		if (im->key == key && im->idlen == idlen &&
		    memcmp(im->id, id, idlen) == 0 &&
		    strcmp(im->path, path) == 0)
			return im;
	if (nimages == MOST)
		return NULL;
	nimages++;
	if ((im = calloc(1, sizeof(*im))) == NULL)
		die_errno("malloc");
	im->key = key;
	im->path = format("%s", path);
	memcpy(im->id, id, idlen);
	im->idlen = idlen;
	im->elf.fd = -1;
	im->next = *list;
	*list = im;
	return im;
}

const char *
image_path(const struct image *im)
{
	return im->path;
}

static int
has_id(const struct image *im, const struct elf *e)
{
	return e->idlen == im->idlen && memcmp(e->id, im->id, e->idlen) == 0;
}

/* Opens what has this build ID. */
static int
open_right(const struct image *im, struct elf *e, const char *path)
{
	char *below = *root != '\0' ? sysroot_path(path) :
	    format("%s", path);
	int result = -1;

	if (below != NULL && strlen(below) < PATH_MAX)
		result = elf_open(e, below);
	free(below);
	if (result == -1)
		return -1;
	if (has_id(im, e)) {
		found_any = 1;
		return 0;
	}
	elf_close(e);
	return -1;
}

/* Symbols that were stripped off a file are in one named by the build ID. */
static int
load_debug(struct image *im)
{
	char hex[2 * ELF_IDMAX + 1], *path;
	struct elf e;
	size_t i;
	int found;

	if (im->idlen < 2)
		return -1;
	for (i = 0; i < im->idlen; i++)
		snprintf(hex + 2 * i, 3, "%02x", im->id[i]);
	path = format(DEBUG "/%.2s/%s.debug", hex, hex + 2);
	found = open_right(im, &e, path);
	free(path);
	if (found == -1)
		return -1;
	if (elf_symbols_load(&im->symbols, &e, ELF_CODE, 0) == -1) {
		elf_close(&e);
		return -1;
	}
	elf_close(&im->elf);
	im->elf = e;
	return 0;
}

/* .symtab of the file, else of the debug file, else .dynsym of the file. */
static void
load(struct image *im)
{
	int found;

	im->tried = 1;
	if (im->path[0] != '/')
		return;
	tried = 1;
	found = open_right(im, &im->elf, im->path) == 0;
	if ((!found || elf_symbols_load(&im->symbols, &im->elf, ELF_CODE,
	    0) == -1) && load_debug(im) == -1 && found)
		(void)elf_symbols_load(&im->symbols, &im->elf, ELF_CODE, 1);
	if (im->symbols.n > 0 && nopen < NOPEN) {
		im->stays = 1;
		nopen++;
	}
}

/* Load variables from the file where the functions were found. */
static void
load_data(struct image *im)
{
	im->tried_data = 1;
	if (im->elf.path != NULL &&
	    elf_symbols_load(&im->data, &im->elf, ELF_DATA, 0) == -1)
		(void)elf_symbols_load(&im->data, &im->elf, ELF_DATA, 1);
}

/*
 * Where a file that was mapped with no other base than its beginning has that
 * elsewhere, the base is not right.
 */
static int
is_based(const struct elf *e, const struct mapping *m)
{
	return m->base != m->start || e->lo < e->align || e->lo == 0;
}

/*
 * Without a build ID: a file of the same extent that nobody has changed since
 * it was mapped.  What was copied below another directory has a ctime of its
 * own.
 */
static int
is_unchanged(const struct elf *e, const struct mapping *m)
{
	const uint64_t align = e->align != 0 &&
	    (e->align & (e->align - 1)) == 0 ? e->align : 1;
	const uint64_t from = m->base + (e->lo & ~(align - 1));

	return m->start - from <= e->lo - (e->lo & ~(align - 1)) &&
	    m->base + e->hi == m->start + m->size &&
	    e->mtime <= m->ns && (*root != '\0' || e->ctime <= m->ns);
}

int
image_find(const struct mapping *m, enum elf_kind kind, uint64_t addr,
    char *name, uint64_t *start)
{
	struct image *im = m->image;
	const struct elf_symbols *from;
	int found;

	if (!im->tried)
		load(im);
	if (kind == ELF_DATA && !im->tried_data)
		load_data(im);
	from = kind == ELF_DATA ? &im->data : &im->symbols;
	found = from->n > 0 && is_based(&im->elf, m) &&
	    (im->idlen != 0 || is_unchanged(&im->elf, m)) &&
	    elf_symbols_find(from, &im->elf, addr - m->base, name, start);
	if (!im->stays)
		elf_rest(&im->elf);
	if (found)
		*start += m->base;
	return found;
}

void
images_say(void)
{
	if (*root != '\0' && tried && !found_any)
		say("-R %s: no file of the trace was found there", root);
}

void
images_free(void)
{
	struct image *im;
	size_t i;

	for (i = 0; i < NHASH; i++)
		while ((im = images[i]) != NULL) {
			images[i] = im->next;
			elf_symbols_free(&im->symbols);
			elf_symbols_free(&im->data);
			elf_close(&im->elf);
			free(im->path);
			free(im);
		}
	nimages = nopen = 0;
	tried = found_any = 0;
	elf_bulk_again();
	root = "";
}
