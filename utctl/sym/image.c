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

#define MOST		65536	/* files */
#define NOPEN		16	/* files that stay open */
#define NHASH		256
#define LINKS		40	/* links that are followed */
#define DEBUGLINK_MAX	1024	/* bytes of .gnu_debuglink */
#define SAID		4	/* nameless files that are told */

struct image {
	struct image		*next;
	uint64_t		 key;		/* a hash of path and id */
	char			*path;
	uint8_t			 id[ELF_IDMAX];
	size_t			 idlen;
	int			 tried;
	int			 stays;		/* open */
	int			 stripped;	/* without a debug file */
	int			 other;		/* the file is another build */
	struct elf		 elf;		/* with the symbols */
	struct elf_symbols	 symbols;
	int			 tried_data;
	struct elf_symbols	 data;
	int			 tried_ranges;
	struct elf_ranges	 ranges;	/* read from the module */
	int			 tried_lines;
	struct dwarf		*dwarf;		/* NULL: no lines */
	struct image		*lacking;	/* the next that is nameless */
	int			 nameless;	/* functions were not found */
};

/* Where systems keep what was stripped off files. */
static const char *const debug[] = { "/usr/lib/debug", "/usr/libdata/debug" };

#define NDEBUG_DIRS	(sizeof(debug) / sizeof(debug[0]))

static struct image	*images[NHASH];
static size_t		 nimages, nopen;
static const char	*root = "";
static int		 tried, found_any;	/* files, below root */
static size_t		 nothers;	/* files of another build */
static int		 too_many;	/* some files are not known */
static struct image	*lacking, **last_lacking = &lacking;

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
	if (nimages == MOST) {
		too_many = 1;
		return NULL;
	}
	nimages++;
	im = xcalloc(1, sizeof(*im));
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

void
image_id(const struct image *im, char *hex)
{
	size_t i;

	for (hex[0] = '\0', i = 0; i < im->idlen; i++)
		snprintf(hex + 2 * i, 3, "%02x", im->id[i]);
}

static int
has_id(const struct image *im, const struct elf *e)
{
	return e->idlen == im->idlen && memcmp(e->id, im->id, e->idlen) == 0;
}

/* Opens what has this build ID; if there is none, what has this checksum. */
static int
open_right(const struct image *im, struct elf *e, const char *path,
    const uint32_t *crc)
{
	char *below = *root != '\0' ? sysroot_path(path) :
	    format("%s", path);
	int result = -1;
	uint32_t sum;

	if (below != NULL && strlen(below) < PATH_MAX)
		result = elf_open(e, below);
	free(below);
	if (result == -1)
		return -1;
	/* Only what dwz(1) makes has no segments. */
	if (has_id(im, e) && (e->hi > 0) == (im->path != NULL) &&
	    (crc == NULL || im->idlen > 0 ||
	    (elf_crc(e, &sum) == 0 && sum == *crc))) {
		found_any = 1;
		return 0;
	}
	nothers++;
	elf_close(e);
	return -1;
}

/* A path below one of the directories of what was stripped; frees it. */
static int
open_below(const struct image *im, struct elf *e, char *path,
    const uint32_t *crc)
{
	char *whole;
	size_t i;
	int found = -1;

	for (i = 0; i < NDEBUG_DIRS && found == -1; i++) {
		whole = format("%s%s", debug[i], path);
		found = open_right(im, e, whole, crc);
		free(whole);
	}
	free(path);
	return found;
}

static int
open_by_id(const struct image *im, struct elf *e)
{
	char hex[2 * ELF_IDMAX + 1];

	if (im->idlen < 2)
		return -1;
	image_id(im, hex);
	return open_below(im, e, format("/.build-id/%.2s/%s.debug", hex,
	    hex + 2), NULL);
}

/* The file that .gnu_debuglink names is near, or below the directories. */
static int
open_linked(const struct image *im, struct elf *module, struct elf *e)
{
	const int dir = (int)(strrchr(im->path, '/') - im->path);
	struct elf_bytes b;
	char *path;
	size_t n;
	uint32_t crc;
	int found = -1, sub;

	elf_load(module, ".gnu_debuglink", &b);
	n = b.n == 0 || b.n > DEBUGLINK_MAX ? 0 : strnlen((char *)b.p, b.n);
	if (n > 0 && (n & ~(size_t)3) + 8 <= b.n &&
	    memchr(b.p, '/', n) == NULL) {
		crc = (uint32_t)elf_num(module, b.p + (n & ~(size_t)3) + 4, 4);
		for (sub = 0; sub < 2 && found == -1; sub++) {
			path = format("%.*s/%s%s", dir, im->path,
			    sub ? ".debug/" : "", (char *)b.p);
			found = open_right(im, e, path, &crc);
			free(path);
		}
		if (found == -1)
			found = open_below(im, e, format("%.*s/%s", dir,
			    im->path, (char *)b.p), &crc);
	}
	elf_unload(&b);
	return found;
}

/* Open the file with what was stripped off the module, or off NULL: no file. */
static int
open_debug(const struct image *im, struct elf *module, struct elf *e)
{
	if (open_by_id(im, e) == 0)
		return 0;
	return module == NULL ? -1 : open_linked(im, module, e);
}

static int
load_debug(struct image *im)
{
	struct elf e;

	if (open_debug(im, im->elf.path == NULL ? NULL : &im->elf, &e) == -1)
		return -1;
	if (elf_symbols_load(&im->symbols, &e, ELF_CODE, 0) == -1) {
		elf_close(&e);
		return -1;
	}
	elf_close(&im->elf);
	im->elf = e;
	return 0;
}

/* Load from the module: its debug file has no .eh_frame. */
static void
load_ranges(struct image *im)
{
	struct elf e;

	im->tried_ranges = 1;
	if (im->elf.path == NULL || open_right(im, &e, im->path, NULL) == -1)
		return;
	elf_ranges_load(&im->ranges, &e);
	elf_close(&e);
}

/* .symtab of the file, else of the debug file, else .dynsym of the file. */
static void
load(struct image *im)
{
	const size_t before = nothers;
	int found;

	im->tried = 1;
	if (im->path[0] != '/')
		return;
	tried = 1;
	found = open_right(im, &im->elf, im->path, NULL) == 0;
	im->other = nothers > before;
	if ((!found || elf_symbols_load(&im->symbols, &im->elf, ELF_CODE,
	    0) == -1) && load_debug(im) == -1 && found) {
		im->stripped = 1;
		(void)elf_symbols_load(&im->symbols, &im->elf, ELF_CODE, 1);
		load_ranges(im);
		elf_symbols_bound(&im->symbols, &im->ranges);
	}
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

/* Are the file's addresses those of the process? */
static int
is_right(const struct mapping *m)
{
	const struct image *im = m->image;

	return is_based(&im->elf, m) &&
	    (im->idlen != 0 || is_unchanged(&im->elf, m));
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
	found = from->n > 0 && is_right(m) && elf_symbols_find(from, &im->elf,
	    addr - m->base, name, start);
	if (!im->stays)
		elf_rest(&im->elf);
	if (found)
		*start += m->base;
	return found;
}

int
image_function(const struct mapping *m, uint64_t addr, uint64_t *start)
{
	struct image *im = m->image;
	const struct elf_range *r;

	if (!im->tried_ranges)
		load_ranges(im);
	r = is_right(m) ? elf_ranges_find(&im->ranges, addr - m->base) : NULL;
	if (r == NULL)
		return 0;
	*start = r->start;
	return 1;
}

/*
 * Lines.
 */

/* Open dwz(1)'s file, which has what is in several files: 0, or -1. */
static int
open_common(struct elf *e, struct elf *found)
{
	struct image common = { .idlen = 0 };
	const char *path = e->path + strlen(root);
	struct elf_bytes b;
	char *name;
	size_t n;
	int result = -1;

	elf_load(e, ".gnu_debugaltlink", &b);
	n = b.n == 0 || b.n > PATH_MAX ? 0 : strnlen((char *)b.p, b.n);
	if (n > 0 && n < b.n && b.n - n - 1 <= ELF_IDMAX) {
		common.idlen = b.n - n - 1;
		memcpy(common.id, b.p + n + 1, common.idlen);
		name = format("%.*s/%s", b.p[0] == '/' ? 0 :
		    (int)(strrchr(path, '/') - path), path, (char *)b.p);
		if (open_by_id(&common, found) == 0 ||
		    open_right(&common, found, name, NULL) == 0)
			result = 0;
		free(name);
	}
	elf_unload(&b);
	return result;
}

/* Lines are in the file that was loaded, or in what was stripped off it. */
static void
load_lines(struct image *im)
{
	struct elf e, module, common;
	int found, shared;

	im->tried_lines = 1;
	if (im->elf.path == NULL)
		return;
	found = open_right(im, &e, im->path, NULL) == 0;
	if (found && !elf_has(&e, ".debug_info")) {
		module = e;
		found = open_debug(im, &module, &e) == 0;
		elf_close(&module);
	} else if (!found)
		found = open_debug(im, NULL, &e) == 0;
	if (found && elf_has(&e, ".debug_info")) {
		shared = open_common(&e, &common) == 0;
		im->dwarf = dwarf_new(&e);
		if (shared)
			dwarf_common(im->dwarf, &common);
		return;
	}
	if (found)
		elf_close(&e);
}

/* An address of the module has no name. */
void
image_nameless(const struct mapping *m)
{
	struct image *im = m->image;

	if ((!im->stripped && (!im->other || im->elf.path != NULL)) ||
	    im->dwarf != NULL || im->nameless)
		return;
	im->nameless = 1;
	*last_lacking = im;
	last_lacking = &im->lacking;
}

size_t
image_places(const struct mapping *m, uint64_t addr,
    struct dwarf_place *places)
{
	struct image *im = m->image;

	if (!im->tried)
		load(im);
	if (!im->tried_lines)
		load_lines(im);
	return im->dwarf == NULL || !is_right(m) ? 0 :
	    dwarf_find(im->dwarf, addr - m->base, places);
}

/* Debugging symbols are another package, whose name is not sure. */
static void
lacking_say(const struct image *im)
{
	char *name = clean(strrchr(im->path, '/') + 1);
	char hex[2 * ELF_IDMAX + 1] = "none";

	image_id(im, hex);
	if (im->other)
		say("%.100s: addresses without names: the file is of another "
		    "build than the one that was traced (build ID %s)", name,
		    hex);
	else if (strstr(name, ".so") == NULL)
		say("%.100s: addresses without names: install its "
		    "debugging symbols, usually %.100s-dbgsym (build ID %s)",
		    name, name, hex);
	else
		say("%.100s: addresses without names: install the "
		    "debugging symbols of the library (build ID %s)", name,
		    hex);
	free(name);
}

static void
split_say(const struct image *im)
{
	char *name = clean(strrchr(im->path, '/') + 1);

	say("%.100s: inlined functions are in .dwo files, which are not read: "
	    "compile without -gsplit-dwarf", name);
	free(name);
}

void
images_say(void)
{
	const struct image *im;
	size_t n = 0, i;

	if (too_many)
		say("programs and libraries are more than %d files: addresses "
		    "in the others have no names", MOST);
	if (*root != '\0' && tried && !found_any) {
		say("-R %s: %s", root, nothers > 0 ? "files of the trace are "
		    "there, but of other builds: their build IDs differ" :
		    "no file of the trace was found there");
		return;
	}
	for (im = lacking; im != NULL; im = im->lacking)
		if (n++ < SAID)
			lacking_say(im);
	if (n > SAID)
		say("%zu other file%s: addresses without names", n - SAID,
		    many(n - SAID));
	for (i = 0; i < NHASH; i++)
		for (im = images[i]; im != NULL; im = im->next)
			if (im->dwarf != NULL && dwarf_split(im->dwarf))
				split_say(im);
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
			elf_ranges_free(&im->ranges);
			dwarf_free(im->dwarf);
			elf_close(&im->elf);
			free(im->path);
			free(im);
		}
	nimages = nopen = 0;
	tried = found_any = too_many = 0;
	nothers = 0;
	lacking = NULL;
	last_lacking = &lacking;
	elf_bulk_again();
	dwarf_again();
	root = "";
}
