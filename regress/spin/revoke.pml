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
 * The life of a sub-buffer, for spin: one consumer, that drains, revokes,
 * takes back and buries, and two programs of one thread each, which compete
 * for NS sub-buffers and for two slots.  What is here is libut/record.c,
 * libut/subbuf.c, libut/shared.c and, in utd/consumer, drain.c, region_state.c
 * and revoke.c, less the bytes.  t/spin.sh runs it; ut_abi(5) says why it is
 * right.
 *
 * Each event goes, as it pleases, into a sub-buffer of the writer's own or into
 * one that is shared: how libut chooses between them is of no consequence here.
 *
 * Memory.  A writer's stores go into a store buffer and land in memory some
 * time later; its loads and exchanges see memory at once, so every store may
 * be late for every load that follows.  Stores land in order, and an exchange
 * waits until they have: that is x86.  With WEAK, a release store waits for
 * all before it, another only for those to the same word, and an exchange for
 * none: C promises no less.  The consumer's own are in order: it releases
 * what others wait for.
 *
 * Time.  One thing is taken for granted: a store that was made before the
 * grace time began has landed when that is over.  It is marked OLD then.  Else
 * anything may take any time: a thread that is stopped for a while is one
 * that does not have its turn, and that is tried at every step.
 *
 * Asserted:
 *
 * - A store to a sub-buffer lands while that is its writer's, by state, slot
 *   and generation, and not below what is committed.
 * - What the consumer reads was written by whom the label names, if the
 *   sub-buffer is not shared, and it has not read it before.
 * - In the end every event whose call returned was read, if it was not counted
 *   as lost.
 * - In the end every sub-buffer is free but those of a slot that is busy, whose
 *   thread was stopped for ever in the midst of an event.
 *
 * More to happen:  STOP: all stops for ever, anywhere.  DEATH: programs die,
 * anywhere, and the consumer is told.  JUMP: events are left by siglongjmp.
 *
 * Broken on purpose:  NO_BUSY, NO_COMMIT_CHECK: taken back without a look at
 * that.  NO_GRACE: at once.  EARLY_GRACE: the time begins before the mark is
 * made.  LATE_BUSY: the writer looks at the state first.  RELAXED_BUSY, with
 * WEAK: busy = 0 is no release store.  RELAXED_PARK, RELAXED_OWNER, with WEAK
 * and SHARED: nor is PARKED, nor owner = 0.  KEEP: nothing is taken back.
 *
 * SHARED: events may go into shared sub-buffers.
 */

#ifndef NS
#define NS	1		/* sub-buffers: 1 or 2 */
#endif
#ifndef EVENTS
#define EVENTS	2		/* of one writer */
#endif
#ifndef OTHERS
#define OTHERS	1		/* of the other, no more than that */
#endif
#ifndef CAP
#define CAP	2		/* events in a sub-buffer: 1 to 3 */
#endif

#define NW	2		/* writers, and slots */
#define DEPTH	4		/* of a store buffer: see LANDS, ANY_OLD */
#define NONE	255

/*
 * The state word: 2 bits of state, REVOKED, one of slot, SHARED, 3 of
 * generation.  READING is not needed, as the consumer does at once what it does
 * behind it.
 */
#define FREE	0
#define OWNED	1
#define FULL	2
#define PARKED	3
#define REVOKED	4
#define COMMON	16			/* UT_SHARED */
#define STATE(w)	((w) & 3)
#define SLOT(w)		(((w) >> 3) & 1)
#define GEN(w)		((w) >> 5)
#define WORD(gen, slot, st)	(((gen) & 7) << 5 | (slot) << 3 | (st))

/*
 * A store on its way: is it old, a release store, to what, of which sub-buffer
 * or slot, the event's place there, the word of the claim, a value.
 */
#define OLD		1
#define RELEASE		2
#define BUSY		(0 << 2)	/* of a slot */
#define OWNER		(1 << 2)	/* of a slot: 0 */
#define TURN		(2 << 2)	/* of a sub-buffer: another state */
#define COMMIT		(3 << 2)	/* of a sub-buffer */
#define LABEL		(4 << 2)	/* of a sub-buffer */
#define DATA		(5 << 2)	/* of a sub-buffer: an event */
#define STORE(what, i, place, mine, v) \
	((v) << 16 | (mine) << 8 | (place) << 6 | (i) << 5 | (what))
#define WHAT(x)		((x) & (7 << 2))
#define WHERE(x)	(((x) >> 5) & 1)
#define PLACE(x)	(((x) >> 6) & 3)
#define MINE(x)		(((x) >> 8) & 255)
#define VALUE(x)	((x) >> 16)
#define ADDRESS(x)	((x) & (63 << 2))

/* The region. */
byte owner[NW], busy[NW];
byte state[NS], commit[NS], label[NS];
byte data[NS * CAP];			/* 0, or an event */

/* The store buffers, the oldest first. */
int store[NW * DEPTH];
byte nstores[NW];

/* What the consumer alone knows. */
byte consumed[NS];

/* What nobody knows. */
short returned, got;			/* events, a bit each */
bool over[NW], dies[NW], stopped;

#define EVENT(w, n)	((w) * EVENTS + (n))	/* n from 1 */
#define WRITER(e)	(((e) - 1) / EVENTS)

#define AT(w, i)	store[(w) * DEPTH + (i)]
#ifdef WEAK
#define FLUSHED(w)	true
#define WAITS(x, before) \
	(((x) & RELEASE) || ADDRESS(x) == ADDRESS(before))
#define PASSES(w, i, j) \
	((i) <= (j) || !WAITS(AT(w, i), AT(w, j)))
#define LANDS(w, i) \
	(nstores[w] > (i) && PASSES(w, i, 0) && PASSES(w, i, 1) && \
	PASSES(w, i, 2))
#else
#define FLUSHED(w)	(nstores[w] == 0)
#endif

/*
 * A store lands.
 */
#define STILL_ITS(x)	((state[WHERE(x)] & ~REVOKED) == MINE(x))

inline land(i)
{
	d_step {
		x = AT(w, i);
		k = i;
		do
		:: k + 1 < nstores[w] ->
			AT(w, k) = AT(w, k + 1);
			k++
		:: else -> break
		od;
		nstores[w]--;
		AT(w, nstores[w]) = 0;
		if
		:: WHAT(x) == BUSY -> busy[WHERE(x)] = VALUE(x)
		:: WHAT(x) == OWNER -> owner[WHERE(x)] = 0
		:: WHAT(x) == TURN ->
			assert(STILL_ITS(x));
			state[WHERE(x)] = VALUE(x)
		:: WHAT(x) == COMMIT ->
			assert(STILL_ITS(x));
			assert(commit[WHERE(x)] + 1 == VALUE(x));
			commit[WHERE(x)] = VALUE(x)
		:: WHAT(x) == LABEL ->
			assert(STILL_ITS(x));
			label[WHERE(x)] = VALUE(x)
		:: WHAT(x) == DATA ->
			assert(STILL_ITS(x));
			assert(PLACE(x) >= commit[WHERE(x)]);
			data[WHERE(x) * CAP + PLACE(x)] = VALUE(x)
		fi;
		x = 0;
		k = 0
	}
}

proctype memory(byte w)
{
	int x;
	byte k;

end:	do
#ifdef WEAK
	:: atomic { LANDS(w, 0) -> land(0) }
	:: atomic { LANDS(w, 1) -> land(1) }
	:: atomic { LANDS(w, 2) -> land(2) }
	:: atomic { LANDS(w, 3) -> land(3) }
#else
	:: atomic { nstores[w] > 0 -> land(0) }
#endif
	od
}

/*
 * A thread.  One step is one access to the region.
 */
inline put(x)
{
	atomic {
		nstores[w] < DEPTH ->
		AT(w, nstores[w]) = x;
		nstores[w]++
	}
}

#define STILL_MINE	(sub != NONE && state[sub] == mine)
#define CLAIM(i)	mine = WORD(GEN(state[i]) + 1, slot, OWNED); \
			state[i] = mine; sub = i; n = 0

inline claim()
{
	atomic {
		FLUSHED(w);
		if
		:: STATE(state[0]) == FREE -> CLAIM(0)
#if NS > 1
		:: STATE(state[1]) == FREE -> CLAIM(1)
#endif
		:: else -> sub = NONE; mine = 0; n = 0
		fi;
		assert(sub == NONE || commit[sub] == 0)
	}
}

inline deliver()
{
	if
	:: n == 0 ->
		put(STORE(TURN | RELEASE, sub, 0, mine,
		    WORD(GEN(mine), 0, FREE)))
	:: else ->
		put(STORE(TURN | RELEASE, sub, 0, mine,
		    WORD(GEN(mine), slot, FULL)))
	fi
}

#define SET_BUSY	put(STORE(BUSY, slot, 0, 0, 1))
#ifdef RELAXED_BUSY
#define CLEAR_BUSY	put(STORE(BUSY, slot, 0, 0, 0))
#else
#define CLEAR_BUSY	put(STORE(BUSY | RELEASE, slot, 0, 0, 0))
#endif

/* Any number of threads share the slots. */
inline bind()
{
	if
	:: bound
	:: else ->
		atomic {
			FLUSHED(w);
			if
			:: owner[0] == 0 -> slot = 0
			:: owner[0] != 0 && owner[1] == 0 -> slot = 1
			fi;
			owner[slot] = w + 1;
			bound = true
		}
	fi
}

#ifdef RELAXED_OWNER
#define CLEAR_OWNER	put(STORE(OWNER, slot, 0, 0, 0))
#else
#define CLEAR_OWNER	put(STORE(OWNER | RELEASE, slot, 0, 0, 0))
#endif
#ifdef RELAXED_PARK
#define PARK		put(STORE(TURN, sub, 0, mine, \
			WORD(GEN(mine), 0, PARKED | COMMON)))
#else
#define PARK		put(STORE(TURN | RELEASE, sub, 0, mine, \
			WORD(GEN(mine), 0, PARKED | COMMON)))
#endif

/* What the writer holds, of whatever kind, is no more its. */
inline let_go()
{
	if
	:: STILL_MINE && (mine & COMMON) -> PARK
	:: STILL_MINE && !(mine & COMMON) -> deliver()
	:: else
	fi;
	sub = NONE; mine = 0; n = 0
}

#define SHAREABLE(i)	(STATE(state[i]) == FREE || STATE(state[i]) == PARKED)
#define SHARE(i)	mine = WORD(GEN(state[i]) + 1, slot, OWNED | COMMON); \
			state[i] = mine; sub = i; n = commit[i]

inline claim_shared()
{
	atomic {
		FLUSHED(w);
		if
		:: SHAREABLE(0) -> SHARE(0)
#if NS > 1
		:: SHAREABLE(1) -> SHARE(1)
#endif
		:: else -> sub = NONE; mine = 0; n = 0
		fi;
		assert(sub == NONE || STATE(mine) == OWNED)
	}
}

/* One event in a sub-buffer of many. */
inline share()
{
	bind();
	SET_BUSY;
	let_go();
	claim_shared();
	if
	:: sub == NONE -> left = false		/* and counted as lost */
	:: sub != NONE && n == CAP ->		/* so is that */
		put(STORE(TURN | RELEASE, sub, 0, mine,
		    WORD(GEN(mine), 0, FULL | COMMON)));
		left = false
	:: sub != NONE && n < CAP ->
		put(STORE(DATA, sub, n, mine, EVENT(w, e)));
		put(STORE(COMMIT | RELEASE, sub, 0, mine, n + 1));
		PARK;
		returned = returned | 1 << EVENT(w, e);
		left = false
#ifdef JUMP
	:: sub != NONE -> left = true		/* left by siglongjmp */
#endif
	fi;
	if
	:: left
	:: else ->
		sub = NONE; mine = 0; n = 0;
		CLEAR_BUSY;
		CLEAR_OWNER;
		bound = false
	fi;
	left = false
}

inline record()
{
	bind();
#ifdef SHARED
	if
	:: sub != NONE && (mine & COMMON) -> SET_BUSY; let_go()
	:: else
	fi;
#endif
	/* Is there room?  That only the writer knows, and has no time. */
#ifdef LATE_BUSY
	ready = n < CAP && STILL_MINE;
	SET_BUSY;
#else
	if
	:: n < CAP -> SET_BUSY; ready = STILL_MINE
	:: else -> SET_BUSY
	fi;
#endif
	if
	:: ready
	:: else ->
		if
		:: STILL_MINE -> deliver()
		:: else
		fi;
		claim();
		if
		:: sub != NONE -> put(STORE(LABEL, sub, 0, mine, w + 1))
		:: else
		fi
	fi;
	ready = false;
	if
	:: sub == NONE -> CLEAR_BUSY		/* and counted as lost */
	:: sub != NONE ->
		put(STORE(DATA, sub, n, mine, EVENT(w, e)));
		n++;
		put(STORE(COMMIT | RELEASE, sub, 0, mine, n));
		CLEAR_BUSY;
		returned = returned | 1 << EVENT(w, e)
#ifdef JUMP
	:: sub != NONE -> skip			/* left by siglongjmp */
#endif
	fi
}

inline leave()
{
	if
	:: bound ->
		SET_BUSY;
		let_go();
		CLEAR_BUSY;
		CLEAR_OWNER
	:: else
	fi
}

proctype writer(byte w)
{
	byte slot, sub = NONE, mine, n, e;
	bool bound, ready, left;

	{
		do
		:: e < (w == 0 -> EVENTS : OTHERS) -> e++; record()
#ifdef SHARED
		:: e < (w == 0 -> EVENTS : OTHERS) -> e++; share()
#endif
		:: leave(); break
		:: break				/* idle for ever */
		od
	} unless {
		dies[w] || stopped
	}
	atomic {
		slot = 0; sub = 0; mine = 0; n = 0; e = 0; ready = false;
		bound = false; left = false;
		over[w] = true
	}
}

/*
 * The consumer.  What is one step here is many in utd, but nobody else stores
 * to a sub-buffer that is FULL, nor below commit: the assertions see to that.
 */
inline sub_free(s)
{
	consumed[s] = 0;
	commit[s] = 0;
	label[s] = 0;				/* so that what is old shows */
	k = 0;
	do
	:: k < CAP -> data[s * CAP + k] = 0; k++
	:: else -> break
	od;
	k = 0;
	state[s] = WORD(GEN(state[s]), 0, FREE)
}

inline read_events(s)
{
	do
	:: consumed[s] < commit[s] ->
		k = data[s * CAP + consumed[s]];
		assert(k != 0 && ((state[s] & COMMON) ||
		    label[s] == WRITER(k) + 1));
		assert((got & 1 << k) == 0);
		got = got | 1 << k;
		consumed[s]++
	:: else -> break
	od;
	k = 0
}

#define WORTH(s) \
	(STATE(state[s]) == FULL || \
	(STATE(state[s]) != FREE && consumed[s] < commit[s]))

inline drain(s)
{
	if
	:: WORTH(s) ->
		read_events(s);
		if
		:: STATE(state[s]) == FULL -> sub_free(s)
		:: else
		fi
	:: else
	fi
}

#ifdef NO_BUSY
#define IS_BUSY(word)	false
#else
#define IS_BUSY(word)	(busy[SLOT(word)] != 0)
#endif
#ifdef NO_COMMIT_CHECK
#define DRAINED(s)	true
#else
#define DRAINED(s)	(commit[s] == consumed[s])
#endif
#ifdef KEEP
#define IS_REVOKED(s)	false
#else
#define IS_REVOKED(s)	(STATE(state[s]) == OWNED && \
			(state[s] & REVOKED))
#endif

/*
 * The loads of busy, of commit, and the exchange.  The word that the exchange
 * expects was loaded first; there is no other that is REVOKED of that claim.
 */
inline take_back(s)
{
	word = state[s];
	if
	:: IS_BUSY(word)
	:: else ->
		if
		:: DRAINED(s) ->
			d_step {
				if
				:: state[s] == word -> sub_free(s)
				:: else
				fi
			}
		:: else
		fi
	fi;
	word = 0
}

/* It is up to the consumer which it wants. */
inline mark(s)
{
	if
	:: d_step {
		STATE(state[s]) == OWNED && commit[s] != 0 &&
		    !(state[s] & (REVOKED | COMMON)) ->
		state[s] = state[s] | REVOKED;
		marked = true
	   }
	:: true
	fi
}

inline grace_begins()
{
	d_step {
		k = 0;
		do
		:: k < NW * DEPTH ->
			if
			:: k % DEPTH < nstores[k / DEPTH] ->
				store[k] = store[k] | OLD
			:: else
			fi;
			k++
		:: else -> break
		od;
		k = 0
	}
}

/* The oldest stores may be the last to land, with WEAK. */
#define ANY_OLD(w) \
	(((AT(w, 0) | AT(w, 1) | AT(w, 2) | AT(w, 3)) & OLD) != 0)

/* The word that the exchange expects is of before the look at commit. */
inline unpark(s)
{
	word = state[s];
	if
	:: STATE(word) == PARKED && DRAINED(s) ->
		d_step {
			if
			:: state[s] == word -> sub_free(s)
			:: else
			fi
		}
	:: else
	fi;
	word = 0
}

inline revoke_one(s)
{
	if
	:: IS_REVOKED(s) -> take_back(s)
	:: STATE(state[s]) == PARKED -> unpark(s)
	:: else -> mark(s)
	fi
}

/* Once a second.  That more than one passes is no matter. */
inline revoke()
{
#ifdef EARLY_GRACE
	grace_begins();
#endif
	revoke_one(0);
#if NS > 1
	revoke_one(1);
#endif
	if
	:: marked ->
		marked = false;
#ifndef EARLY_GRACE
		grace_begins()
#endif
	:: else
	fi
}

#ifdef NO_GRACE
#define GRACE_IS_OVER	true
#else
#define GRACE_IS_OVER	(!ANY_OLD(0) && !ANY_OLD(1))
#endif

inline bury(w)
{
	d_step {
		s = 0;
		do
		:: s < NS ->
			if
			:: STATE(state[s]) == OWNED &&
			    owner[SLOT(state[s])] == w + 1 ->
				read_events(s);
				sub_free(s)
			:: else
			fi;
			s++
		:: else -> break
		od;
		s = 0
	}
	d_step {
		do
		:: s < NW ->
			if
			:: owner[s] == w + 1 -> busy[s] = 0; owner[s] = 0
			:: else
			fi;
			s++
		:: else -> break
		od;
		s = 0
	}
}

/* Dead is who has no more stores on their way. */
inline death(w)
{
	dies[w] = true;
	over[w] && nstores[w] == 0;
	bury(w)
}

/*
 * Nothing moves any more: what is left is drained, marked and taken back.  Is
 * it all there?
 */
inline the_end()
{
	d_step {
		s = 0;
		do
		:: s < NS ->
			drain(s);
			if
			:: STATE(state[s]) == OWNED && commit[s] != 0 &&
			    !IS_BUSY(state[s]) -> state[s] = state[s] | REVOKED
			:: else
			fi;
			if
			:: IS_REVOKED(s) && !IS_BUSY(state[s]) ->
				sub_free(s)
			:: STATE(state[s]) == PARKED -> sub_free(s)
			:: else
			fi;
			assert(STATE(state[s]) == FREE ||
			    (STATE(state[s]) == OWNED &&
			    busy[SLOT(state[s])] != 0));
			s++
		:: else -> break
		od;
		assert((returned & ~got) == 0)
	}
}

#define ALL_OVER	(over[0] && over[1])

proctype consumer()
{
	byte s, k, word;
	bool marked;

	do
	:: d_step { WORTH(0) -> drain(0) }
#if NS > 1
	:: d_step { WORTH(1) -> drain(1) }
#endif
	:: GRACE_IS_OVER && !ALL_OVER -> revoke()
#ifdef DEATH
	:: !over[0] && !dies[1] -> death(0)
	:: !over[1] && !dies[0] -> death(1)
#endif
#ifdef STOP
	:: !ALL_OVER -> stopped = true; break
#endif
	:: ALL_OVER -> break
	od;
	ALL_OVER && nstores[0] == 0 && nstores[1] == 0;
	the_end()
}

init
{
	atomic {
		run memory(0);
		run memory(1);
		run writer(0);
		run writer(1);
		run consumer()
	}
}
