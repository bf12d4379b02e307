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
 * ELF files of either size and byte order: the header, the segments, the
 * sections and the build ID.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "../say.h"
#include "elf.h"

/* Older NetBSD has only these names, and newer NetBSD has macros for them. */
#if defined(__NetBSD__) && !defined(st_mtimespec)
#define st_mtim	st_mtimespec
#define st_ctim	st_ctimespec
#endif

#define NPH		4096u		/* headers, at most */
#define NSH		65536u
#define NOTES		65536u		/* bytes of a segment of notes */
#define BULK		((uint64_t)512 << 20)	/* bytes of tables */
#define NS		1000000000

#define TYPE_REL	1
#define TYPE_EXEC	2
#define TYPE_DYN	3
#define SEG_LOAD	1
#define SEG_NOTE	4
#define SEC_NOTE	7
#define NOTE_BUILD_ID	3

/* Where things are in the two kinds of headers, and how large. */
struct layout {
	size_t	 word;			/* an address, an offset */
	size_t	 ehsize, phsize, shsize;
	size_t	 e_phoff, e_shoff, e_phnum, e_shnum;
	size_t	 p_offset, p_vaddr, p_filesz, p_memsz, p_align;
	size_t	 s_addr, s_offset, s_size, s_link, s_entsize;
};

static const struct layout layouts[] = {
	{ 4, 52, 32, 40, 28, 32, 44, 48, 4, 8, 16, 20, 28, 12, 16, 20, 24,
	    36 },
	{ 8, 64, 56, 64, 32, 40, 56, 60, 8, 16, 32, 40, 48, 16, 24, 32, 40,
	    56 }
};

uint64_t
elf_num(const struct elf *e, const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < n; i++)
		v = v << 8 | p[e->big ? i : n - 1 - i];
	return v;
}

static int64_t
ns_of(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * NS + ts->tv_nsec;
}

static int
is_same(const struct elf *e, const struct stat *st)
{
	return st->st_dev == e->dev && st->st_ino == e->ino &&
	    (uint64_t)st->st_size == e->size &&
	    ns_of(&st->st_mtim) == e->mtime;
}

/* Open a file that was closed again, unless another one is in its place. */
static int
file_again(struct elf *e)
{
	struct stat st;

	if (e->fd != -1)
		return 0;
	if ((e->fd = regular_open(AT_FDCWD, e->path, 0, &st)) == -1)
		return -1;
	if (is_same(e, &st))
		return 0;
	elf_rest(e);
	return -1;
}

int
elf_read(struct elf *e, void *buf, size_t n, uint64_t off)
{
	char *p = buf;
	ssize_t k;

	if (off > e->size || n > e->size - off || file_again(e) == -1)
		return -1;
	for (; n > 0; n -= (size_t)k, p += k, off += (uint64_t)k)
		if ((k = pread(e->fd, p, n, (off_t)off)) <= 0)
			return -1;
	return 0;
}

/*
 * Tables are as long as their file says, which may be a hole of any size, and
 * there may be any number of them: so many bytes are read of all.
 */
static uint64_t	 bulk = BULK;

int
elf_bulk(struct elf *e, void *buf, size_t n, uint64_t off)
{
	if (n > bulk) {
		if (bulk != 0)
			say("tables of symbols of more than %d MB: some names "
			    "are left out, from those of %s on",
			    (int)(BULK >> 20), e->path);
		bulk = 0;
		return -1;
	}
	bulk -= n;
	return elf_read(e, buf, n, off);
}

void
elf_bulk_again(void)
{
	bulk = BULK;
}

/* A table of headers, to be freed; NULL if it is not all there. */
static uint8_t *
table_read(struct elf *e, uint64_t off, uint32_t n, size_t size)
{
	uint8_t *p;

	if (n == 0 || off > e->size || n > (e->size - off) / size)
		return NULL;
	if ((p = malloc(n * size)) == NULL)
		die_errno("malloc");
	if (elf_bulk(e, p, n * size, off) == 0)
		return p;
	free(p);
	return NULL;
}

struct elf_section *
elf_sections(struct elf *e)
{
	const struct layout *l = &layouts[e->is64];
	struct elf_section *sections, *s;
	uint8_t *table, *p;
	uint32_t i;

	if ((table = table_read(e, e->shoff, e->nsh, l->shsize)) == NULL)
		return NULL;
	sections = xcalloc(e->nsh, sizeof(*sections));
	for (i = 0; i < e->nsh; i++) {
		p = table + i * l->shsize;
		s = &sections[i];
		s->name = (uint32_t)elf_num(e, p, 4);
		s->type = (uint32_t)elf_num(e, p + 4, 4);
		s->flags = elf_num(e, p + 8, l->word);
		s->addr = elf_num(e, p + l->s_addr, l->word);
		s->off = elf_num(e, p + l->s_offset, l->word);
		s->size = elf_num(e, p + l->s_size, l->word);
		s->link = (uint32_t)elf_num(e, p + l->s_link, 4);
		s->entsize = elf_num(e, p + l->s_entsize, l->word);
	}
	free(table);
	return sections;
}

/* Search these notes for the build ID. */
static void
notes_scan(struct elf *e, const uint8_t *p, size_t n, size_t align)
{
	uint64_t name, desc, skip;

	while (n >= 12) {
		name = elf_num(e, p, 4);
		desc = elf_num(e, p + 4, 4);
		skip = (12 + name + align - 1) & ~(uint64_t)(align - 1);
		if (skip > n || desc > n - skip)
			return;
		if (elf_num(e, p + 8, 4) == NOTE_BUILD_ID && name == 4 &&
		    memcmp(p + 12, "GNU", 4) == 0) {
			if (desc <= ELF_IDMAX) {
				memcpy(e->id, p + skip, desc);
				e->idlen = desc;
			}
			return;
		}
		skip = (skip + desc + align - 1) & ~(uint64_t)(align - 1);
		if (skip > n)
			return;
		p += skip;
		n -= skip;
	}
}

/*
 * Read notes that are aligned to 8, or to 4 also in a segment that is aligned
 * to 8: mold(1) puts all into one segment.
 */
static void
notes_read(struct elf *e, uint64_t off, uint64_t size, uint64_t align)
{
	uint8_t *p;

	if (e->idlen != 0 || size > NOTES ||
	    (p = table_read(e, off, 1, (size_t)size)) == NULL)
		return;
	if (align == 8)
		notes_scan(e, p, (size_t)size, 8);
	if (e->idlen == 0)
		notes_scan(e, p, (size_t)size, 4);
	free(p);
}

/* Files with debugging information have notes, but not where segments say. */
static void
notes_of_sections(struct elf *e)
{
	struct elf_section *s = elf_sections(e);
	uint32_t i;

	for (i = 0; s != NULL && i < e->nsh && e->idlen == 0; i++)
		if (s[i].type == SEC_NOTE && s[i].size > 0)
			notes_read(e, s[i].off, s[i].size, 8);
	free(s);
}

static void
span_add(struct elf *e, uint64_t addr, uint64_t size, uint64_t align)
{
	if (size > UINT64_MAX - addr)
		return;
	if (addr < e->lo) {
		e->lo = addr;
		e->align = align;
	}
	if (addr + size > e->hi)
		e->hi = addr + size;
}

static int
segments_read(struct elf *e)
{
	const struct layout *l = &layouts[e->is64];
	uint8_t *table, *p;
	uint64_t align, type;
	uint32_t i;

	table = table_read(e, e->phoff, e->nph, l->phsize);
	if (table == NULL)
		return -1;
	e->lo = UINT64_MAX;
	for (i = 0; i < e->nph; i++) {
		p = table + i * l->phsize;
		type = elf_num(e, p, 4);
		align = elf_num(e, p + l->p_align, l->word);
		if (type == SEG_LOAD)
			span_add(e, elf_num(e, p + l->p_vaddr, l->word),
			    elf_num(e, p + l->p_memsz, l->word), align);
		else if (type == SEG_NOTE &&
		    elf_num(e, p + l->p_filesz, l->word) > 0)
			notes_read(e, elf_num(e, p + l->p_offset, l->word),
			    elf_num(e, p + l->p_filesz, l->word), align);
	}
	free(table);
	return e->lo < e->hi ? 0 : -1;
}

static int
header_read(struct elf *e)
{
	const struct layout *l;
	uint8_t h[64];
	uint64_t type;

	if (elf_read(e, h, 52, 0) == -1 || memcmp(h, "\177ELF", 4) != 0 ||
	    (h[4] != 1 && h[4] != 2) || (h[5] != 1 && h[5] != 2))
		return -1;
	e->is64 = h[4] == 2;
	e->big = h[5] == 2;
	l = &layouts[e->is64];
	if (elf_read(e, h, l->ehsize, 0) == -1)
		return -1;
	type = elf_num(e, h + 16, 2);
	e->machine = (unsigned int)elf_num(e, h + 18, 2);
	e->phoff = elf_num(e, h + l->e_phoff, l->word);
	e->shoff = elf_num(e, h + l->e_shoff, l->word);
	e->nph = (uint32_t)elf_num(e, h + l->e_phnum, 2);
	e->nsh = (uint32_t)elf_num(e, h + l->e_shnum, 2);
	e->names = (uint32_t)elf_num(e, h + l->e_shnum + 2, 2);
	if (e->shoff == 0 || elf_num(e, h + l->e_shnum - 2, 2) != l->shsize)
		e->nsh = 0;
	return (e->nph == 0 ? type == TYPE_REL : type == TYPE_EXEC ||
	    type == TYPE_DYN) && e->nph <= NPH && e->nsh <= NSH &&
	    elf_num(e, h + l->e_phnum - 2, 2) == l->phsize ? 0 : -1;
}

int
elf_open(struct elf *e, const char *path)
{
	struct stat st;

	memset(e, 0, sizeof(*e));
	if ((e->fd = regular_open(AT_FDCWD, path, 0, &st)) == -1)
		return -1;
	e->path = format("%s", path);
	e->dev = st.st_dev;
	e->ino = st.st_ino;
	e->size = (uint64_t)st.st_size;
	e->mtime = ns_of(&st.st_mtim);
	e->ctime = ns_of(&st.st_ctim);
	if (header_read(e) == -1 || (e->nph > 0 && segments_read(e) == -1)) {
		elf_close(e);
		return -1;
	}
	if (e->idlen == 0)
		notes_of_sections(e);
	return 0;
}

void
elf_rest(struct elf *e)
{
	if (e->fd != -1)
		close(e->fd);
	e->fd = -1;
}

void
elf_close(struct elf *e)
{
	elf_rest(e);
	free(e->path);
	e->path = NULL;
}
