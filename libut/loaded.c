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
 * The events ut:module and ut:unload, which tell what names belong to the
 * addresses in a trace.
 *
 * A region in which ut:module is enabled is told all modules at once.  From
 * then on, each look at the run-time linker's list finds what has come and
 * gone.  We look when a library with events comes or goes.  One that goes is
 * gone from then on, though the linker has it until its destructors are called,
 * but not where these are called because the process exits.
 *
 * Wrappers name addresses, and say that something has gone: ut_code.h.  Where
 * ut_loaded_finds, a module is then found, or found to be gone, without a look,
 * and a fork looks only if a library with events has come or gone since the
 * last look.  On other systems we look, also before each fork.
 *
 * The linker has a lock of its own, and a thread may have that while it waits
 * for ut_lock, or for nothing of ours.  So no function that is called with the
 * linker's lock held takes another lock or records an event: it fills the table
 * below, and the events are made from that.  And the child of a fork has its
 * parent's table, as it may find the linker's lock taken by a thread that it
 * does not have: it does not look before it has loaded something itself.
 */

#include <sys/mman.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "ut_code.h"
#include "ut_event.h"
#include "ut_loaded.h"
#include "unwind/unwind.h"

#define FILE_STEP	64	/* sizes of struct file are multiples */

/* The file of a module: its path, a NUL, and its build ID. */
struct file {
	struct file	*next;		/* in the list of free ones */
	size_t		 room;
	uint64_t	 name;		/* hash of what the linker calls it */
	size_t		 pathlen;
	size_t		 idlen;
	unsigned char	 text[];
};

struct module {
	uintptr_t	 base;
	uintptr_t	 start;
	uint64_t	 size;
	struct file	*file;
	uint32_t	 round;		/* the last look that found it */
	bool		 untold;
	bool		 program;	/* never goes */
	bool		 sure;		/* no other can be in its place */
};

struct table {
	uint32_t	 n;
	uint32_t	 round;
	uint64_t	 seen;		/* the linker's state; see phdr.c */
	struct module	 modules[UT_LOADED_MAX];	/* by start */
};

static const struct ut_field module_fields[] = {
	{ "base", NULL, 0, UT_KIND_INT, sizeof(void *), UT_F_HEX, 0 },
	{ "start", NULL, 0, UT_KIND_INT, sizeof(void *), UT_F_HEX, 0 },
	{ "size", NULL, 0, UT_KIND_INT, 8, 0, 0 },
	{ "path", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ "build_id", NULL, 0, UT_KIND_SEQ, 1, UT_F_HEX, 0 },
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};

static const struct ut_field unload_fields[] = {
	{ "base", NULL, 0, UT_KIND_INT, sizeof(void *), UT_F_HEX, 0 },
	{ "start", NULL, 0, UT_KIND_INT, sizeof(void *), UT_F_HEX, 0 },
	{ "size", NULL, 0, UT_KIND_INT, 8, 0, 0 },
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};

/* In no section: one there would be an event of whoever links libut.a. */
static struct ut_event module_event = {
	0, UT_DEBUG_MODULE, "ut:module", module_fields, NULL, NULL, { 0 }, 0,
	1, NULL, NULL
};
static struct ut_event unload_event = {
	0, UT_DEBUG_MODULE, "ut:unload", unload_fields, NULL, NULL, { 0 }, 0,
	1, NULL, NULL
};

static struct table *table;	/* NULL: there was no look yet */
static struct file *freed;
static bool dated = true;		/* a module came or went since */
static bool doubtful;			/* the linker's lock may be taken */
static bool stuck;			/* taken for good, in a child */
static bool stale;			/* the spans are older than the table */
static atomic_bool exits;		/* exit(3) was called */
static uintptr_t leaves;		/* address in the module that leaves */

static uint64_t
name_hash(const char *s)
{
	return hash_fnv(FNV_INIT, s, strlen(s));
}

static struct file *
file_room(size_t size)
{
	struct file **p, *f;

	size = (size + FILE_STEP - 1) & ~(size_t)(FILE_STEP - 1);
	for (p = &freed; (f = *p) != NULL; p = &f->next) {
		if (f->room >= size && f->room < 2 * size) {
			*p = f->next;
			return f;
		}
	}
	if ((f = ut_arena(size)) != NULL)
		f->room = size;
	return f;
}

static struct file *
file_new(const struct ut_loaded *l)
{
	const char *path = ut_loaded_path(l);
	const size_t len = strlen(path);
	const size_t idlen = l->idlen;
	struct file *f = file_room(sizeof(*f) + len + 1 + idlen);

	if (f == NULL)
		return NULL;
	f->name = name_hash(l->name);
	f->pathlen = len;
	f->idlen = idlen;
	memcpy(f->text, path, len + 1);
	if (idlen > 0)
		memcpy(f->text + len + 1, l->id, idlen);
	return f;
}

static void
file_free(struct file *f)
{
	f->next = freed;
	freed = f;
}

/* A build ID that is known may not have been found again. */
static bool
module_same(const struct module *m, const struct ut_loaded *l)
{
	const struct file *f = m->file;

	return m->base == l->base && m->start == l->start &&
	    m->size == l->size && f->name == name_hash(l->name) &&
	    (l->idlen == 0 || (f->idlen == l->idlen &&
	    memcmp(f->text + f->pathlen + 1, l->id, l->idlen) == 0));
}

/* Where modules that begin there, or the next ones, are in the table. */
static uint32_t
module_place(const struct table *t, uintptr_t start)
{
	uint32_t low = 0, high = t->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->modules[mid].start < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * The linker has that module.  What was in its place before and is another is
 * not seen any more in this round.
 */
static void
module_see(const struct ut_loaded *l)
{
	struct table *t = table;
	struct module *m, *end = t->modules + t->n;
	struct file *f;

	m = t->modules + module_place(t, l->start);
	for (; m < end && m->start == l->start; m++) {
		if (module_same(m, l)) {
			m->round = t->round;
			stale = stale || !m->sure;
			m->sure = true;
			return;
		}
	}
	if (t->n == UT_LOADED_MAX || (f = file_new(l)) == NULL)
		return;
	memmove(m + 1, m, (size_t)(end - m) * sizeof(*m));
	m->base = l->base;
	m->start = l->start;
	m->size = l->size;
	m->file = f;
	m->round = t->round;
	m->untold = true;
	m->program = l->program;
	m->sure = true;
	stale = true;
	t->n++;
}

/* Let ut_code see the modules that are sure to be there. */
static void
spans_publish(const struct table *t)
{
	uint32_t i;

	ut_spans_begin();
	for (i = 0; i < t->n; i++)
		if (t->modules[i].sure)
			ut_spans_add(t->modules[i].start,
			    (uintptr_t)t->modules[i].size);
	ut_spans_end();
}

static unsigned char *
put_where(unsigned char *p, const struct module *m)
{
	p = ut_put(p, &m->base, sizeof(m->base));
	p = ut_put(p, &m->start, sizeof(m->start));
	return ut_put(p, &m->size, sizeof(m->size));
}

/* In those regions that the event is enabled in: ut:module or ut:unload. */
static void __attribute__((noinline))
record(const struct module *m, const struct ut_event *e, uint32_t regions)
{
	const size_t where = 2 * sizeof(uintptr_t) + sizeof(uint64_t);
	const struct file *f = m->file;
	const uint32_t idlen = (uint32_t)f->idlen;
	const bool whole = e == &module_event;
	struct ut_event some;
	struct ut_record r;
	unsigned char *p;

	if (!ut_event_narrow(e, regions, &some))
		return;
	p = ut_begin(&r, &some, where + (whole ? f->pathlen + 1 +
	    sizeof(idlen) + idlen : 0));
	if (p == NULL)
		p = ut_begin_at(&r, UT_CALLER());
	while (p != NULL) {
		p = put_where(p, m);
		if (whole) {
			p = ut_put(p, f->text, f->pathlen + 1);
			p = ut_put(p, &idlen, sizeof(idlen));
			(void)ut_put(p, f->text + f->pathlen + 1, idlen);
		}
		p = ut_commit(&r);
	}
}

/*
 * Record what has gone and what has come, in that order, since the new may be
 * in the place of the old; but nothing new in those regions.
 */
static void
record_changes(struct table *t, uint32_t but)
{
	struct module *m, *to = t->modules, *end = t->modules + t->n;

	for (m = t->modules; m < end; m++) {
		if (m->round == t->round) {
			if (to != m)
				*to = *m;
			to++;
			continue;
		}
		if (!m->untold)
			record(m, &unload_event, UINT32_MAX);
		file_free(m->file);
		stale = true;
	}
	t->n = (uint32_t)(to - t->modules);
	for (m = t->modules; m < to; m++) {
		if (!m->untold)
			continue;
		record(m, &module_event, ~but);
		m->untold = false;
	}
	if (stale)
		spans_publish(t);
	stale = false;
}

static struct table *
table_get(void)
{
	void *p;

	if (table != NULL)
		return table;
	p = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		table = p;
	return table;
}

/*
 * The module that ut_code has found.  What we know of in its place, and is
 * another, has gone.
 */
static void
see_found(struct table *t, const struct ut_loaded *l)
{
	struct module *m;

	for (m = t->modules; m < t->modules + t->n; m++)
		if (m->start < l->start + l->size &&
		    l->start < m->start + m->size && !module_same(m, l))
			m->round = t->round - 1;
	module_see(l);
}

/*
 * Find what has gone without the linker's lock, where ut_loaded_finds.  Another
 * module may be in the place of one that has: ut_code looks at each once more.
 */
static void
look_for_gone(struct table *t, uint32_t but)
{
	const struct ut_loaded *l = ut_found();
	struct module *m;

	if (l != NULL) {
		see_found(t, l);
		ut_found_done();
	}
	for (m = t->modules; m < t->modules + t->n; m++) {
		if (m->program)
			continue;
		stale = true;
		m->sure = false;
		if (ut_loaded_there((const void *)m->start) == 0)
			m->round = t->round - 1;
	}
	record_changes(t, but);
}

/*
 * Look at what the linker has; the thread records, as a guest.  What ut_code
 * has found is seen as well, if it is still there.
 */
static void
modules_look(struct table *t, uint32_t but)
{
	if (stuck) {
		if (ut_loaded_finds())
			look_for_gone(t, but);
		return;
	}
	if (ut_found() != NULL)
		ut_found_done();
	dated = false;
	t->round++;
	if (!ut_loaded_each(module_see, &t->seen))
		t->round--;
	else
		record_changes(t, but);
}

/* ut:module is enabled in the region i, perhaps once more. */
void
ut_loaded_tell(unsigned int i)
{
	const uint32_t region = UINT32_C(1) << i;
	struct table *t = table_get();
	struct thread *had;
	uint32_t k;

	if (t == NULL || !ut_guest_begin(&had))
		return;
	modules_look(t, region);
	for (k = 0; k < t->n; k++)
		record(&t->modules[k], &module_event, region);
	ut_guest_end(had);
}

static bool
events_wanted(void)
{
	return __atomic_load_n(&module_event.on, __ATOMIC_RELAXED) != 0 ||
	    __atomic_load_n(&unload_event.on, __ATOMIC_RELAXED) != 0;
}

/* Look, and record what has changed in the regions that want to know. */
static void
look_again(void (*how)(struct table *, uint32_t))
{
	struct table *t = table_get();
	struct thread *had;

	if (t == NULL)
		return;
	if (!events_wanted())
		how(t, 0);
	else if (ut_guest_begin(&had)) {
		how(t, 0);
		ut_guest_end(had);
	}
}

/* The unwinder is to know the modules, unless the linker's lock is stuck. */
void
ut_loaded_unwind(void)
{
	if (!stuck)
		ut_unwind_changed();
}

/* Something has come or gone: look, unless the linker's lock may be stuck. */
static void
changed(void)
{
	dated = true;
	if (ut_unwind_used())
		ut_loaded_unwind();
	if (events_wanted())
		look_again(modules_look);
}

/* Look, in a thread for which the linker has just loaded something. */
void
ut_loaded_changed(void)
{
	stuck = false;
	changed();
}

/* Take the module that leaves for gone; the linker still has it. */
static void
leave(struct table *t, uint32_t but)
{
	struct module *m;

	for (m = t->modules; m < t->modules + t->n; m++)
		if (leaves - m->start < m->size)
			m->round = t->round - 1;
	record_changes(t, but);
}

/*
 * Look, in a destructor, of a library that is unloaded or of a process that
 * exits.  The linker's lock may be as stuck as before.  Another library may be
 * loaded in the place of this one without our knowing, so this one is gone now,
 * unless the process exits.
 */
void
ut_loaded_leaves(const void *addr)
{
	changed();
	leaves = (uintptr_t)addr;
	if (events_wanted() && !atomic_load_explicit(&exits,
	    memory_order_relaxed))
		look_again(leave);
}

/*
 * The child will know no more than is found now, what it loads, and what
 * wrappers name.  A fork should not wait for the linker's lock, as another
 * thread may have that and wait for one of the program's that we have: there is
 * no look if we know of nothing new, where the wrappers need none.
 *
 * Where no utd could want to know, the child looks itself, unless the program
 * has other threads, one of which may have the linker's lock.
 */
void
ut_loaded_before_fork(bool known, bool others)
{
	const bool now = known || events_wanted();

	doubtful = now || others;
	if (now && UT_HAS_LOADED && (dated || !ut_loaded_finds()))
		look_again(modules_look);
}

/* A lock that was stuck in the parent is in its child. */
void
ut_loaded_forked(void)
{
	stuck = stuck || (doubtful && ut_loaded_stuck());
	ut_found_done();
}

/* Is ut:module enabled in the region i? */
bool
ut_loaded_wanted(unsigned int i)
{
	return module_event.id[i] != 0;
}

/* exit(3) calls this before all destructors. */
static void
note_exit(void)
{
	atomic_store_explicit(&exits, true, memory_order_relaxed);
}

/* Before all other events, so that ut:module has the number UT_LOADED_EVENT. */
void
ut_loaded_init(void)
{
	static bool done;

	if (done || !UT_HAS_LOADED)
		return;
	done = true;
	(void)atexit(note_exit);
	(void)ut_event_add(&module_event);
	(void)ut_event_add(&unload_event);
}

/* Look for the module of an address; the thread has ut_lock. */
static void
look_for_code(void)
{
	struct thread *self = ut_mute();

	look_again(modules_look);
	ut_unmute(self);
}

/* Record what ut_code has found, in a thread that has the lock. */
static void
take_found(void)
{
	struct thread *self = ut_mute(), *had;
	struct table *t = table_get();
	const struct ut_loaded *l = ut_found();

	if (l != NULL) {
		if (t != NULL && events_wanted() && ut_guest_begin(&had)) {
			see_found(t, l);
			record_changes(t, 0);
			ut_guest_end(had);
		}
		ut_found_done();
	}
	ut_unmute(self);
}

/*
 * If there is one that nobody has taken yet, that comes first.  If there is
 * again, the next event in our module is in time to tell of it.
 */
static void __attribute__((noinline, cold))
code_unknown(const void *addr)
{
	const int error = errno, there = ut_loaded_there(addr);

	if (there == -1)
		ut_do_locked(look_for_code);
	else if (there == 1) {
		if (!ut_found_put(addr)) {
			ut_do_locked(take_found);
			(void)ut_found_put(addr);
		}
		ut_do_locked(take_found);
	}
	errno = error;
}

UT_EXPORT void
ut_code(const void *addr)
{
	if (UT_UNLIKELY(events_wanted()) &&
	    UT_UNLIKELY(!ut_spans_have((uintptr_t)addr)))
		code_unknown(addr);
}

/*
 * Without a look, where that can be.  Another thread may have the linker's lock
 * and fork, which waits for ut_lock.  And the lock may be stuck, though a
 * dlclose(3) has returned: in glibc, one that unmaps nothing does not take it.
 * So with glibc before 2.35, which needs a look, the child of a fork may hang.
 */
UT_EXPORT void
ut_code_gone(void)
{
	const int error = errno;
	struct thread *self;
	sigset_t signals;

	ut_enter(&signals);
	self = ut_mute();
	if (!ut_loaded_finds())
		ut_loaded_changed();
	else {
		if (table != NULL)
			look_again(look_for_gone);
		ut_unwind_gone();
	}
	ut_unmute(self);
	ut_leave(&signals);
	errno = error;
}
