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
 * Parts of debugging information, for the files that read it.
 */

#ifndef DWARF_PRIV_H
#define DWARF_PRIV_H

#include "dwarf.h"
#include "elf.h"

#define NOTHING		UINT32_MAX
#define TABLE_MAX	(1u << 22)	/* entries of one table */

enum section {
	SEC_INFO, SEC_ABBREV, SEC_LINE, SEC_STR, SEC_LINE_STR, SEC_RANGES,
	SEC_RNGLISTS, SEC_ADDR, SEC_STR_OFFSETS, NSECTIONS
};

/* The attributes that matter. */
enum attr {
	A_NONE, A_NAME, A_LINKAGE, A_LOW, A_HIGH, A_RANGES, A_ORIGIN,
	A_CALL_FILE, A_CALL_LINE, A_LINES, A_DIR, A_STR_BASE, A_ADDR_BASE,
	A_RANGES_BASE, A_DWO, NATTRS
};

/* Forms that are more than numbers. */
#define FORM_ADDR		0x01
#define FORM_STRING		0x08
#define FORM_STRP		0x0e
#define FORM_REF_ADDR		0x10
#define FORM_REF1		0x11
#define FORM_REF_UDATA		0x15
#define FORM_ADDRX		0x1b
#define FORM_REF_SUP4		0x1c
#define FORM_STRP_SUP		0x1d
#define FORM_LINE_STRP		0x1f
#define FORM_IMPLICIT_CONST	0x21
#define FORM_RNGLISTX		0x23
#define FORM_REF_SUP8		0x24
#define FORM_ADDRX1		0x29
#define FORM_ADDRX4		0x2c
#define FORM_GNU_ADDRX		0x1f01
#define FORM_GNU_STRX		0x1f02
#define FORM_GNU_REF_ALT	0x1f20
#define FORM_GNU_STRP_ALT	0x1f21

/* Entries of .debug_rnglists. */
enum {
	RLE_END, RLE_BASEX, RLE_STARTX_ENDX, RLE_STARTX_LENGTH, RLE_OFFSETS,
	RLE_BASE, RLE_START_END, RLE_START_LENGTH
};

#define TAG_INLINED	0x1d
#define TAG_SUBPROGRAM	0x2e

/* A place in a section: once bad, it is at the end, and reads zeros. */
struct cursor {
	const uint8_t	*base, *p, *end;
	int		 big, bad;
};

struct value {
	uint64_t	 n;
	uint16_t	 form;		/* 0: there is no such attribute */
};

struct spec {
	uint16_t	 form;
	uint8_t		 attr;
	int64_t		 constant;
};

struct abbrev {
	uint64_t	 code;
	uint16_t	 tag;
	uint8_t		 children;
	size_t		 first, n;	/* the unit's specs */
};

/* Addresses, and what has them. */
struct span {
	uint64_t	 lo, hi;
	uint32_t	 of;
};

struct spans {
	struct span	*v;
	size_t		 n, room;
};

struct row {
	uint64_t	 addr;
	uint32_t	 file;		/* NOTHING: code ends here */
	uint32_t	 line;
};

struct file {
	const char	*name;
	uint64_t	 dir;
	const char	*path;		/* NULL: not made yet */
};

/* A function that has code of its own, inlined or not. */
struct function {
	size_t		 die;
	uint8_t		 inlined;
	uint8_t		 named;		/* the name was looked for */
	const char	*name;
	uint32_t	 in;		/* the function around it */
	uint32_t	 call_file, call_line;
};

struct unit {
	size_t		 off, die, end;	/* in .debug_info */
	size_t		 abbrevs_at;
	uint8_t		 version, offsize, addrsize;
	uint8_t		 read;		/* lines and functions were */
	uint64_t	 low;
	struct value	 lines, dir, str_base, addr_base, ranges_base;
	struct abbrev	*abbrevs;
	struct spec	*specs;
	size_t		 nabbrevs, abbrevroom, nspecs, specroom;
	struct row	*rows;
	size_t		 nrows, rowroom;
	const char	**dirs;
	struct file	*files;
	size_t		 ndirs, dirroom, nfiles, fileroom;
	struct function	*functions;
	size_t		 nfunctions, funcroom;
	struct spans	 spans;		/* the innermost functions' */
};

struct dwarf {
	struct elf	 elf;
	struct elf_bytes sections[NSECTIONS];
	int		 loaded[NSECTIONS];
	struct dwarf	*common;	/* dwz(1)'s file, or NULL */
	int		 indexed, split;
	struct unit	*units;
	size_t		 nunits, unitroom;
	struct spans	 spans;		/* the units' */
};

/* dwarf_read.c */
struct cursor dwarf_section(struct dwarf *, enum section, uint64_t);
uint64_t get(struct cursor *, size_t);
uint64_t get_uleb(struct cursor *);
int64_t	 get_sleb(struct cursor *);
const char *get_string(struct cursor *);
void	 skip(struct cursor *, uint64_t);
/* The length at the beginning of a unit: its end becomes the cursor's. */
unsigned int get_length(struct cursor *);
/* Pay for so many steps: 0 if all that may be spent are. */
int	 spend(const struct dwarf *, uint64_t);
/* Make room in a table for one more of that size; NULL: all was spent. */
void	*table_more(const struct dwarf *, void *, size_t, size_t *, size_t);
void	 value_read(struct cursor *, const struct unit *, unsigned int,
	    int64_t, struct value *);
const char *value_string(struct dwarf *, const struct unit *,
	    const struct value *);
int	 value_address(struct dwarf *, const struct unit *,
	    const struct value *, uint64_t *);
/* Read the unit's abbreviations, to that one; 0: all. */
void	 abbrevs_read(struct dwarf *, struct unit *, uint64_t);
void	 abbrevs_free(struct unit *);
const struct abbrev *abbrev_find(const struct dwarf *, const struct unit *,
	    uint64_t);
/* Read the attributes of an entry; to NULL: skip them. */
void	 die_read(struct cursor *, const struct unit *, const struct abbrev *,
	    struct value *);

/* dwarf_spans.c */
/* Add the ranges of an entry: 0 if it has none. */
int	 spans_add(struct spans *, struct dwarf *, const struct unit *,
	    const struct value *, uint32_t);
/* Sort them: of several that have an address, that is left which began last. */
void	 spans_sort(struct dwarf *, struct spans *);
uint32_t spans_find(const struct spans *, uint64_t);	/* NOTHING: none */

/* dwarf_lines.c */
void	 lines_read(struct dwarf *, struct unit *);
const struct row *lines_find(const struct unit *, uint64_t);
const char *lines_file(struct dwarf *, struct unit *, uint64_t);

#endif /* DWARF_PRIV_H */
