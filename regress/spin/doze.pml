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
 * A region that dozes, for spin: one consumer, that looks, dozes off, sleeps
 * and is woken, and two programs of one thread each.  What is here is
 * libut/record.c, libut/subbuf.c and libut/slot.c, and, in utd/consumer,
 * tick.c and sleep.c, less the sub-buffers: a thread has a number of
 * committed events.  t/spin.sh runs it; ut_abi(5), Dozing, says why it is
 * right.
 *
 * Memory.  As in revoke.pml: a thread's stores go into a store buffer and land
 * some time later, its loads see memory at once.  Stores land in order, and an
 * exchange waits until they have: that is x86.  With WEAK, a release store
 * waits for all before it, another only for those to the same word, and an
 * exchange for none, if it is no release.  A ring is a system call, in whose
 * order with the swap the kernel and the swap's release see to.  A load that is
 * made before a store that comes before it is here a store that lands late.
 *
 * Time.  One thing is taken for granted: a store that was made before the
 * grace time began has landed when that is over.  It is marked OLD then.  All
 * else may take any time.
 *
 * Asserted:  when all threads are idle, or were stopped somewhere for ever,
 * and the consumer sleeps with nobody to wake it, every event whose call
 * returned is in the file.  What an event is to wait for because of the
 * interval is the timer's matter: the consumer sets it if it goes to sleep with
 * events that are not written, and writes them when it is over.  (That tick.c
 * stays awake as long as there are new events is not needed for that, and not
 * here.)
 *
 * More to happen:  STOP: a thread stops for ever, anywhere.  DEATH: so does the
 * consumer, and another one takes over.  MUTE: the second program has no bell,
 * and comes at any time.
 *
 * Broken on purpose:  NO_LOOK: the consumer sleeps after the grace time without
 * another look.  NO_GRACE: it looks again at once.  EARLY_GRACE: the time
 * begins before 2 is stored.  NO_BUSY: it does not look at that.  LEFT_FIRST:
 * it looks for events that are not written before it looks at busy.
 * LATE_BUSY: the thread looks at `active' before it is busy.  SWAP_FIRST, with
 * STOP: the thread rings after the swap.  NO_RING: it does not at all.
 * RELAXED_BUSY, with WEAK: busy = 0 is no release store.  NO_TIMER: events that
 * are not written set none.  DOZE_ON, with DEATH: the next consumer takes 2 for
 * what it has stored itself. NO_MESSAGE, NO_NOTE, with MUTE: the program tells
 * nobody of it, or it is not noted in the region.
 */

#ifndef EVENTS
#define EVENTS	1		/* of the first thread; the other has one */
#endif

#define NW	2
#define DEPTH	6		/* of a store buffer: two events */

/* `active', which is a word of the language: here it is called word. */
#define ACTIVE	1
#define DOZING	2

/* What the consumer knows of the region. */
#define AWAKE	0
#define OFF	1
#define ASLEEP	2

/* A store on its way. */
#define OLD	1
#define RELEASE	2
#define BUSY	(0 << 2)
#define COMMIT	(1 << 2)
#define STORE(what, v)	((v) << 4 | (what))
#define WHAT(x)		((x) & (1 << 2))
#define VALUE(x)	((x) >> 4)

/* The region, and the bell. */
byte word = ACTIVE, busy[NW], commit[NW];
bool mute, bell;

/* The store buffers, the oldest first. */
byte store[NW * DEPTH];
byte nstores[NW];

/* In the file, as the region says. */
byte written[NW];

/* Messages, of utd: look again.  It is there when all before it has landed. */
bool told;

/* What nobody knows. */
byte returned[NW];
bool over[NW];

#define AT(w, i)	store[(w) * DEPTH + (i)]
#ifdef WEAK
#define FLUSHED(w)	true
#define WAITS(x, before) \
	(((x) & RELEASE) || WHAT(x) == WHAT(before))
#define PASSES(w, i, j) \
	((i) <= (j) || !WAITS(AT(w, i), AT(w, j)))
#define LANDS(w, i) \
	(nstores[w] > (i) && PASSES(w, i, 0) && PASSES(w, i, 1) && \
	PASSES(w, i, 2) && PASSES(w, i, 3) && PASSES(w, i, 4))
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
		if
		:: WHAT(x) == BUSY -> busy[w] = VALUE(x)
		:: WHAT(x) == COMMIT ->
			assert(commit[w] + 1 == VALUE(x));
			commit[w] = VALUE(x)
		fi;
		x = 0;
		k = 0
	}
}

proctype memory(byte w)
{
	byte x, k;

end:	do
#ifdef WEAK
	:: atomic { LANDS(w, 0) -> land(0) }
	:: atomic { LANDS(w, 1) -> land(1) }
	:: atomic { LANDS(w, 2) -> land(2) }
	:: atomic { LANDS(w, 3) -> land(3) }
	:: atomic { LANDS(w, 4) -> land(4) }
	:: atomic { LANDS(w, 5) -> land(5) }
#else
	:: atomic { nstores[w] > 0 -> land(0) }
#endif
	od
}

/*
 * A thread.  One step is one access to the region.
 */
inline put(v)
{
	atomic {
		nstores[w] < DEPTH ->
		AT(w, nstores[w]) = v;
		nstores[w]++
	}
}

#ifdef MUTE
#define HAS_BELL	(w == 0)
#else
#define HAS_BELL	true
#endif

inline ring()
{
#ifndef NO_RING
	if
	:: HAS_BELL -> bell = true
	:: else
	fi
#else
	skip
#endif
}

/* A release: what is here before it in the program has landed. */
inline swap()
{
	atomic {
		FLUSHED(w);
		if
		:: word == DOZING -> word = ACTIVE
		:: else
		fi
	}
}

inline wake()
{
#ifdef SWAP_FIRST
	swap();
	ring()
#else
	ring();
	swap()
#endif
}

#define SET_BUSY	put(STORE(BUSY, 1))
#ifdef RELAXED_BUSY
#define CLEAR_BUSY	put(STORE(BUSY, 0))
#else
#define CLEAR_BUSY	put(STORE(BUSY | RELEASE, 0))
#endif

inline record()
{
#ifdef LATE_BUSY
	saw = word;
	SET_BUSY;
#else
	SET_BUSY;
	saw = word;
#endif
	if
	:: saw == DOZING -> wake()
	:: else
	fi;
	saw = 0;
	n++;
	put(STORE(COMMIT | RELEASE, n));
	CLEAR_BUSY;
	returned[w] = n
}

/* As it is attached. */
inline attach()
{
	if
	:: HAS_BELL
	:: else ->
#ifndef NO_NOTE
		mute = true;
#endif
#ifndef NO_MESSAGE
		told = true
#else
		skip
#endif
	fi
}

proctype writer(byte w)
{
	byte n, saw;

	{
		attach();
		do
		:: n < (w == 0 -> EVENTS : 1) -> record()
		:: break			/* idle for ever */
		od
	} unless {
#ifdef STOP
		over[w]				/* set by stopper() */
#else
		false
#endif
	}
	atomic { n = 0; saw = 0; over[w] = true }
}

#ifdef STOP
proctype stopper()
{
	if
	:: over[0] = true
	:: over[1] = true
	:: skip
	fi
}
#endif

/*
 * The consumer.  Each load is a step.
 */
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
	(((AT(w, 0) | AT(w, 1) | AT(w, 2) | AT(w, 3) | AT(w, 4) | AT(w, 5)) & \
	OLD) != 0)
#ifdef NO_GRACE
#define GRACE_IS_OVER	true
#else
#define GRACE_IS_OVER	(!ANY_OLD(0) && !ANY_OLD(1))
#endif

inline awake()
{
	doze = AWAKE;
	d_step {
		if
		:: word == DOZING -> word = ACTIVE
		:: else
		fi
	}
}

inline look_busy()
{
#ifndef NO_BUSY
	quiet = quiet && busy[0] == 0;
	quiet = quiet && busy[1] == 0
#else
	skip
#endif
}

inline write()
{
	d_step { written[0] = commit[0]; written[1] = commit[1] }
}

#define ALL_WRITTEN	(written[0] == commit[0] && written[1] == commit[1])

/* Do what tick.c does in a tick.  The grace time is asked for first. */
inline tick()
{
	over_now = GRACE_IS_OVER;
	quiet = true;
#ifdef LEFT_FIRST
	left = !ALL_WRITTEN;
#endif
#ifdef NO_LOOK
	if
	:: doze == OFF
	:: else -> look_busy()
	fi;
#else
	look_busy();
#endif
	quiet = quiet && !mute;
	if
	:: !quiet || (doze == OFF && word == ACTIVE) -> awake()
	:: else ->
		if
		:: doze == AWAKE ->
#ifdef EARLY_GRACE
			grace_begins();
#endif
			d_step {
				if
				:: word == ACTIVE -> word = DOZING
				:: else
				fi
			};
			doze = OFF;
#ifndef EARLY_GRACE
			grace_begins()
#endif
		:: doze == OFF && over_now ->
			doze = ASLEEP;
#ifndef LEFT_FIRST
			left = !ALL_WRITTEN;
#endif
#ifndef NO_TIMER
			timer = left
#else
			skip
#endif
		:: else
		fi
	fi;
	over_now = false;
	quiet = false;
	left = false
}

#define ALL_IDLE	(over[0] && over[1] && nstores[0] == 0 && \
			nstores[1] == 0)
#define WAKES		(doze != ASLEEP || bell || told || timer)

proctype consumer()
{
	byte doze, k;
	bool quiet, timer, left, over_now;
#ifdef DEATH
	bool died;
#endif

	do
	:: atomic { bell -> bell = false }; awake()
	:: atomic { told -> told = false }; awake()
	:: doze != ASLEEP -> tick()
	:: doze != ASLEEP && !ALL_WRITTEN -> write()
	:: timer -> write(); timer = !ALL_WRITTEN
#ifdef DEATH
	:: !died ->
		d_step {
			died = true;
			timer = false;
			doze = AWAKE
		};
#ifdef DOZE_ON
		doze = (word == DOZING -> ASLEEP : AWAKE)
#else
		word = ACTIVE
#endif
#endif
	:: ALL_IDLE ->
		assert(WAKES || (written[0] >= returned[0] &&
		    written[1] >= returned[1]));
		break
	od
}

init
{
	atomic {
		run memory(0);
		run memory(1);
		run writer(0);
		run writer(1);
#ifdef STOP
		run stopper();
#endif
		run consumer()
	}
}
