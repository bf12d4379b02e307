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
 * Events while a channel is detached and its number is given to another
 * region, for spin: a thread, its signal handler, and libut's thread, which
 * listens.  What is here is libut/record.c, libut/region.c and libut/thread.c,
 * less the regions: revoke.pml has what happens in one.  t/spin.sh runs it.
 *
 * There is one channel.  Its regions have the numbers 1 to REGIONS, one after
 * the other; `on' is the number of the one that an event is to go to, as the
 * listener wants it, and the writer of a level remembers that of the one where
 * it has claimed a sub-buffer.  libut compares neither: a writer with room is
 * right because of the order of things, which is what is tried here.
 *
 * A handler comes between any two steps of the thread, or never, with an event
 * of its own, which it ends, or leaves by siglongjmp (JUMP): then the event
 * that it has interrupted is left, too.
 *
 * Memory.  The thread's stores of frame go into a store buffer and land some
 * time later, in order; the thread and its handler see them at once.  A load
 * after another, relaxed, may be done before that (RELAXED_ON).
 *
 * Asserted:
 *
 * - A region that is written to is mapped, and is the one of the channel that
 *   the event was to go to.
 * - No writer is used by an event and by another that has interrupted it.
 *
 * Broken on purpose:  NO_BARRIER: the listener does not make stores land.
 * NO_QUIET: it does not wait.  NO_ZERO: it leaves the writers their room.
 * LATE_FRAME: the thread looks at `on' first.  RELAXED_ON: no acquire order.
 * NO_LOOK: the handler does not look whether the level is taken.
 */

#ifndef REGIONS
#define REGIONS	3
#endif
#ifndef EVENTS
#define EVENTS	2		/* of the thread, and of its handler */
#endif

#define LEVELS	2
#define DEPTH	3		/* stores of a frame on their way */

byte on;			/* the region that listens, or 0 */
byte attached;			/* the region of the channel, or 0 */
bool mapped[REGIONS + 1];

/* Of a level: frame as the thread sees it, and as memory has it. */
bool mine[LEVELS], frame[LEVELS];
byte late[LEVELS];		/* its stores that have not landed */
bool used[LEVELS];		/* an event is under way there */
bool room[LEVELS];		/* the writer has some, */
byte where[LEVELS];		/* in that region */

bool handling, jumps, jumped;

/* The stores of a frame are 1 and 0 in turn, and the last is what mine says. */
#define LAND(l)	late[l]--; \
	frame[l] = (late[l] % 2 == 0 -> mine[l] : !mine[l])

proctype memory()
{
end:	do
	:: atomic { late[0] > 0 -> LAND(0) }
	:: atomic { late[1] > 0 -> LAND(1) }
#ifdef JUMP
	:: atomic { handling && !jumps -> jumps = true }
#endif
	od
}

inline store(l, v)
{
	atomic {
		late[l] < DEPTH;
		if
		:: mine[l] != v -> mine[l] = v; late[l]++
		:: else
		fi;
		used[l] = v
	}
}

/* An event that was left is over, and the next one of its thread knows. */
inline look(l)
{
	if
#ifdef NO_LOOK
	:: true -> l = 0
#else
	:: !mine[0] || !used[0] -> l = 0
	:: mine[0] && used[0] && (!mine[1] || !used[1]) -> l = 1
	:: mine[0] && used[0] && mine[1] && used[1] -> l = LEVELS
#endif
	fi
}

inline take(l)
{
	if
	:: mine[l] && !used[l] -> store(l, false)
	:: else
	fi;
	assert(!used[l]);
	store(l, true)
}

inline write(region)
{
	assert(region == listens);
	assert(mapped[region]);
	/* Here it writes. */
	assert(mapped[region])
}

inline event()
{
	look(l);
	if
	:: l == LEVELS			/* and counted as lost */
	:: else ->
#ifdef LATE_FRAME
		listens = on;
		take(l);
		ready = room[l];
#else
		take(l);
#ifdef RELAXED_ON
		ready = room[l];
		at = where[l];
		listens = on;
#else
		listens = on;
		ready = room[l];
		at = where[l];
#endif
#endif
		if
		:: listens == 0
		:: listens != 0 && ready -> write(at)
		:: listens != 0 && !ready ->
			at = attached;
			if
			:: at == 0
			:: else ->
				where[l] = at;
				room[l] = true;
				write(at)
			fi
		fi;
		store(l, false)
	fi;
	l = 0; listens = 0; at = 0; ready = false
}

proctype thread() provided (!handling)
{
	byte l, listens, at, n;
	bool ready;

	do
	:: n < EVENTS ->
		n++;
		jumped = false;
		{
			event()
		} unless {
			jumped
		}
		atomic { l = 0; listens = 0; at = 0; ready = false }
	:: break
	od
}

/* It comes at any time, and is over before the thread goes on. */
proctype handler()
{
	byte l, listens, at, n;
	bool ready;

	do
	:: n < EVENTS ->
		n++;
		handling = true;
		{
			event()
		} unless {
			jumps
		}
		atomic {
			if
			:: jumps ->
				used[0] = false;
				used[1] = false;
				jumped = true;
				jumps = false
			:: else
			fi;
			l = 0; listens = 0; at = 0; ready = false;
			handling = false
		}
	:: break
	od
}

inline quiet(i)
{
#ifndef NO_QUIET
	!frame[i]
#else
	skip
#endif
}

/* If an event was left, and there is no other, it waits for ever. */
proctype listener()
{
	byte region;

	do
	:: region < REGIONS ->
		region++;
		mapped[region] = true;
		attached = region;
		on = region;
		on = 0;
		attached = 0;
#ifndef NO_BARRIER
		d_step {
			frame[0] = mine[0];
			frame[1] = mine[1];
			late[0] = 0;
			late[1] = 0
		}
#endif
end0:		quiet(0);
end1:		quiet(1);
#ifndef NO_ZERO
		room[0] = false;
		room[1] = false;
#endif
		mapped[region] = false
	:: else -> break
	od
}

init
{
	atomic {
		run memory();
		run thread();
		run handler();
		run listener()
	}
}
