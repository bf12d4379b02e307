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
 * The functions of an ELF file in the order of their addresses, or its
 * variables.  Names stay in the file until they are asked for, so that a
 * function takes 24 bytes.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "elf.h"

#define MOST		(8u << 20)	/* symbols in memory, of all files */
#define STEPS		4096		/* symbols that are looked at */
#define SAME		32		/* names of one address */
#define CHUNK		(64 * 1024)

#define SEC_SYMTAB	2
#define SEC_DYNSYM	11
#define SEC_ALLOC	2		/* flags */
#define SEC_EXECUTE	4
#define SYM_NOTYPE	0
#define SYM_OBJECT	1
#define SYM_FUNC	2
#define SYM_IFUNC	10
#define MACHINE_ARM	40

/* The less the better; of symbols of an address, the first is shown. */
#define RANK_LOCAL	1		/* is not for others */
#define RANK_LABEL	2		/* is not said to be a function */
#define RANK_NOSIZE	4		/* ends where the next one begins */

struct elf_symbol {
	uint64_t	 addr;
	uint32_t	 size;
	uint32_t	 name;		/* offset in the strings */
	uint32_t	 reach;		/* from addr: this and all before it */
	uint32_t	 rank;
};

/* While they are read. */
struct loading {
	struct elf_symbols	*to;
	struct elf		*elf;
	enum elf_kind		 kind;
	const struct elf_section *sections;
	size_t			 room;
};

static size_t	 nloaded;	/* symbols of all files */

static uint32_t
cut(uint64_t v)
{
	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static struct elf_symbol *
symbol_new(struct loading *l)
{
	struct elf_symbol *v;

	if (l->to->n == l->room) {
		l->room = l->room == 0 ? 256 : 2 * l->room;
		v = xrealloc(l->to->v, l->room * sizeof(*v));
		l->to->v = v;
	}
	nloaded++;
	return &l->to->v[l->to->n++];
}

/* A label has no size where the variables are: it is the end of them. */
static int
is_wanted(const struct loading *l, unsigned int type, uint64_t size)
{
	if (l->kind == ELF_DATA)
		return type == SYM_OBJECT && size > 0;
	return type == SYM_NOTYPE || type == SYM_FUNC || type == SYM_IFUNC;
}

/* The code or the data that the symbol is in; NULL: none. */
static const struct elf_section *
section_of(const struct loading *l, uint32_t i, uint64_t addr)
{
	const struct elf_section *s = &l->sections[i];

	return i < l->elf->nsh && (s->flags & SEC_ALLOC) &&
	    (s->flags & SEC_EXECUTE) == (l->kind == ELF_CODE ? SEC_EXECUTE :
	    0) && addr >= s->addr &&
	    addr - s->addr < s->size ? s : NULL;
}

static void
symbol_add(struct loading *l, const uint8_t *p)
{
	const int is64 = l->elf->is64;
	const struct elf_section *sec;
	const unsigned int info = p[is64 ? 4 : 12], type = info & 15;
	uint64_t addr = elf_num(l->elf, p + (is64 ? 8 : 4), is64 ? 8 : 4);
	uint64_t size = elf_num(l->elf, p + (is64 ? 16 : 8), is64 ? 8 : 4);
	const uint64_t name = elf_num(l->elf, p, 4);
	struct elf_symbol *sym;

	if (name == 0 || name >= l->to->nstrings || !is_wanted(l, type, size))
		return;
	if (l->elf->machine == MACHINE_ARM && (type == SYM_FUNC ||
	    type == SYM_IFUNC))
		addr &= ~(uint64_t)1;	/* says how it is called */
	sec = section_of(l, (uint32_t)elf_num(l->elf, p + (is64 ? 6 : 14), 2),
	    addr);
	if (sec == NULL)
		return;
	sym = symbol_new(l);
	sym->addr = addr;
	sym->size = cut(size);
	sym->reach = cut(sec->addr + sec->size - addr);
	sym->name = (uint32_t)name;
	sym->rank = (uint32_t)((info >> 4 == 0 ? RANK_LOCAL : 0) |
	    (type == SYM_NOTYPE ? RANK_LABEL : 0) |
	    (size == 0 ? RANK_NOSIZE : 0));
	if (sym->size > sym->reach)
		sym->size = sym->reach;
}

static int
compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/*
 * Let a symbol without a size reach to the next one, or to the end of its
 * section, which is its reach until then.
 */
static void
sizes_set(struct elf_symbols *to)
{
	uint64_t next = UINT64_MAX, addr, end = 0;
	struct elf_symbol *s;
	size_t i;

	for (i = to->n; i-- > 0;) {
		s = &to->v[i];
		if (i + 1 < to->n && s[1].addr != s->addr)
			next = s[1].addr;
		if ((s->rank & RANK_NOSIZE) == 0)
			continue;
		s->size = s->reach;
		if (next != UINT64_MAX && next - s->addr < s->size)
			s->size = (uint32_t)(next - s->addr);
	}
	for (i = 0; i < to->n; i++) {
		s = &to->v[i];
		addr = s->addr;
		if (s->size > UINT64_MAX - addr)
			s->size = (uint32_t)(UINT64_MAX - addr);
		if (addr + s->size > end)
			end = addr + s->size;
		s->reach = end > addr ? cut(end - addr) : 0;
	}
}

static int
table_load(struct loading *l, const struct elf_section *table)
{
	const size_t size = l->elf->is64 ? 24 : 16;
	const struct elf_section *strings;
	uint64_t off, left, n;
	uint8_t *buf, *p;
	int failed = 0;

	if (table->entsize != size || table->link >= l->elf->nsh)
		return -1;
	strings = &l->sections[table->link];
	l->to->strings = strings->off;
	l->to->nstrings = strings->size;
	if ((buf = malloc(CHUNK)) == NULL)
		die_errno("malloc");
	off = table->off;
	for (left = table->size / size; left > 0 && !failed; left -= n) {
		n = left < CHUNK / size ? left : CHUNK / size;
		failed = nloaded >= MOST || elf_bulk(l->elf, buf,
		    (size_t)n * size, off) == -1;
		off += n * size;
		for (p = buf; !failed && p < buf + n * size; p += size)
			symbol_add(l, p);
	}
	free(buf);
	return failed ? -1 : 0;
}

int
elf_symbols_load(struct elf_symbols *to, struct elf *e, enum elf_kind kind,
    int dynamic)
{
	const uint32_t type = dynamic ? SEC_DYNSYM : SEC_SYMTAB;
	struct elf_section *sections = elf_sections(e);
	struct loading l = { to, e, kind, sections, 0 };
	int found = 0;
	uint32_t i;

	memset(to, 0, sizeof(*to));
	/* A file has one table of each type. */
	for (i = 0; sections != NULL && i < e->nsh; i++)
		if (sections[i].type == type) {
			found = table_load(&l, &sections[i]) == 0;
			break;
		}
	free(sections);
	if (!found || to->n == 0) {
		elf_symbols_free(to);
		return -1;
	}
	qsort(to->v, to->n, sizeof(*to->v), compare);
	sizes_set(to);
	return 0;
}

/* A name of the file: its length, or 0. */
static size_t
name_read(const struct elf_symbols *from, struct elf *e, uint32_t at,
    char *name)
{
	uint64_t n = from->nstrings - at;
	char *end;

	if (n > ELF_NAMEMAX)
		n = ELF_NAMEMAX;
	if (from->strings > e->size || at > e->size - from->strings)
		return 0;
	if (n > e->size - from->strings - at)
		n = e->size - from->strings - at;
	if (n == 0 || elf_read(e, name, (size_t)n, from->strings + at) == -1 ||
	    (end = memchr(name, '\0', (size_t)n)) == NULL)
		return 0;
	if ((end = strchr(name, '@')) != NULL)	/* the version */
		*end = '\0';
	/* Marks of the assembler are names for nobody. */
	if (name[0] == '$' || strncmp(name, ".L", 2) == 0)
		return 0;
	return strlen(name);
}

/* Names for others have the fewest underscores, and are short. */
static int
is_better(const char *a, const char *b)
{
	const size_t m = strspn(a, "_"), n = strspn(b, "_");
	const size_t alen = strlen(a), blen = strlen(b);

	if (m != n)
		return m < n;
	return alen != blen ? alen < blen : strcmp(a, b) < 0;
}

/* The best name of those that are as good as this symbol. */
static int
name_best(const struct elf_symbols *from, struct elf *e, size_t i, char *name)
{
	const struct elf_symbol *s = &from->v[i];
	char other[ELF_NAMEMAX];
	size_t n;

	name[0] = '\0';
	while (i > 0 && from->v[i - 1].addr == s->addr &&
	    from->v[i - 1].rank == s->rank)
		i--;
	for (n = 0; n < SAME && i < from->n && from->v[i].addr == s->addr &&
	    from->v[i].rank == s->rank; n++, i++)
		if (name_read(from, e, from->v[i].name, other) > 0 &&
		    (name[0] == '\0' || is_better(other, name)))
			strcpy(name, other);
	return name[0] != '\0';
}

/* The first of the symbols that begins behind the address. */
static size_t
first_behind(const struct elf_symbols *from, uint64_t addr)
{
	size_t lo = 0, hi = from->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (from->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int
has_size(const struct elf_symbol *s)
{
	return (s->rank & RANK_NOSIZE) == 0;
}

/*
 * The innermost function.  A label without a size within a function that has
 * one is only a place in it.
 */
int
elf_symbols_find(const struct elf_symbols *from, struct elf *e, uint64_t addr,
    char *name, uint64_t *start)
{
	const struct elf_symbol *s, *best = NULL;
	size_t i, steps;

	i = first_behind(from, addr);
	for (steps = 0; i > 0 && steps < STEPS; steps++) {
		s = &from->v[--i];
		if (addr - s->addr >= s->reach || (best != NULL &&
		    has_size(best) && s->addr != best->addr))
			break;
		if (addr - s->addr < s->size && (best == NULL ||
		    (has_size(s) && !has_size(best)) ||
		    (s->addr == best->addr && s->rank < best->rank)))
			best = s;
	}
	if (best == NULL)
		return 0;
	*start = best->addr;
	return name_best(from, e, (size_t)(best - from->v), name);
}

void
elf_symbols_bound(struct elf_symbols *to, const struct elf_ranges *ranges)
{
	const struct elf_range *r;
	struct elf_symbol *s;
	size_t i;

	for (i = 0; i < to->n; i++) {
		s = &to->v[i];
		if (has_size(s))
			continue;
		r = elf_ranges_find(ranges, s->addr);
		s->size = r != NULL && r->start == s->addr ? cut(r->size) : 1;
	}
}

void
elf_symbols_free(struct elf_symbols *s)
{
	nloaded -= s->n;
	free(s->v);
	memset(s, 0, sizeof(*s));
}
