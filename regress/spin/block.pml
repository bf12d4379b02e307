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
 * Writers that wait for space, and a consumer that frees it, for spin: what is
 * here is libut/wait.c, libut/common/bell.c and the claim of libut/subbuf.c,
 * and region_wake of utd/consumer/region_state.c.  A writer claims a sub-buffer
 * and delivers it, some times; the consumer frees those that are full.
 * t/spin.sh runs it.
 *
 * Memory.  A store of `waiting' by a writer, and what the consumer stores when
 * it frees, lands some time later, but what is free lands before `freed', which
 * is a release.  Fences wait until all have landed; exchanges, and what the
 * kernel does, are done at once.
 *
 * No sleep here ends by itself, as it does in wait.c: there it ends so soon
 * because a writer that was woken may be dead, and for what nobody wakes for.
 *
 * Asserted:  nobody sleeps for ever.  When nothing more can happen, all writers
 * have delivered all that they were to, or spin calls it an invalid end state.
 *
 * More to happen:  DEATH: the consumer dies, anywhere, and another takes over.
 *
 * Broken on purpose:  NO_FENCE_W, NO_FENCE_C: the writer's and the consumer's.
 * SAY_LATE: the writer says that it waits after its last look.  SAY_ONCE, with
 * three writers: it does so before the first look only.  NO_COMPARE: it sleeps
 * whatever waiting is by then.  CLEAR_LATE: the consumer clears waiting after
 * it has woken them, not before.  LATE_FREED: the claim loads freed after its
 * scan.  FREED_FIRST: the consumer raises freed before the sub-buffer is free.
 * With DEATH: NO_WAKE: the next consumer wakes nobody.  NO_RAISE: it wakes
 * them, but leaves freed as it is.
 */

#ifndef NS
#define NS	1		/* sub-buffers */
#endif
#ifndef NW
#define NW	2		/* writers, of one program */
#endif
#ifndef EVENTS
#define EVENTS	2		/* sub-buffers that each fills */
#endif

#define FREE	0
#define OWNED	1
#define FULL	2
#define READING	3

/* The region. */
byte sub[NS];
byte freed;
bool waiting;

/* On their way there: of the consumer, and of each writer. */
bool frees[NS];
byte raises;
bool says[NW];

/* The program's note: freed + 1 when a scan found nothing. */
byte taken;

/* The kernel's. */
bool asleep[NW];

bool dead;			/* the consumer is */

#if NS == 1
#define FREES	frees[0]
#define ANY_FULL (sub[0] == FULL || sub[0] == READING)
#else
#define FREES	(frees[0] || frees[1])
#define ANY_FULL (sub[0] == FULL || sub[0] == READING || \
	sub[1] == FULL || sub[1] == READING)
#endif

inline wake(n)
{
	d_step {
		do
		:: w < NW && asleep[w] && n > 0 ->
			asleep[w] = false;
			n--;
			w++
		:: w < NW && !(asleep[w] && n > 0) -> w++
		:: w == NW -> break
		od;
		w = 0;
		n = 0
	}
}

/* What was stored lands. */
active proctype memory()
{
end:	do
	:: atomic { frees[0] -> frees[0] = false; sub[0] = FREE }
#if NS > 1
	:: atomic { frees[1] -> frees[1] = false; sub[1] = FREE }
#endif
#ifdef FREED_FIRST
	:: atomic { raises > 0 -> raises--; freed++ }
#else
	:: atomic { raises > 0 && !FREES -> raises--; freed++ }
#endif
	:: atomic { says[0] -> says[0] = false; waiting = true }
	:: atomic { says[1] -> says[1] = false; waiting = true }
#if NW > 2
	:: atomic { says[2] -> says[2] = false; waiting = true }
#endif
	od
}

/* The last thing that a dead consumer does is nothing. */
#ifdef DEATH
#define STEP	dead -> goto dies :: else ->
#else
#define STEP	true ->
#endif

active proctype consumer()
{
	byte i, n, w;
	bool was;

	if
	:: true -> goto idle
	:: false -> skip
	fi;
	/* The next one.  What the last one has stored has landed. */
dies:	(!FREES && raises == 0);
	dead = false;
	n = NW;
#ifndef NO_RAISE
	freed++;
#endif
#ifndef NO_WAKE
	waiting = false;
	wake(n);
#endif

idle:	i = 0;
	n = 0;
	was = false;
end:	(ANY_FULL);
	do
	:: i < NS ->
		if
		:: sub[i] == FULL || sub[i] == READING ->
			sub[i] = READING;
			if
			:: STEP skip
			fi;
#ifdef FREED_FIRST
			raises++;
			frees[i] = true;
#else
			frees[i] = true;
			/* One is READING for others until that lands. */
			if
			:: STEP raises++
			fi;
#endif
			n++
		:: else -> skip
		fi;
		(!frees[i]);	/* as what it finds there later is another's */
		i++
	:: else -> break
	od;
#ifndef NO_FENCE_C
	(!FREES && raises == 0);
#endif
	if
	:: STEP skip
	fi;
	if
	:: !waiting -> goto idle
	:: else -> skip
	fi;
#ifdef CLEAR_LATE
	wake(n);
	waiting = false;
#else
	atomic { was = waiting; waiting = false };
	if
	:: STEP skip
	fi;
	if
	:: !was -> goto idle
	:: else -> wake(n)
	fi;
#endif
	goto idle
}

#ifdef DEATH
active proctype reaper()
{
	if
	:: dead = true
	:: true -> skip
	fi
}
#endif

#ifdef LATE_FREED
#define NOTED	(freed + 1)
#else
#define NOTED	(f + 1)
#endif

byte born;

active [NW] proctype writer()
{
	byte n, f, i, me;
#ifdef SAY_ONCE
	bool again;
#endif

	atomic { me = born; born++ };

	do
	:: n == EVENTS -> break
	:: else ->
#ifndef SAY_LATE
#ifdef SAY_ONCE
		if
		:: again -> skip
		:: else -> says[me] = true
		fi;
#else
		says[me] = true;
#endif
#ifndef NO_FENCE_W
		(!says[me]);
#endif
#endif
#ifndef LATE_FREED
		f = freed;
#endif
		i = 0;
		if
		:: taken == NOTED -> i = NS
		:: else -> skip
		fi;
		do
		:: i >= NS -> break
		:: else ->
			if
			:: atomic { sub[i] == FREE -> sub[i] = OWNED };
				sub[i] = FULL;
				n++;
				goto next
			:: atomic { sub[i] != FREE -> i++ }
			fi
		od;
#ifdef LATE_FREED
		f = freed;
#endif
		taken = f + 1;
#ifdef SAY_LATE
		says[me] = true;
		(!says[me]);
#endif
#ifdef NO_COMPARE
		asleep[me] = true;
#else
		if
		:: atomic { waiting -> asleep[me] = true }
		:: atomic { !waiting -> skip }
		fi;
#endif
		(!asleep[me]);
#ifdef SAY_ONCE
		again = true;
#endif
		goto over;
next:
#ifdef SAY_ONCE
		again = false;
#endif
over:		f = 0;
		i = 0
	od
}
