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
 * The names of threads.
 *
 * A thread could ask for its own, but programs have filters (seccomp(2)) for
 * system calls that kill a thread which makes another one.  So we look, in
 * /proc, at each tick and when the region is flushed, and not only once, for a
 * thread that is active may have got another name.  The name goes into the
 * slot, from where the thread copies it into each sub-buffer that it claims,
 * and into the sub-buffer that it has.  A thread that has ended by then has no
 * name, but for the first one of its program, which has that of the program:
 * see piece.c.
 *
 * A slot may go to another thread meanwhile.  So we look who has it, store, and
 * look again; likewise for the claim of a sub-buffer.  In the worst case one
 * sub-buffer tells the name of the thread that had the slot before.
 */

#include <stdatomic.h>
#include <string.h>

#include "piece.h"

#define LOOK_MS		20	/* per pass; the rest in the next */
#define WORDS		(UT_THREAD_NAME / 8)

union name {
	char	 text[UT_THREAD_NAME];
	uint64_t words[WORDS];
};

static bool
is_same(const ut_a64 *at, const union name *name)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		if (load(&at[i]) != name->words[i])
			return false;
	return true;
}

static void
name_put(ut_a64 *at, const union name *name)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		store(&at[i], name->words[i]);
}

/* Is the name in the slot that of the thread that has it? */
static bool
has_name(const struct ut_slot *slot)
{
	return (uint32_t)load(&slot->named) == load(&slot->tid);
}

/* Find out who has the slot. */
static void
slot_name(struct ut_slot *slot)
{
	const uint64_t owner = load(&slot->owner), named = load(&slot->named);
	const uint32_t tid = load(&slot->tid);
	const struct program *p = program_find(owner);
	union name name;

	if (p == NULL || p->dead || tid == 0)
		return;
	ut_thread_name((pid_t)p->outside, (pid_t)p->pid, tid, name.text,
	    sizeof(name.text));
	if (has_name(slot) && (name.text[0] == '\0' ||
	    is_same(slot->name, &name)))
		return;
	store(&slot->named, 0);
	atomic_thread_fence(memory_order_release);
	name_put(slot->name, &name);
	atomic_store_explicit(&slot->named, ((named >> 32) + 1) << 32 | tid,
	    memory_order_release);
	atomic_thread_fence(memory_order_seq_cst);
	if (load(&slot->owner) != owner || load(&slot->tid) != tid)
		store(&slot->named, 0);
}

/* The sub-buffer, which had that word, gets the name of its thread. */
static void
sub_name(struct ut_subbuf *sub, const struct ut_slot *slot, uint64_t word)
{
	union name name;
	size_t i;

	if (load(&sub->thread[0]) != 0 || !has_name(slot) ||
	    load(&sub->owner) != load(&slot->owner) ||
	    load(&sub->tid) != load(&slot->tid))
		return;
	for (i = 0; i < WORDS; i++)
		name.words[i] = load(&slot->name[i]);
	name_put(sub->thread, &name);
	atomic_thread_fence(memory_order_seq_cst);
	if (UT_STATE_GEN(load(&sub->state)) == UT_STATE_GEN(word))
		return;
	memset(&name, 0, sizeof(name));
	name_put(sub->thread, &name);
}

/* Has the thread of the slot recorded something, and is it cheap to ask? */
static bool
may_have_changed(const struct region *r, uint32_t i, uint64_t owner)
{
	const struct program *p = program_find(owner);

	return p != NULL && p->outside == p->pid &&
	    load(&r->subs[i].commit) != r->consumed[i];
}

/* Name those who are new, and again those who are active. */
void
region_names(struct region *r, bool again)
{
	const int64_t until = ut_msg_now() + LOOK_MS;
	struct ut_slot *slot;
	uint64_t word;
	uint32_t i;

	if (!UT_OTHERS_NAME || (!again && load(&r->header->nameless) == 0))
		return;
	store(&r->header->nameless, 0);
	atomic_thread_fence(memory_order_seq_cst);
	for (i = 0; i < r->nsubs; i++) {
		word = load_acquire(&r->subs[i].state);
		if (UT_STATE(word) == UT_FREE || (word & UT_SHARED) != 0 ||
		    UT_STATE_SLOT(word) >= r->nslots)
			continue;
		slot = &r->slots[UT_STATE_SLOT(word)];
		if (!has_name(slot) || (again && UT_STATE(word) == UT_OWNED &&
		    may_have_changed(r, i, load(&slot->owner))))
			slot_name(slot);
		sub_name(&r->subs[i], slot, word);
		if (ut_msg_now() >= until) {
			store(&r->header->nameless, 1);
			return;
		}
	}
}

/* Name the thread that has the slot, or had it. */
void
names_packet(struct packet *pk, const struct region *r, uint32_t i)
{
	const struct program *p = i < r->nslots ?
	    program_find(load(&r->slots[i].owner)) : NULL;

	memset(pk, 0, sizeof(*pk));
	pk->name = "";
	if (p == NULL)
		return;
	pk->pid = p->pid;
	pk->tid = load(&r->slots[i].tid);
	pk->name = p->name;
}
