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
 * Lines of the source: what utctl reads of debugging information.  The first
 * eight bytes of the input are an address, the next two say how long the first
 * of two files is, and the rest is these files: one with debugging information,
 * and the one that dwz(1) makes.
 */

#include <stdio.h>
#include <string.h>

#include "../../utctl/sym/demangle.h"
#include "../../utctl/sym/dwarf.h"
#include "../../utctl/sym/elf.h"
#include "fuzz.h"

static void
look(struct dwarf *d, uint64_t addr)
{
	struct dwarf_place places[DWARF_PLACES];
	size_t n = dwarf_find(d, addr, places), i;

	if (n > DWARF_PLACES)
		fuzz_die("places");
	for (i = 0; i < n; i++) {
		if (places[i].function != NULL)
			(void)intern(places[i].function);
		if (places[i].file != NULL &&
		    intern(places[i].file) != places[i].file)
			fuzz_die("a file");
	}
}

static int
file_open(struct elf *e, const char *name, const uint8_t *p, size_t n)
{
	char path[160];

	fuzz_file(name, p, n);
	snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
	return elf_open(e, path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct elf e, common;
	struct dwarf *d;
	uint64_t addr, a;
	size_t n;
	int i;

	addr = input_u64(&in);
	n = input_u8(&in);
	n |= (size_t)input_u8(&in) << 8;
	if (n > in.n)
		n = in.n;
	if (file_open(&e, "dwarf", in.p, n) == -1)
		return 0;
	d = dwarf_new(&e);
	if (file_open(&common, "common", in.p + n, in.n - n) == 0)
		dwarf_common(d, &common);
	look(d, addr);
	for (i = 0, a = e.lo; i < 64 && a < e.hi; i++, a += 1 + a / 16)
		look(d, a);
	dwarf_free(d);
	dwarf_again();
	demangle_end();
	return 0;
}
