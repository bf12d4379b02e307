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
 * Overwrite mode, for spin: two writers, which compete for NS sub-buffers, and
 * of which each that finds none free drops the oldest full one; and a consumer
 * that drains and buries.  What is here is libut/subbuf.c and, in utd/consumer,
 * drain.c and region_state.c, as far as revoke.pml does not have it, less the
 * bytes.  t/spin.sh runs it.
 *
 * Memory is as in revoke.pml: a writer's stores go into a store buffer, and
 * land some time later.  With WEAK a release store
 * waits for those before, another only for those to the same word.  The
 * consumer's stores are in order, but the one of a pin is late, too, unless a
 * fence follows.
 *
 * Asserted:
 *
 * - A store to a sub-buffer lands while that is its writer's.
 * - What the consumer reads was written by whom the state names, is whole, and
 *   was neither read before nor counted as dropped; and the events of a writer
 *   are read in their order.
 * - A copy of a sub-buffer that counts has the events of one writer, whole, one
 *   behind the other.
 * - In the end every event whose call returned was read or counted as dropped,
 *   and the sub-buffers are free.
 *
 * More to happen:  DEATH: programs die, anywhere, and the consumer is told.
 * JUMP: the slow path is left by siglongjmp, anywhere.  SHARED: the other
 * writer shares what it writes into, and leaves it PARKED after each event.
 *
 * Broken on purpose:  NO_TAKEN: what is dropped is the writer's at once, and
 * emptied then.  NO_PIN: the consumer does not say what it reads.  LATE_PIN: it
 * does not wait until that can be seen.  NO_LOOK: a writer does not look.
 * NO_ROUND: copies do not count the rounds.  NO_FENCE, with WEAK: new bytes may
 * be seen before the round.  ALL_FULL: the consumer also takes what was
 * delivered after it had looked how many there are.  NO_AGAIN, with JUMP: it
 * does not look whose the sub-buffer is when it has seen the commit.  OLD_WORD,
 * with SHARED: it takes it for what it was before the pin.
 */

#ifndef NS
#define NS	2		/* sub-buffers */
#endif
#ifndef EVENTS
#define EVENTS	3		/* of one writer */
#endif
#ifndef OTHERS
#define OTHERS	1		/* of the other */
#endif
#ifndef CAP
#define CAP	1		/* events in a sub-buffer */
#endif

#define NW	2
#define DEPTH	5		/* of a store buffer: see LANDS */
#define NONE	255

/* The state word: 3 bits of state, one of slot, 4 of generation. */
#define FREE	0
#define OWNED	1
#define FULL	2
#define READING	3
#define TAKEN	4
#define PARKED	5
#define OWNED_SHARED	6
#define FULL_SHARED	7
#define WHOLE(st)	((st) == FULL || (st) == FULL_SHARED || (st) == PARKED)
#define OF_MANY(st)	((st) == OWNED_SHARED || (st) == FULL_SHARED || \
			    (st) == PARKED)
#define STATE(w)	((w) & 7)
#define SLOT(w)		(((w) >> 3) & 1)
#define GEN(w)		((w) >> 4)
#define WORD(gen, slot, st)	(((gen) & 15) << 4 | (slot) << 3 | (st))

/*
 * A store on its way: is it a release store, to what, of
 * which sub-buffer, the event's place there, the word of the claim, a value.
 */
#define RELEASE		2
#define TURN		(0 << 2)	/* another state */
#define COMMIT		(1 << 2)
#define LABEL		(2 << 2)	/* seq */
#define DATA		(3 << 2)	/* an event */
#define ORDER		(4 << 2)
#define ROUND		(5 << 2)
#define CONSUMED	(6 << 2)
#define STORE(what, i, place, mine, v) \
	((v) << 16 | (mine) << 8 | (place) << 6 | (i) << 5 | (what))
#define WHAT(x)		((x) & (7 << 2))
#define WHERE(x)	(((x) >> 5) & 1)
#define PLACE(x)	(((x) >> 6) & 3)
#define MINE(x)		(((x) >> 8) & 255)
#define VALUE(x)	((x) >> 16)
#define ADDRESS(x)	((x) & (63 << 2))

/* The region. */
byte state[NS], commit[NS], consumed[NS], pin[NS], order[NS], rounds[NS];
byte label[NS];
byte data[NS * CAP];			/* 0, or an event */
byte delivered;

int store[NW * DEPTH];
byte nstores[NW];

bool pinning;				/* a pin that has not landed */

/* What nobody knows. */
short returned, got, dropped;		/* events, a bit each */
byte newest[NW];			/* that was read */
bool over[NW], dies[NW], jumps[NW], jumped[NW];

#define EVENT(w, n)	((w) * EVENTS + (n))	/* n from 1 */
#define WRITER(e)	(((e) - 1) / EVENTS)

#define AT(w, i)	store[(w) * DEPTH + (i)]
#ifdef WEAK
#define WAITS(x, before) \
	(((x) & RELEASE) || ADDRESS(x) == ADDRESS(before))
#define PASSES(w, i, j) \
	((i) <= (j) || !WAITS(AT(w, i), AT(w, j)))
#define LANDS(w, i) \
	(nstores[w] > (i) && PASSES(w, i, 0) && PASSES(w, i, 1) && \
	PASSES(w, i, 2) && PASSES(w, i, 3))
#define FLUSHED(w)	true
#else
#define FLUSHED(w)	(nstores[w] == 0)
#endif

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
		assert(state[WHERE(x)] == MINE(x));
		if
		:: WHAT(x) == TURN -> state[WHERE(x)] = VALUE(x)
		:: WHAT(x) == COMMIT -> commit[WHERE(x)] = VALUE(x)
		:: WHAT(x) == LABEL -> label[WHERE(x)] = VALUE(x)
		:: WHAT(x) == ORDER -> order[WHERE(x)] = VALUE(x)
		:: WHAT(x) == ROUND -> rounds[WHERE(x)] = VALUE(x)
		:: WHAT(x) == CONSUMED -> consumed[WHERE(x)] = VALUE(x)
		:: WHAT(x) == DATA ->
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
	:: atomic { LANDS(w, 4) -> land(4) }
#else
	:: atomic { nstores[w] > 0 -> land(0) }
#endif
#ifdef JUMP
	:: atomic { !jumped[w] && !over[w] -> jumped[w] = true; jumps[w] = true }
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

/* Its own stores, too, are what it loads. */
inline still_mine()
{
	d_step {
		ready = sub != NONE && state[sub] == mine;
		k = 0;
		do
		:: k < nstores[w] && WHAT(AT(w, k)) == TURN &&
		    WHERE(AT(w, k)) == sub -> ready = false; break
		:: k < nstores[w] && (WHAT(AT(w, k)) != TURN ||
		    WHERE(AT(w, k)) != sub) -> k++
		:: k >= nstores[w] -> break
		od;
		k = 0
	}
}

inline forget()
{
	sub = NONE; mine = 0; n = 0; room = false
}

#ifdef SHARED
#define SHARES(w)	((w) == 1)
inline get(s)
{
	if
	:: SHARES(w) -> share(s)
	:: else -> claim(s)
	fi
}
#else
#define SHARES(w)	false
#define get(s)		claim(s)
#endif

/* The sub-buffer is TAKEN: nobody can make sense of what is there. */
inline clear()
{
	put(STORE(ROUND, sub, 0, mine, rounds[sub] + 1));
	put(STORE(COMMIT, sub, 0, mine, 0));
	put(STORE(CONSUMED, sub, 0, mine, 0));
	put(STORE(TURN | RELEASE, sub, 0, mine, WORD(GEN(mine), 0, FREE)));
}

/* What a writer had there is no more; of one that dies, the consumer counts. */
inline count(s)
{
	i = consumed[s];
	do
	:: i < commit[s] ->
		dropped = dropped | 1 << data[s * CAP + i];
		i++
	:: else -> break
	od;
	i = 0
}

/* Nobody's, with all that is in it, or full. */
inline park(st)
{
	put(STORE(ORDER, sub, 0, mine, delivered));
	put(STORE(TURN | RELEASE, sub, 0, mine, WORD(GEN(mine), 0, st)));
}

inline deliver()
{
	if
	:: STATE(mine) == TAKEN ->
		d_step { count(sub) };
		clear()
	:: STATE(mine) == OWNED_SHARED -> park(PARKED)
	:: STATE(mine) == OWNED && n == 0 ->
		put(STORE(TURN | RELEASE, sub, 0, mine,
		    WORD(GEN(mine), 0, FREE)))
	:: STATE(mine) == OWNED && n != 0 ->
		put(STORE(ORDER, sub, 0, mine, delivered));
		put(STORE(TURN | RELEASE, sub, 0, mine,
		    WORD(GEN(mine), w, FULL)));
		/* Release: all before it has landed. */
		atomic { nstores[w] == 0 -> delivered++ }
	fi
}

inline claim(s)
{
	atomic {
		FLUSHED(w);
		if
		:: STATE(state[s]) == FREE ->
			assert(commit[s] == 0);
			mine = WORD(GEN(state[s]) + 1, w, OWNED);
			state[s] = mine;
			sub = s;
			n = 0
		:: else
		fi
	}
}

/* One that is FREE or PARKED, for one event. */
inline share(s)
{
	atomic {
		FLUSHED(w);
		if
		:: STATE(state[s]) == FREE || STATE(state[s]) == PARKED ->
			mine = WORD(GEN(state[s]) + 1, w, OWNED_SHARED);
			state[s] = mine;
			sub = s;
			n = commit[s]
		:: else
		fi
	};
	if
	:: sub == NONE
	:: sub != NONE && n < CAP ->
		if
		:: n == 0 -> put(STORE(LABEL, sub, 0, mine, 0))
		:: else
		fi
	:: else ->
		park(FULL_SHARED);
		atomic { nstores[w] == 0 -> delivered++ };
		forget()
	fi
}

/*
 * FULL -> TAKEN, unless the consumer reads there: it began when the sub-buffer
 * was OWNED, and so before the word that we have seen.
 */
inline drop(s)
{
	old = state[s];
#ifdef NO_LOOK
	ready = WHOLE(STATE(old));
#else
	ready = WHOLE(STATE(old)) && pin[s] == 0;
#endif
	if
	:: ready ->
		atomic {
			FLUSHED(w);
			if
			:: state[s] == old ->
#ifdef NO_TAKEN
				mine = WORD(GEN(old) + 1, w, OWNED);
				count(s);
#else
				mine = WORD(GEN(old) + 1, w, TAKEN);
#endif
				state[s] = mine;
				sub = s
			:: else
			fi
		};
		if
		:: sub == NONE
		:: else ->
#ifdef NO_TAKEN
			put(STORE(COMMIT, sub, 0, mine, 0));
			put(STORE(CONSUMED, sub, 0, mine, 0));
#else
			d_step { count(s) };
			clear();
			forget();
			get(s)
#endif
		fi
	:: else
	fi;
	ready = false;
	old = 0
}

inline next()
{
	still_mine();
	if
	:: ready -> deliver()
	:: else
	fi;
	ready = false;
	forget();
	if
	:: get(0)
	:: drop(0)
#if NS > 1
	:: get(1)
	:: drop(1)
#endif
	fi;
	if
	:: sub != NONE && SHARES(w) -> room = true
	:: sub != NONE && !SHARES(w) ->
		put(STORE(ORDER, sub, 0, mine, delivered));
		put(STORE(LABEL, sub, 0, mine, e));
		room = true
	:: else
	fi
}

inline record()
{
	still_mine();
	if
	:: ready && room && n < CAP
	:: else -> next()
	fi;
	ready = false;
	if
	:: sub == NONE			/* and counted as lost */
	:: else ->
		put(STORE(DATA, sub, n, mine, EVENT(w, e)));
		atomic {
			put(STORE(COMMIT | RELEASE, sub, 0, mine, n + 1));
			n++
		};
		returned = returned | 1 << EVENT(w, e);
		if
		:: SHARES(w) ->
			park(PARKED);
			forget()
		:: else
		fi
	fi
}

inline leave()
{
	still_mine();
	if
	:: ready -> deliver()
	:: else
	fi
}

proctype writer(byte w)
{
	byte sub = NONE, mine, n, e, k, i, old;
	bool ready, room;

	{
		do
		:: e < (w == 0 -> EVENTS : OTHERS) ->
			e++;
#ifdef JUMP
			{
				record()
			} unless {
				jumps[w]
			};
			atomic { jumps[w] = false; ready = false; old = 0 }
#else
			record()
#endif
		:: e == (w == 0 -> EVENTS : OTHERS) -> leave(); break
		:: break			/* idle for ever */
		od
	} unless {
		dies[w]
	}
	atomic {
		sub = 0; mine = 0; n = 0; e = 0; k = 0; i = 0; old = 0;
		ready = false; room = false;
		over[w] = true
	}
}

/*
 * The consumer.
 */
inline sub_free(s)
{
	consumed[s] = 0;
	commit[s] = 0;
	label[s] = 0;
	k = 0;
	do
	:: k < CAP -> data[s * CAP + k] = 0; k++
	:: else -> break
	od;
	k = 0;
	state[s] = WORD(GEN(state[s]), 0, FREE)
}

/* Not in one step: who knows what happens meanwhile. */
inline read_event(s)
{
	d_step {
		k = data[s * CAP + from];
		assert(k != 0 && WRITER(k) ==
		    (OF_MANY(STATE(word)) -> 1 : SLOT(word)));
		assert((got & 1 << k) == 0 && (dropped & 1 << k) == 0);
		got = got | 1 << k;
		assert(OF_MANY(STATE(word)) || newest[SLOT(word)] < k);
		newest[WRITER(k)] = k;
		k = 0
	};
	from++
}

inline read_events(s)
{
	word = seen[s];
	from = consumed[s];
	do
	:: from < upto[s] -> read_event(s)
	:: else -> break
	od;
	upto[s] = 0
}

inline unpin(s)
{
	d_step { pin[s] = 0; pinning = false }
}

#ifdef ALL_FULL
#define IN_TIME(s)	true
#else
#define IN_TIME(s)	(order[s] <= known)
#endif

/* One that is FULL is the consumer's now, unless a writer was faster. */
inline collect_full(s, how)
{
	d_step {
		if
		:: state[s] == word ->
			state[s] = WORD(GEN(word), SLOT(word), READING);
			how = FULL
		:: else
		fi;
		k = 0
	}
}

/*
 * One that is OWNED is pinned, and looked at once more; and again when it is
 * known what is committed, as a writer that leaves one empty frees it.
 */
#ifdef NO_AGAIN
#define STILL(s)	true
#else
#define STILL(s)	(OF_MANY(STATE(word)) || GEN(state[s]) == GEN(word))
#endif
#define IS_OWNED(st)	((st) == OWNED || (st) == OWNED_SHARED)

inline collect_owned(s, how)
{
#ifdef LATE_PIN
	pinning = true;
#else
#ifndef NO_PIN
	pin[s] = 1;
#endif
#endif
#ifdef OLD_WORD
	ready = IS_OWNED(STATE(state[s]));
#else
	word = state[s];
	ready = IS_OWNED(STATE(word));
#endif
	upto[s] = commit[s];
	if
	:: ready && upto[s] != consumed[s] && IN_TIME(s) && STILL(s) ->
		how = OWNED
	:: else -> unpin(s)
	fi;
	ready = false
}

inline collect(s, how)
{
	word = state[s];
	if
	:: WHOLE(STATE(word)) && IN_TIME(s) -> collect_full(s, how)
	:: IS_OWNED(STATE(word)) -> collect_owned(s, how)
	:: else
	fi;
	if
	:: how != FREE ->
		if
		:: how == FULL -> upto[s] = commit[s]
		:: else
		fi;
		seen[s] = word;
		turn[s] = label[s]
	:: else
	fi
}

inline drain_one(s, how)
{
	if
	:: how == FULL ->
		read_events(s);
		from = 0;
		d_step { sub_free(s) }
	:: how == OWNED ->
		if
		:: upto[s] > consumed[s] ->
			read_events(s);
			consumed[s] = from
		:: else
		fi;
		unpin(s)
	:: else
	fi;
	how = FREE
}

/* The sub-buffers of a slot in the order in which it claimed them. */
inline pass()
{
	known = delivered;
	collect(0, first);
#if NS > 1
	collect(1, second);
#endif
#if NS > 1
	if
	:: first != FREE && second != FREE && SLOT(seen[0]) == SLOT(seen[1]) &&
	    !OF_MANY(STATE(seen[0])) && turn[1] < turn[0] ->
		drain_one(1, second);
		drain_one(0, first)
	:: else ->
		drain_one(0, first);
		drain_one(1, second)
	fi;
#else
	drain_one(0, first);
#endif
	d_step {
		word = 0; from = 0; known = 0;
		seen[0] = 0; upto[0] = 0; turn[0] = 0;
#if NS > 1
		seen[1] = 0; upto[1] = 0; turn[1] = 0
#endif
	}
}

inline bury(w)
{
	d_step {
		i = 0;
		do
		:: i < NS ->
			word = state[i];
			if
			:: IS_OWNED(STATE(word)) && SLOT(word) == w ->
				from = consumed[i];
				do
				:: from < commit[i] ->
					k = data[i * CAP + from];
					assert(k != 0 && WRITER(k) == w);
					assert((got & 1 << k) == 0);
					got = got | 1 << k;
					from++
				:: else -> break
				od;
				sub_free(i)
			:: STATE(word) == TAKEN && SLOT(word) == w ->
				from = consumed[i];
				do
				:: from < commit[i] ->
					dropped = dropped | 1 <<
					    data[i * CAP + from];
					from++
				:: else -> break
				od;
				sub_free(i)
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0; word = 0; from = 0
	}
}

/* Dead is who has no more stores on their way. */
inline death(w)
{
	dies[w] = true;
	over[w] && nstores[w] == 0;
	pass();
	bury(w)
}

inline the_end()
{
	pass();
	d_step {
		i = 0;
		do
		:: i < NS ->
			assert(!WHOLE(STATE(state[i])) &&
			    STATE(state[i]) != READING);
			if
			:: STATE(state[i]) == TAKEN ->
				assert(jumped[SLOT(state[i])]);
				from = consumed[i];
				do
				:: from < commit[i] ->
					dropped = dropped | 1 <<
					    data[i * CAP + from];
					from++
				:: else -> break
				od
			:: else
			fi;
			i++
		:: else -> break
		od;
		assert((returned & ~(got | dropped)) == 0)
	}
}

#define ALL_OVER	(over[0] && over[1])

proctype consumer()
{
	byte k, i, word, from, known, seen[NS], upto[NS], turn[NS];
	byte first = FREE, second = FREE;
	bool ready;

	do
	:: !ALL_OVER -> pass()
#ifdef DEATH
	:: !over[0] && !dies[1] -> death(0)
	:: !over[1] && !dies[0] -> death(1)
#endif
	:: ALL_OVER -> break
	od;
	ALL_OVER && nstores[0] == 0 && nstores[1] == 0;
	the_end()
}

/* A late pin lands at last, or is taken back before. */
proctype late()
{
end:	do
	:: atomic { pinning -> pinning = false; pin[0] = 1 }
	od
}

/*
 * A copy of sub-buffer 0, for a snapshot.  It counts if none of what was copied
 * was dropped meanwhile.
 */
proctype copier()
{
	byte round, word, n, i, event[CAP], k;

	round = rounds[0];
	word = state[0];
	n = commit[0];
	do
	:: i < n -> event[i] = data[i]; i++
	:: else -> break
	od;
	i = 0;
	d_step {
		if
#ifndef NO_ROUND
		:: rounds[0] != round
#endif
		:: (STATE(word) != OWNED && STATE(word) != FULL)
		:: else ->
			do
			:: i < n ->
				k = event[i];
				assert(k != 0 && WRITER(k) == SLOT(word));
				assert(i == 0 || event[i - 1] < k);
				i++
			:: else -> break
			od
		fi;
		k = 0
	}
}

init
{
	atomic {
		run memory(0);
		run memory(1);
		run writer(0);
		run writer(1);
#ifdef LATE_PIN
		run late();
#endif
#ifdef COPY
		run copier();
#else
		run consumer()
#endif
	}
}
