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
 * ELF files: which file it is, and the functions and variables that it has
 * names for.  All
 * that is read from a file is hostile until it was checked.
 */

#ifndef ELF_H
#define ELF_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#define ELF_IDMAX	64		/* bytes of a build ID */
#define ELF_NAMEMAX	4096		/* bytes of a symbol's name, with NUL */

struct elf {
	int		 fd;		/* -1: not open now */
	char		*path;
	dev_t		 dev;		/* which file it is */
	ino_t		 ino;
	uint64_t	 size;
	int64_t		 mtime, ctime;	/* ns */
	int		 is64, big;
	unsigned int	 machine;
	uint64_t	 phoff, shoff;	/* headers of segments, of sections */
	uint32_t	 nph, nsh;
	uint32_t	 names;		/* the section of sections' names */
	uint64_t	 lo, hi;	/* addresses of segments; 0: none */
	uint64_t	 align;		/* the first segment's */
	uint8_t		 id[ELF_IDMAX];	/* build ID */
	size_t		 idlen;		/* 0: it has none */
};

struct elf_section {
	uint32_t	 name, type;
	uint64_t	 flags;
	uint64_t	 addr, off, size;
	uint32_t	 link;
	uint64_t	 entsize;
};

/* elf.c: 0, or -1 if it cannot be read or is none. */
int	 elf_open(struct elf *, const char *);
void	 elf_close(struct elf *);
/* The file is kept in mind, and opened again when it is read. */
void	 elf_rest(struct elf *);
/* Read so many bytes there: 0, or -1 if not all of them are. */
int	 elf_read(struct elf *, void *, size_t, uint64_t);
/* elf_read() for tables, with a limit on the bytes read of all files. */
int	 elf_bulk(struct elf *, void *, size_t, uint64_t);
void	 elf_bulk_again(void);		/* begin to count anew */
uint64_t elf_num(const struct elf *, const uint8_t *, size_t);
/* All sections, to be freed; NULL if there are none. */
struct elf_section *elf_sections(struct elf *);

/* elf_debug.c: a section in memory, where it was compressed if it is. */
struct elf_bytes {
	uint8_t		*p;		/* NULL: there is none */
	size_t		 n;
};

int	 elf_has(struct elf *, const char *);
/* Find the section of that name: 0 if there is none. */
int	 elf_section(struct elf *, const char *, struct elf_section *);
/* Load the section of that name, if the file has it and memory suffices. */
void	 elf_load(struct elf *, const char *, struct elf_bytes *);
void	 elf_unload(struct elf_bytes *);
/* inflate.c: make so many bytes of a zlib stream: 0, or -1 if they are not. */
int	 inflate_zlib(uint8_t *, size_t, const uint8_t *, size_t);
/* The checksum of the whole file, as .gnu_debuglink has it: 0, or -1. */
int	 elf_crc(struct elf *, uint32_t *);

enum elf_kind {
	ELF_CODE,			/* functions, and places in them */
	ELF_DATA			/* variables */
};

/* elf_ranges.c: where functions begin and end, by their addresses. */
struct elf_range {
	uint64_t		 start, size;
};

struct elf_ranges {
	struct elf_range	*v;
	size_t			 n;
};

void	 elf_ranges_load(struct elf_ranges *, struct elf *);
/* The function that has this address; NULL: none is known. */
const struct elf_range *elf_ranges_find(const struct elf_ranges *, uint64_t);
void	 elf_ranges_free(struct elf_ranges *);

/* elf_symbols.c: what a file has of one kind, by its addresses. */
struct elf_symbols {
	struct elf_symbol	*v;
	size_t			 n;
	uint64_t		 strings, nstrings;	/* where names are */
};

/* Load .symtab, or .dynsym: 0, or -1 if the file has none there. */
int	 elf_symbols_load(struct elf_symbols *, struct elf *, enum elf_kind,
	    int);
/*
 * The name of what has this address, and where that begins; 0 if nothing has
 * it.
 */
int	 elf_symbols_find(const struct elf_symbols *, struct elf *, uint64_t,
	    char *, uint64_t *);
/* Let symbols without a size name only the functions that begin there. */
void	 elf_symbols_bound(struct elf_symbols *, const struct elf_ranges *);
void	 elf_symbols_free(struct elf_symbols *);

#endif /* ELF_H */
