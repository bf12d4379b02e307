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
 * Walks: from frame to frame, by rules.
 *
 * A word is read only at or above the stack pointer, where memory can be read
 * (memory.c), and each step but that out of a signal goes up.  No stack takes
 * long, as each has a budget.
 */

#include <stdatomic.h>
#include <string.h>

#include "memory.h"
#include "rule.h"
#include "unwind.h"

#define INNER		16		/* frames that may be libut's */
#define STEPS		131072		/* a stack's budget */
#define PAGES		1024
#define MIX		UINT64_C(0x9e3779b97f4a7c15)

#define UNCHECKED	__attribute__((no_sanitize_address, no_sanitize_thread))

/* The hash is made on the way, where it hides behind the loads of the walk. */
static inline uint64_t
hash_add(uint64_t h, uintptr_t pc)
{
	return (h << 27 | h >> 37) * MIX + pc;
}

/* The stack's hash, with why it ends. */
static void
hash_end(struct unwound *s, uint64_t h)
{
	h = hash_add(h, s->end);
	h = (h ^ h >> 32) * MIX;
	h ^= h >> 29;
	s->hash = h != 0 ? h : 1;
}

/* All that is known of a stack: that a call returns there. */
static void
caller_only(uintptr_t from, struct unwound *s)
{
	s->n = from != 0;
	s->end = STACK_CUT;
	if (from != 0)
		s->frames[0] = from;
	hash_end(s, from != 0 ? hash_add(0, from) : 0);
}

#if UNWIND_CPU

#define UNKNOWN		((uintptr_t)1)	/* a frame pointer: not aligned */
#define NO_REG		REG_N

/* Where a walk is: at a place that was interrupted, or is returned to. */
struct place {
	uintptr_t	 pc, sp, fp;
	uintptr_t	 link;		/* where the return address may be */
	bool		 exact;		/* pc was interrupted */
	bool		 known;		/* all of regs is its */
};

struct walk {
	struct place	 at;
	struct piece	 piece;
	uintptr_t	*frames;
	uint32_t	 n, max, end;
	uint64_t	 hash;
	uint64_t	 gen;
	struct unwinder	*u;
	struct budget	 left;
	bool		 guessed;	/* a caller, by the frame pointer */

	/* A third register that rules need, if not NO_REG. */
	unsigned int	 track;
	bool		 lost;
	bool		 signal;	/* where it was known was met */
	uintptr_t	 tracked;
	unsigned int	 need;		/* one that is not tracked; or NO_REG */
	const void	*context;	/* the first place's, or NULL */
	uintptr_t	 regs[REG_N];
};

static bool
stop(struct walk *w, uint32_t end)
{
	w->end = end;
	return false;
}

/* The word at that address; false: it is not known to be of the stack. */
static bool UNCHECKED
word(struct walk *w, uintptr_t at, uintptr_t *v)
{
	if (at % WORD != 0 || at < w->at.sp || at < w->piece.lo ||
	    (at >= w->piece.hi && !ut_piece_grow(&w->piece, at, &w->left)))
		return false;
	*v = *(const uintptr_t *)at;
	return true;
}

/* Go to a place that was interrupted, with those registers. */
static void
interrupted(struct walk *w)
{
	w->at.pc = w->regs[REG_PLACE];
	w->at.sp = w->regs[REG_STACK];
	w->at.fp = w->regs[REG_FRAME];
	w->at.link = w->regs[REG_RETURN];
	w->at.exact = w->at.known = w->signal = true;
	if (w->track != NO_REG) {
		w->tracked = w->regs[w->track];
		w->lost = false;
	}
	ut_piece_find(&w->piece, w->u, w->at.sp, &w->left);
}

static void
called(struct walk *w, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	w->at.pc = UNSIGNED_PC(pc);
	w->at.sp = sp;
	w->at.fp = fp;
	w->at.exact = w->at.known = false;
}

static bool
base(struct walk *w, unsigned int reg, uintptr_t *v)
{
	if (reg == REG_STACK)
		*v = w->at.sp;
	else if (reg == REG_FRAME)
		*v = w->at.fp;
	else if (w->at.known)
		*v = w->regs[reg];
	else if (reg == w->track && !w->lost)
		*v = w->tracked;
	else {
		w->need = reg;
		return false;
	}
	return true;
}

/*
 * The frame pointer of the caller.  A slot below the stack pointer of a place
 * that was interrupted is of an epilogue, after which the register has it.
 */
static uintptr_t
frame_pointer(struct walk *w, uint64_t rule, uintptr_t cfa)
{
	uintptr_t at, v;

	switch (RULE_FRAME(rule)) {
	case FRAME_SAME:
		return w->at.fp;
	case FRAME_CFA:
		at = cfa + (uintptr_t)RULE_FRAMEAT(rule);
		break;
	case FRAME_OWN:
		at = w->at.fp + (uintptr_t)RULE_FRAMEAT(rule);
		break;
	default:
		return UNKNOWN;
	}
	if (at < w->at.sp && w->at.exact)
		return w->at.fp;
	return word(w, at, &v) ? v : UNKNOWN;
}

/* The third register of the caller; in an epilogue as frame_pointer(). */
static void
track(struct walk *w, uintptr_t place, uintptr_t cfa)
{
	struct saved s;
	uintptr_t at;

	if (w->track == NO_REG || w->lost)
		return;
	if (!ut_rule_other(place, w->track, &s, &w->left) ||
	    (s.how != SAVED_NOT && s.how != SAVED_CFA))
		w->lost = true;
	else if (s.how == SAVED_CFA) {
		at = cfa + (uintptr_t)s.off;
		if (!(at < w->at.sp && w->at.exact))
			w->lost = !word(w, at, &w->tracked);
	}
}

static bool
by_rule(struct walk *w, uint64_t rule, uintptr_t place)
{
	uintptr_t cfa, pc, fp;

	if (!base(w, RULE_BASE(rule), &cfa))
		return stop(w, STACK_CUT);
	cfa += (uintptr_t)RULE_ADD(rule);
	if (RULE_KIND(rule) == RULE_DEREF) {
		if (!word(w, cfa, &cfa))
			return stop(w, STACK_CUT);
		cfa += (uintptr_t)RULE_PCAT(rule);
	}
	if (cfa % WORD != 0 || cfa < w->at.sp ||
	    (cfa == w->at.sp && !w->at.exact))
		return stop(w, STACK_CUT);
#if defined(__aarch64__)
	if (RULE_INREG(rule)) {
		if (!w->at.exact)
			return stop(w, STACK_CUT);
		pc = w->at.link;
	} else if (!word(w, cfa + (uintptr_t)RULE_PCAT(rule), &pc))
		return stop(w, STACK_CUT);
#else
	if (!word(w, cfa - WORD, &pc))
		return stop(w, STACK_CUT);
#endif
	fp = frame_pointer(w, rule, cfa);
	track(w, place, cfa);
	called(w, pc, cfa, fp);
	return true;
}

/* Out of a handler, to what its signal has interrupted. */
static bool
by_signal(struct walk *w, uint64_t rule)
{
	const unsigned int kind = RULE_BASE(rule);
	uintptr_t at, size, v;

	at = ut_regs_where(w->at.sp, kind, &size);
	if (size == 0 || !word(w, at, &v) || !word(w, at + size - WORD, &v))
		return stop(w, STACK_CUT);
	ut_regs_signal(at, w->regs);
	interrupted(w);
	return true;
}

static bool
called_there(uintptr_t pc, const struct unwind_module *m)
{
	return pc - m->text >= CODE_BEFORE && ut_code_called(pc);
}

/* A call returns to this place: what is below is a stack. */
static void
keep(struct walk *w)
{
	struct unwind_module m;

	if (ut_modules_find(w->at.pc - 1, &m) && called_there(w->at.pc, &m))
		ut_piece_keep(&w->piece, w->at.sp);
}

static bool
by_pointer(struct walk *w)
{
	struct unwind_module m;
	uintptr_t fp, pc;

	if (!word(w, w->at.fp, &fp) || !word(w, w->at.fp + WORD, &pc))
		return stop(w, STACK_CUT);
	pc = UNSIGNED_PC(pc);
	/* A place in no module is looked at when its rule is. */
	if (ut_modules_find(pc - 1, &m) && !called_there(pc, &m))
		return stop(w, STACK_CUT);
	called(w, pc, w->at.fp + 2 * WORD, fp);
	w->guessed = true;
	return true;
}

/*
 * Where modules without rules end a stack.  musl has none; its code begins each
 * with the frame pointer 0, which programs that use rules do not change.
 */
static uint32_t
bare_end(const struct walk *w)
{
#if defined(__GLIBC__)
	(void)w;
	return STACK_CUT;
#else
	return w->at.fp == 0 ? STACK_DONE : STACK_CUT;
#endif
}

/* One frame; false: the stack ends there, for the reason in w->end. */
static bool
step(struct walk *w)
{
	const uintptr_t place = w->at.exact ? w->at.pc : w->at.pc - 1;
	uint64_t rule;

	if (w->at.pc == 0)
		return stop(w, w->guessed ? STACK_CUT : STACK_DONE);
	rule = ut_rule_get(w->at.pc, w->at.exact, w->gen, &w->left);
	if (RULE_KIND(rule) == RULE_NOCODE)
		return stop(w, STACK_CUT);
	if (w->n == w->max)
		return stop(w, STACK_DEPTH);
	w->frames[w->n++] = w->at.pc;
	w->hash = hash_add(w->hash, w->at.pc);
	switch (RULE_KIND(rule)) {
	case RULE_REG:
	case RULE_DEREF:
		return by_rule(w, rule, place);
	case RULE_SIGNAL:
		return by_signal(w, rule);
	case RULE_POINTER:
		return by_pointer(w);
	case RULE_END:
		return stop(w, STACK_DONE);
	case RULE_BARE:
		return stop(w, bare_end(w));
	default:
		return stop(w, STACK_CUT);
	}
}

/* The rule of an address that is returned to, or 0 if it is not remembered. */
static inline uint64_t
remembered(uintptr_t pc, uint64_t gen)
{
	const uint64_t key = rule_key(pc, false, gen);
	const struct entry *e = rule_set(pc);
	uint64_t x, rule;

	x = atomic_load_explicit(&e[0].x, memory_order_relaxed);
	rule = atomic_load_explicit(&e[0].rule, memory_order_relaxed);
	if (__builtin_expect((x ^ rule) == key, 1))
		return rule;
	x = atomic_load_explicit(&e[1].x, memory_order_relaxed);
	rule = atomic_load_explicit(&e[1].rule, memory_order_relaxed);
	return (x ^ rule) == key ? rule : 0;
}

/*
 * Frames that are returned to, as long as each has a rule of the usual kind and
 * memory is known: what step does, without calls.
 */
static void UNCHECKED
run(struct walk *w, uintptr_t until)
{
	const uint64_t gen = w->gen;
	const uintptr_t hi = w->piece.hi;
	const uint32_t max = w->max;
	uintptr_t *const frames = w->frames;
	uintptr_t pc = w->at.pc, sp = w->at.sp, fp = w->at.fp, cfa, at, frame;
	uint64_t rule, hash = w->hash;
	uint32_t n = w->n;

	while (n < max && pc != until) {
		rule = remembered(pc, gen);
		cfa = sp;
		if (!RULE_IS(rule, REG_STACK)) {
			cfa = fp;
			if (!RULE_IS(rule, REG_FRAME))
				break;
		}
		cfa += (uintptr_t)RULE_ADD(rule);
		at = cfa - WORD;
#if defined(__aarch64__)
		at = cfa + (uintptr_t)RULE_PCAT(rule);
#endif
		if (cfa % WORD != 0 || cfa <= sp || at < sp || at >= hi)
			break;
		frame = fp;
		if (RULE_FRAME(rule) != FRAME_SAME) {
			frame = cfa + (uintptr_t)RULE_FRAMEAT(rule);
			if (RULE_FRAME(rule) != FRAME_CFA || frame < sp ||
			    frame >= hi)
				break;
			frame = *(const uintptr_t *)frame;
		}
		frames[n++] = pc;
		hash = hash_add(hash, pc);
		pc = UNSIGNED_PC(*(const uintptr_t *)at);
		sp = cfa;
		fp = frame;
	}
	w->at.pc = pc;
	w->at.sp = sp;
	w->at.fp = fp;
	w->n = n;
	w->hash = hash;
}

/* True: there, at a frame that is returned to; false: the stack has ended. */
static bool
walk_to(struct walk *w, uintptr_t until)
{
	do {
		if (!w->at.exact && w->piece.stack < w->piece.hi)
			keep(w);
		if (!w->at.exact && w->track == NO_REG)
			run(w, until);
		if (!w->at.exact && w->at.pc == until && until != 0)
			return true;
	} while (step(w));
	return false;
}

static void
walk_init(struct walk *w, struct unwinder *u, const void *context)
{
	w->u = u;
	w->context = context;
	memset(&w->at, 0, sizeof(w->at));
	w->signal = w->guessed = false;
	w->track = w->need = NO_REG;
	w->lost = true;
	w->left.steps = STEPS;
	w->left.pages = PAGES;
	w->gen = ut_modules_gen();
}

/* Keep all from here on. */
static void
walk_kept(struct walk *w, struct unwound *s)
{
	w->frames = s->frames;
	w->max = s->max;
	w->n = 0;
	w->hash = 0;
	(void)walk_to(w, 0);
	s->n = w->n;
	s->end = w->end;
	hash_end(s, w->hash);
}

static void
walk_begin(struct walk *w)
{
	if (w->context != NULL) {
		ut_regs_context(w->context, w->regs);
		interrupted(w);
	} else
		ut_piece_find(&w->piece, w->u, w->at.sp, &w->left);
}

/*
 * Once more, with a third register, if that is why the stack was cut, and it
 * can be known from a place that was interrupted.
 */
static void
walk_out(struct walk *w, struct unwound *s)
{
	const struct place begin = w->at;

	walk_kept(w, s);
	if (w->end != STACK_CUT || w->need == NO_REG || !w->signal)
		return;
	w->track = w->need;
	w->at = begin;
	walk_begin(w);
	walk_kept(w, s);
}

void
ut_unwind_context(struct unwinder *u, const void *context, struct unwound *s)
{
	struct walk w;

	walk_init(&w, u, context);
	walk_begin(&w);
	walk_out(&w, s);
}

/* Our own caller: where it goes on, and what it has in its registers. */
#if defined(__aarch64__)
#define CALLER(w) do {							\
	struct place *at_ = &(w)->at;					\
									\
	__asm__ volatile("adr %0, .\n\tmov %1, sp\n\t"			\
	    "mov %2, x29\n\tmov %3, x30" : "=&r" (at_->pc),		\
	    "=&r" (at_->sp), "=&r" (at_->fp), "=&r" (at_->link));	\
	at_->exact = true;						\
} while (0)
#else
#define CALLER(w) do {							\
	const uintptr_t *frame_ = __builtin_frame_address(0);		\
									\
	(w)->at.fp = frame_[0];						\
	(w)->at.pc = frame_[1];						\
	(w)->at.sp = (uintptr_t)(frame_ + 2);				\
} while (0)
#endif

/*
 * Go out of libut.so.  Where libut is in the program itself, nothing tells its
 * code from the program's.
 */
static bool
walk_outside(struct walk *w)
{
	struct unwind_module own;

	if (!ut_modules_find((uintptr_t)walk_outside, &own))
		return false;
	while (!own.program && w->at.pc - own.text < own.etext - own.text)
		if (!step(w))
			return false;
	return true;
}

void __attribute__((noinline)) UNCHECKED
ut_unwind_here(struct unwinder *u, uintptr_t from, struct unwound *s)
{
	uintptr_t inner[INNER];
	struct walk w;

	walk_init(&w, u, NULL);
	CALLER(&w);
	walk_begin(&w);
	w.frames = inner;
	w.max = INNER;
	w.n = 0;
	w.hash = 0;
	s->n = 0;
	if (from != 0 ? walk_to(&w, from) : walk_outside(&w))
		walk_out(&w, s);
	if (s->n == 0)
		caller_only(from, s);
}

#else

void
ut_unwind_here(struct unwinder *u, uintptr_t from, struct unwound *s)
{
	(void)u;
	caller_only(from, s);
}

void
ut_unwind_context(struct unwinder *u, const void *context, struct unwound *s)
{
	(void)u;
	(void)context;
	caller_only(0, s);
}

#endif

static bool used;

bool
ut_unwind_used(void)
{
	return used;
}

void
ut_unwind_gone(void)
{
#if UNWIND_CPU
	ut_modules_old();
	if (ut_modules_gen() == 0)
		ut_rules_clear();
#endif
}

void
ut_unwind_forget(struct unwinder *u)
{
	memset(u, 0, sizeof(*u));
#if UNWIND_CPU
	if (ut_modules_gone())
		ut_unwind_gone();
#endif
}

void
ut_unwind_changed(void)
{
	used = true;
#if UNWIND_CPU
	ut_modules_read();
#endif
	ut_unwind_gone();
}
