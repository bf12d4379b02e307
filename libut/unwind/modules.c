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
 * Where the program's modules have code, and the tables for it.
 *
 * There are two lists, of which one is read while the other is made.  Whoever
 * reads one finds by its number whether it was made anew meanwhile, be it
 * twice.  Memory that was a list stays one, of no more modules than it has room
 * for: so nothing is read that is not there.
 *
 * A list is old if libraries came and went without our knowledge.  Where the
 * linker can be asked without a lock, it has the last word: a module that is
 * not there any more is not used, and one that is not listed is found.
 * Elsewhere the tables are only read if they can be; musl unmaps nothing.
 */

#include "cpu.h"

#if UNWIND_CPU

#include <sys/types.h>
#include <sys/mman.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "../common/compat.h"
#include "modules.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#define ROOM	128			/* the first list's */
#define TRIES	3

struct list {
	_Atomic uint32_t	 made;	/* odd: it is being made */
	_Atomic uint32_t	 n;
	uint32_t		 room;
	struct unwind_module	 modules[];	/* by text */
};

typedef __typeof__(*((struct dl_phdr_info *)0)->dlpi_phdr) phdr;

static _Atomic(struct list *) current;
static struct list *spare;
static _Atomic uint32_t generation;
static bool valgrind;

uint64_t
ut_modules_gen(void)
{
	return atomic_load_explicit(&generation, memory_order_acquire) &
	    0x7fff;
}

void
ut_modules_old(void)
{
	atomic_fetch_add(&generation, 1);
}

static struct list *
list_new(uint32_t room)
{
	struct list *l;

	l = mmap(NULL, sizeof(*l) + room * sizeof(l->modules[0]),
	    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l == MAP_FAILED)
		return NULL;
	l->room = room;
	return l;
}

/* Sorted in; what there is no room for is counted. */
static void
list_add(struct list *l, const struct unwind_module *m)
{
	uint32_t i = l->n++;

	if (i >= l->room)
		return;
	for (; i > 0 && l->modules[i - 1].text > m->text; i--)
		l->modules[i] = l->modules[i - 1];
	l->modules[i] = *m;
}

/* The table, and the readable segment that has all of it. */
static void
find_header(uintptr_t base, const phdr *p, size_t n, struct unwind_module *m)
{
	uintptr_t at = 0;
	size_t i;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < n; i++)
		if (p[i].p_type == PT_GNU_EH_FRAME)
			at = base + p[i].p_vaddr;
	for (i = 0; at != 0 && i < n; i++) {
		if (p[i].p_type != PT_LOAD || (p[i].p_flags & PF_R) == 0 ||
		    at - (base + p[i].p_vaddr) >= p[i].p_filesz)
			continue;
		m->header = at;
		m->begin = base + p[i].p_vaddr;
		m->end = m->begin + p[i].p_filesz;
		return;
	}
}

/* Take the segment, if it has code that can be read. */
static bool
has_code(uintptr_t base, const phdr *p, struct unwind_module *m)
{
	if (p->p_type != PT_LOAD || (p->p_flags & (PF_R | PF_X)) !=
	    (PF_R | PF_X))
		return false;
	m->text = base + p->p_vaddr;
	m->etext = m->text + p->p_filesz;
	return true;
}

/* NetBSD 6 tells where headers lie as if a program were at 0: see phdr.c. */
static const phdr *
headers(const struct dl_phdr_info *info)
{
#if defined(__NetBSD__)
	if ((uintptr_t)info->dlpi_phdr < 4096)
		return (const phdr *)((uintptr_t)info->dlpi_phdr +
		    info->dlpi_addr);
#endif
	return info->dlpi_phdr;
}

static int
each(struct dl_phdr_info *info, size_t size, void *arg)
{
	const phdr *p = headers(info);
	struct list *l = arg;
	struct unwind_module m;
	size_t i;

	(void)size;
	if (info->dlpi_name != NULL &&
	    strstr(info->dlpi_name, "/vgpreload_") != NULL)
		valgrind = true;
	find_header(info->dlpi_addr, p, info->dlpi_phnum, &m);
	m.program = l->n == 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (has_code(info->dlpi_addr, &p[i], &m))
			list_add(l, &m);
	return 0;
}

static void
list_fill(struct list *l)
{
	atomic_fetch_add(&l->made, 1);
	atomic_thread_fence(memory_order_seq_cst);
	l->n = 0;
	dl_iterate_phdr(each, l);
	atomic_fetch_add(&l->made, 1);
}

void
ut_modules_read(void)
{
	struct list *l = spare != NULL ? spare : list_new(ROOM);

	while (l != NULL) {
		list_fill(l);
		if (l->n <= l->room)
			break;
		l = list_new(2 * l->n);
	}
	if (l != NULL) {
		spare = atomic_load(&current);
		atomic_store(&current, l);
	}
	ut_readable_init(valgrind);
}

/* The last module that does not begin after it. */
static bool __attribute__((no_sanitize_thread))
search(const struct list *l, uint32_t n, uintptr_t place,
    struct unwind_module *m)
{
	uint32_t low = 0, high = n < l->room ? n : l->room, mid;

	if (high == 0)
		return false;
	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (l->modules[mid].text <= place)
			low = mid;
		else
			high = mid;
	}
	*m = l->modules[low];
	return place >= m->text && place < m->etext;
}

static bool
listed(uintptr_t place, struct unwind_module *m)
{
	const struct list *l;
	uint32_t made;
	bool found;
	int i;

	for (i = 0; i < TRIES; i++) {
		l = atomic_load_explicit(&current, memory_order_acquire);
		if (l == NULL)
			return false;
		made = atomic_load_explicit(&l->made, memory_order_acquire);
		found = search(l, atomic_load_explicit(&l->n,
		    memory_order_relaxed), place, m);
		atomic_thread_fence(memory_order_acquire);
		if (made % 2 == 0 && made == atomic_load_explicit(&l->made,
		    memory_order_relaxed))
			return found;
	}
	return false;
}

#if defined(DLFO_STRUCT_HAS_EH_DBASE)

/*
 * A module whose segments are not known: text is all of it, and so is what has
 * its table.  What is around the place can be read.
 */
static bool
undivided(const struct dl_find_object *o, uintptr_t place,
    struct unwind_module *m)
{
	memset(m, 0, sizeof(*m));
	m->text = m->begin = (uintptr_t)o->dlfo_map_start;
	m->etext = m->end = (uintptr_t)o->dlfo_map_end;
	m->header = (uintptr_t)o->dlfo_eh_frame;
	m->whole = true;
	return m->header != 0 && place - m->text >= CODE_BEFORE &&
	    ut_readable((const void *)(place - CODE_BEFORE)) &&
	    ut_readable((const void *)(place + CODE_AFTER + 1));
}

/*
 * A module that is not listed yet, by its program headers, if they are in the
 * page that it begins with; some tools move them, and some programs have
 * another segment there.
 */
static bool
unlisted(const struct dl_find_object *o, uintptr_t place,
    struct unwind_module *m)
{
	const unsigned char *start = o->dlfo_map_start;
	const uintptr_t base = o->dlfo_link_map->l_addr;
	const phdr *p;
	ElfW(Ehdr) head;
	size_t i;

	if (!ut_readable(start))
		return false;
	memcpy(&head, start, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_phentsize != sizeof(*p) || head.e_phoff % WORD != 0 ||
	    head.e_phoff > 4096 ||
	    head.e_phnum > (4096 - head.e_phoff) / sizeof(*p))
		return undivided(o, place, m);
	p = (const phdr *)(const void *)(start + head.e_phoff);
	find_header(base, p, head.e_phnum, m);
	for (i = 0; i < head.e_phnum; i++)
		if (has_code(base, &p[i], m) && place >= m->text &&
		    place < m->etext)
			return true;
	return false;
}

#define SCAN	512			/* modules, some nanoseconds each */

static bool __attribute__((no_sanitize_thread))
is_there(const struct unwind_module *m)
{
	struct dl_find_object o;

	return _dl_find_object((void *)m->text, &o) == 0 &&
	    (uintptr_t)o.dlfo_eh_frame == m->header;
}

bool
ut_modules_gone(void)
{
	static _Atomic uint32_t gone_then;
	const struct list *l = atomic_load(&current);
	uint32_t gone = 0, i, n, made;

	if (l == NULL)
		return false;
	made = atomic_load(&l->made);
	n = l->n < l->room ? l->n : l->room;
	for (i = 0; i < n && i < SCAN; i++)
		gone += !is_there(&l->modules[i]) ? i + 1 : 0;
	atomic_thread_fence(memory_order_acquire);
	if (made % 2 != 0 || made != atomic_load(&l->made))
		return false;
	return atomic_exchange(&gone_then, gone) != gone;
}

bool
ut_modules_find(uintptr_t place, struct unwind_module *m)
{
	struct dl_find_object o;

	if (_dl_find_object((void *)place, &o) != 0)
		return false;
	if (listed(place, m) && (uintptr_t)o.dlfo_eh_frame == m->header)
		return true;
	return unlisted(&o, place, m) &&
	    (uintptr_t)o.dlfo_eh_frame == m->header;
}

#else

bool
ut_modules_gone(void)
{
	return false;
}

bool
ut_modules_find(uintptr_t place, struct unwind_module *m)
{
	if (!listed(place, m))
		return false;
#if defined(__linux__) && !defined(__GLIBC__)
	return true;
#else
	return ut_readable((const void *)place) && (m->header == 0 ||
	    (ut_readable((const void *)m->begin) &&
	    ut_readable((const void *)(m->end - 1))));
#endif
}

#endif

#endif
