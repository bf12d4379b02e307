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
 * Sections of ELF files by their names, as debugging information has them.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "elf.h"

#define MOST		((uint64_t)1 << 30)	/* bytes in memory, of all */
#define SMALLEST	1032	/* bytes that one byte can stand for */
#define NAMES		(1 << 20)
#define BLOCK		(64 * 1024)

#define SEC_NOBITS	8
#define SEC_COMPRESSED	0x800		/* a flag */
#define ZLIB		1
#define ZSTD		2

static uint64_t	 nloaded;	/* bytes of all files */

int
elf_section(struct elf *e, const char *name, struct elf_section *found)
{
	struct elf_section *s = elf_sections(e), *names;
	const size_t len = strlen(name) + 1;
	char text[32];
	uint32_t i;
	int ok = 0;

	names = s != NULL && e->names < e->nsh ? &s[e->names] : NULL;
	for (i = 0; names != NULL && i < e->nsh && !ok; i++)
		ok = s[i].type != SEC_NOBITS && s[i].size > 0 &&
		    names->off < e->size && s[i].name < NAMES &&
		    elf_read(e, text, len, names->off + s[i].name) == 0 &&
		    memcmp(text, name, len) == 0;
	if (ok)
		*found = s[i - 1];
	free(s);
	return ok;
}

int
elf_has(struct elf *e, const char *name)
{
	struct elf_section s;

	return elf_section(e, name, &s);
}

static void
allocate(struct elf *e, struct elf_bytes *b, uint64_t n)
{
	if (n > MOST - nloaded || (b->p = malloc((size_t)n)) == NULL) {
		say("%s: there is too much debugging information: lines of "
		    "the source are left out", e->path);
		return;
	}
	b->n = (size_t)n;
	nloaded += n;
}

/* Replace what is compressed by what it was. */
static void
uncompress(struct elf *e, const char *name, struct elf_bytes *b)
{
	const size_t head = e->is64 ? 24 : 12, word = e->is64 ? 8 : 4;
	struct elf_bytes from = *b;
	uint64_t n, kind;

	b->p = NULL;
	b->n = 0;
	kind = from.n < head ? 0 : elf_num(e, from.p, 4);
	n = from.n < head ? 0 : elf_num(e, from.p + word, word);
	if (kind == ZSTD)
		say("%s: %s is compressed with zstd: for lines of the source, "
		    "run objcopy --decompress-debug-sections", e->path, name);
	else if (kind == ZLIB && n > 0 && n / SMALLEST <= from.n)
		allocate(e, b, n);
	if (b->p != NULL && inflate_zlib(b->p, b->n, from.p + head,
	    from.n - head) == -1) {
		say("%s: %s is damaged: lines of the source are left out",
		    e->path, name);
		elf_unload(b);
	}
	elf_unload(&from);
}

void
elf_load(struct elf *e, const char *name, struct elf_bytes *b)
{
	struct elf_section s;

	memset(b, 0, sizeof(*b));
	if (!elf_section(e, name, &s) || s.off > e->size ||
	    s.size > e->size - s.off)
		return;
	allocate(e, b, s.size);
	if (b->p != NULL && elf_read(e, b->p, b->n, s.off) == -1)
		elf_unload(b);
	else if (b->p != NULL && (s.flags & SEC_COMPRESSED))
		uncompress(e, name, b);
}

void
elf_unload(struct elf_bytes *b)
{
	nloaded -= b->n;
	free(b->p);
	memset(b, 0, sizeof(*b));
}

int
elf_crc(struct elf *e, uint32_t *crc)
{
	uint32_t table[256], i, k, c = UINT32_MAX;
	uint8_t block[BLOCK];
	uint64_t at, n;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^
			    (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (at = 0; at < e->size; at += n) {
		n = e->size - at < BLOCK ? e->size - at : BLOCK;
		if (elf_read(e, block, (size_t)n, at) == -1)
			return -1;
		for (i = 0; i < n; i++)
			c = table[(c ^ block[i]) & 255] ^ c >> 8;
	}
	*crc = ~c;
	return 0;
}
