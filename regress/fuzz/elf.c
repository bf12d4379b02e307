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
 * Names for addresses: what utctl reads of programs and libraries.  The first
 * byte of the input says whether the rest is a mangled name, or a file; of a
 * file, the next eight are an address that is looked for.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../utctl/sym/demangle.h"
#include "../../utctl/sym/elf.h"
#include "../../utctl/sym/image.h"
#include "fuzz.h"

static void
name(const struct input *in)
{
	char text[2048], small[16], big[400];
	const size_t n = in->n < sizeof(text) ? in->n : sizeof(text) - 1;

	demangle_ready();
	memcpy(text, in->p, n);
	text[n] = '\0';
	if (demangle(text, big, sizeof(big)) &&
	    strlen(big) >= sizeof(big))
		fuzz_die("a long name");
	if (demangle(text, small, sizeof(small)) &&
	    strlen(small) >= sizeof(small))
		fuzz_die("a name that was not cut");
}

static void
look(const struct elf_symbols *s, struct elf *e, uint64_t addr)
{
	char text[ELF_NAMEMAX];
	uint64_t start;

	if (!elf_symbols_find(s, e, addr, text, &start))
		return;
	if (start > addr || text[0] == '\0' ||
	    strlen(text) >= sizeof(text))
		fuzz_die("what was found");
}

/* What all of it has, and that address. */
static void
symbols(struct elf *e, enum elf_kind kind, int dynamic, uint64_t addr)
{
	struct elf_symbols s;
	uint64_t a;
	int i;

	if (elf_symbols_load(&s, e, kind, dynamic) == -1)
		return;
	look(&s, e, addr);
	for (i = 0, a = e->lo; i < 64 && a < e->hi; i++, a += 1 + a / 16)
		look(&s, e, a);
	elf_symbols_free(&s);
}

/* All functions, and that of the address. */
static void
ranges(struct elf *e, uint64_t addr)
{
	const struct elf_range *found;
	struct elf_ranges r;
	struct elf_symbols s;
	size_t i;

	elf_ranges_load(&r, e);
	found = elf_ranges_find(&r, addr);
	if (found != NULL && addr - found->start >= found->size)
		fuzz_die("the function of an address");
	for (i = 0; i < r.n; i++)
		if (r.v[i].start < e->lo || r.v[i].start >= e->hi ||
		    r.v[i].size > e->hi - r.v[i].start ||
		    (i > 0 && r.v[i].start < r.v[i - 1].start) ||
		    elf_ranges_find(&r, r.v[i].start) == NULL)
			fuzz_die("a function");
	if (elf_symbols_load(&s, e, ELF_CODE, 1) == 0) {
		elf_symbols_bound(&s, &r);
		look(&s, e, addr);
		elf_symbols_free(&s);
	}
	elf_ranges_free(&r);
}

static void
image(const char *path, const struct elf *e, enum elf_kind kind, uint64_t addr)
{
	struct mapping m;
	char text[ELF_NAMEMAX];
	uint64_t start;

	memset(&m, 0, sizeof(m));
	m.image = image_get(path, e->id, e->idlen);
	m.base = 0x10000;
	m.start = m.base + e->lo;
	m.size = e->hi - e->lo;
	m.ns = INT64_MAX;
	if (image_find(&m, kind, addr + m.base, text, &start) &&
	    start - m.base > addr)
		fuzz_die("what is mapped");
	if (image_function(&m, addr + m.base, &start) && start > addr)
		fuzz_die("the function of what is mapped");
	images_free();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct elf e;
	char path[160];
	uint64_t addr;

	if (input_u8(&in) & 1) {
		name(&in);
		return 0;
	}
	addr = input_u64(&in);
	fuzz_file("elf", in.p, in.n);
	snprintf(path, sizeof(path), "%s/elf", fuzz_dir());
	if (elf_open(&e, path) == -1)
		return 0;
	symbols(&e, ELF_CODE, 0, addr);
	symbols(&e, ELF_CODE, 1, addr);
	symbols(&e, ELF_DATA, 0, addr);
	symbols(&e, ELF_DATA, 1, addr);
	ranges(&e, addr);
	image(path, &e, ELF_CODE, addr);
	image(path, &e, ELF_DATA, addr);
	elf_close(&e);
	return 0;
}
