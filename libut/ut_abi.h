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
 * The shared region: the pool of sub-buffers that the programs of one UID
 * write and one consumer drains.  ut_abi(5) is the long form of this page.
 *
 * A region is a POSIX shared memory object with four parts, each beginning
 * on an offset that the header names:
 *
 *	header		struct ut_header
 *	slots		nslots times struct ut_slot: who writes
 *	sub-buffers	nsubs times struct ut_subbuf: what state each is in
 *	data		nsubs times subsize bytes: the events
 *
 * Who writes what.  The geometry is written by the consumer before anyone
 * else sees the region, and never again.  A slot belongs to the thread that
 * swapped its own program's number into `owner'.  A sub-buffer belongs to
 * whom its state says:
 *
 *	           claim (writer, CAS)             deliver (writer, store)
 *	  FREE ------------------------> OWNED s ------------------------> FULL
 *	    ^                              |  |                              |
 *	    |   nothing committed (writer) |  | revoke, program died         |
 *	    +------------------------------+  | (consumer, CAS)              |
 *	    ^                                 v                              |
 *	    |  drained (consumer)          READING <-------------------------+
 *	    +---------------------------------+       drain (consumer, CAS)
 *
 * In overwrite mode, a writer that finds none FREE drops one that is FULL or
 * PARKED: it becomes TAKEN by exchange, is emptied, and becomes FREE by a
 * store.  TAKEN has the slot of who does so.
 *
 * REVOKED is a bit that the consumer may set by CAS in an OWNED word; a
 * writer that sees it lets go of the sub-buffer at once.  The generation
 * grows with every claim, so no word is ever seen twice.
 *
 * Events are committed, not written: `commit' is stored, with release
 * order, after the last byte of an event, and its low half is the number of
 * bytes that are whole.  Whoever loads it with acquire order may read up to
 * there, whatever the writer is doing, dead or alive.
 *
 * All numbers are in the byte order of the machine.  A region is of one ABI,
 * but its layout is the same for all.
 */

#ifndef UT_ABI_H
#define UT_ABI_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UT_ABI_MAGIC	0x75745231	/* "utR1" */
#define UT_ABI_VERSION	4
#define UT_ABI_LINE	128		/* no two writers on one such line */

#define UT_SUBSIZE_MIN	4096u
#define UT_SUBSIZE_MAX	(16u << 20)
#define UT_NSUBS_MIN	2u
#define UT_NSUBS_MAX	65536u
#define UT_NSLOTS_MAX	8192u
#define UT_REGION_MAX	(UINT64_C(1) << 32)

/* The state word: 3 bits of state, 2 flags, 24 of slot, 32 of generation. */
#define UT_FREE		UINT64_C(0)
#define UT_OWNED	UINT64_C(1)
#define UT_FULL		UINT64_C(2)
#define UT_READING	UINT64_C(3)
#define UT_PARKED	UINT64_C(4)	/* with events, and nobody's */
#define UT_TAKEN	UINT64_C(5)	/* a writer empties it */
#define UT_REVOKED	UINT64_C(8)
#define UT_SHARED	UINT64_C(16)	/* events say whose they are */
#define UT_STATE(w)	((w) & 7)
#define UT_STATE_SLOT(w)	((uint32_t)((w) >> 8) & 0xffffff)
#define UT_STATE_GEN(w)	((uint32_t)((w) >> 32))
#define UT_STATE_WORD(gen, slot, state) \
	((uint64_t)(gen) << 32 | (uint64_t)(slot) << 8 | (state))

/* The commit and consumed words: how many events, and their bytes. */
#define UT_COMMIT_LEN(w)	((uint32_t)(w))
#define UT_COMMIT_COUNT(w)	((uint32_t)((w) >> 32))
#define UT_COMMIT_WORD(count, len)	((uint64_t)(count) << 32 | (len))

/*
 * An event begins with its ID (16 bits) and the low 32 bits of its time.  That
 * is less than UT_TIME_GAP after the last of the event before it in the
 * sub-buffer, or after that of the claim, so the rest can be told.
 */
#define UT_EVENT_HEAD	6u
#define UT_TIME_GAP	(UINT64_C(1) << 31)
/* A time that goes back by less becomes that of the event before. */
#define UT_TIME_HAIR	(UINT64_C(1) << 20)
#define UT_ID_MAX	65535u
/* ut:stack, in a region of a channel with the context stack. */
#define UT_ID_STACK	1u

/* i386 aligns these to 4 in structures, or did once: say 8 for all. */
typedef _Atomic uint64_t ut_a64 __attribute__((aligned(8)));
typedef _Atomic uint32_t ut_a32;

/*
 * A consumer's record of the events that a slot, or the threads without one,
 * have lost.  Consumer, relaxed, for the next one.
 */
struct ut_told {
	/* Number of lost events that packets in the files tell of. */
	ut_a64 told;
	/* The next value of told. */
	ut_a64 telling;
	/* Lost events that no packet tells of were lost after this time. */
	ut_a64 until;
};

struct ut_slot {
	/* Number of the program; 0 is free.  CAS by who claims it. */
	_Alignas(UT_ABI_LINE) ut_a64 owner;
	/*
	 * 1 while the thread may be touching its sub-buffer.  Relaxed store
	 * before, release store after: who sees 0 sees the commit.
	 */
	ut_a32 busy;
	/* ID of the thread, as it sees itself.  Relaxed. */
	ut_a32 tid;
	/*
	 * Events lost for want of room, ever, whoever had the slot, while it
	 * had no sub-buffer.  Owner, relaxed.
	 */
	ut_a64 lost;
	/*
	 * Sub-buffers claimed for this slot, ever.  Owner, release after the
	 * sub-buffer's seq; relaxed if it takes the claim back.
	 */
	ut_a64 seq;
	/*
	 * Events that owners of the slot have dropped, ever, of whomever, to
	 * have room for their own.  Owner, relaxed.
	 */
	ut_a64 overwritten;
	/*
	 * In overwrite mode, up to which seq the files have what there was.
	 * Consumer, relaxed, for the next one: what is missing is a gap.
	 */
	ut_a64 done;
	/*
	 * Name of the thread that the consumer has found, as in a sub-buffer.
	 * The thread is that of the tid in the low half of named, which is 0
	 * while the name changes, and has another high half afterwards.
	 * Consumer, release; 0 by who takes the slot, relaxed.
	 */
#define UT_THREAD_NAME	16
	ut_a64 name[UT_THREAD_NAME / 8];
	ut_a64 named;
	/* How much of lost was told. */
	struct ut_told tell;
};

struct ut_subbuf {
	/* See above. */
	_Alignas(UT_ABI_LINE) ut_a64 state;
	/* Whole events.  Writer, release; 0 in every FREE sub-buffer. */
	ut_a64 commit;
	/* The part of commit that is in the file.  Consumer, relaxed. */
	ut_a64 consumed;
	/* Time of the claim.  Writer, relaxed. */
	ut_a64 first;
	/*
	 * Time of the last event, or of the claim.  Writer, release: before
	 * its commit, and after that of the one before it.
	 */
	ut_a64 last;
	/*
	 * Copies of the slot's at the claim; seq is 0 in every FREE sub-buffer.
	 * Writer, relaxed.
	 */
	ut_a64 owner;
	ut_a64 seq;
	ut_a64 lost;
	/*
	 * Up to when the consumed ones are, or later.  Consumer, relaxed.  Of
	 * one that is TAKEN, what its slot's overwritten is about to be.
	 */
	ut_a64 until;
	/*
	 * The next value of consumed, for the next consumer.  Relaxed.  In a
	 * TAKEN sub-buffer, UT_NOTED while until is what is said above.
	 */
#define UT_NOTED	UINT64_MAX
	ut_a64 writing;
	ut_a32 tid;
	/* How many of `gone' packets in the files tell of.  Consumer. */
	ut_a32 told;
	/*
	 * Name of the thread at the claim, in the order of its bytes, which end
	 * with a NUL or are all; or all NULs until the consumer has found the
	 * name.  Writer and consumer, relaxed.
	 */
	ut_a64 thread[UT_THREAD_NAME / 8];
	/*
	 * The header's delivered at the claim, and again when this one became
	 * FULL or PARKED: which is the oldest?  Writer, relaxed.
	 */
	ut_a32 order;
	/* How often it was dropped.  Who has it TAKEN, release. */
	ut_a32 round;
	/* 1 while the consumer reads it although it is OWNED.  Consumer. */
	ut_a32 pin;
	/*
	 * How often it was dropped with events of threads that share: no
	 * slot's seq tells of these.  Who has it TAKEN, release.
	 */
	ut_a32 gone;
	/*
	 * The last event that was dropped here, of whomever.  Who has it TAKEN,
	 * relaxed.
	 */
	ut_a64 gone_last;
};

struct ut_header {
	/* Geometry: constant. */
	uint32_t magic;
	uint32_t version;
	uint64_t size;			/* bytes of the region */
	uint64_t slots;			/* offsets */
	uint64_t subs;
	uint64_t data;
	uint32_t nslots;
	uint32_t nsubs;
	uint32_t subsize;		/* bytes, a power of two */
#define UT_MODE_DISCARD		0
#define UT_MODE_OVERWRITE	1
#define UT_MODE_BLOCK		2
	uint32_t mode;
#define UT_CLOCK_MONOTONIC	0	/* nanoseconds */
#define UT_CLOCK_CYCLES		1	/* counted by the processor */
	uint32_t clock;
	/* In block mode: milliseconds that a writer waits, at most; 0: none. */
#define UT_TIMEOUT_FOREVER	UINT32_MAX
	uint32_t timeout;

	/* How much of lost and dropped was told. */
	struct ut_told tell;
	/*
	 * Events that were dropped and that no sub-buffer's told counts are
	 * later than this.  Consumer, relaxed, for the next one.
	 */
	ut_a64 gone_since;
	/*
	 * When the session stopped; 0: it has not since it started last.
	 * Consumer, relaxed, for the next one.
	 */
	ut_a64 stopped;
	/*
	 * How many of the pauses below there are, and of how many, the first
	 * ones, packets tell.  Consumer, relaxed, for the next one.
	 */
	ut_a32 npauses;
	ut_a32 ntold;
	/*
	 * Bytes of the data, from its beginning, that have their memory: to
	 * read there takes none.  Consumer, relaxed: a hint.
	 */
	ut_a64 warm;

	/*
	 * Not 0 while the session is started; read by every event.  Consumer.
	 * UT_DOZING means that it sleeps until somebody traces: who finds that
	 * is busy, rings the bell, and swaps UT_ACTIVE in.
	 */
#define UT_ACTIVE	1
#define UT_DOZING	2
	_Alignas(UT_ABI_LINE) ut_a32 active;

	/*
	 * Where a scan for a FREE sub-buffer begins: behind the one claimed
	 * last, but the consumer goes back to each lower one that it frees, so
	 * that few are in use while it keeps up; in overwrite mode only if it
	 * takes all that wait for it.  A hint.  Relaxed.
	 */
	_Alignas(UT_ABI_LINE) ut_a32 hint;
	/* Slots from 0 up to here were used at least once.  Only grows. */
	ut_a32 slots_used;
	/*
	 * Grows with each sub-buffer or slot that becomes free: who found
	 * none need not look again until it does.
	 */
	ut_a32 freed;
	/*
	 * Sub-buffers delivered, ever (writers), and how many of them the
	 * consumer knew of when it last looked; bell is the difference at
	 * which a writer rings, if the consumer sleeps.
	 */
	ut_a32 delivered;
	ut_a32 taken;
	ut_a32 bell;
	ut_a32 asleep;
	/*
	 * In block mode, 1 before a writer looks for space once more and waits
	 * for this to change.  Who frees something swaps 0 in and wakes as many
	 * as there is space for, who store 1 again.
	 */
	ut_a32 waiting;
	/* Length of the longest event that fits no sub-buffer. */
	ut_a32 toobig;
	/*
	 * Delivered sub-buffers that are dealt with.  Consumer, relaxed: a
	 * hint.
	 */
	ut_a32 drained;
	/*
	 * Events lost, ever, by threads that had no slot, or that were too long
	 * for a sub-buffer.  Atomic add.
	 */
	ut_a64 lost;
	/*
	 * Events in the files, and those that could not be written there.
	 * Consumer, relaxed, for the next one.
	 */
	ut_a64 written;
	ut_a64 dropped;
	/* The sub-buffer that was parked last: a hint.  Relaxed. */
	ut_a32 parked;
	/* Somebody found no slot: who gives one back raises freed.  Relaxed. */
	ut_a32 noslot;
	/* 1 once a program is attached that has not our bell.  Relaxed. */
	ut_a32 mute;
	/* 1: the names of some threads remain to be found.  Consumer. */
	ut_a32 nameless;
	/*
	 * Bytes and number of packets that were dropped, in a session without
	 * output.  Consumer, relaxed, for the next one.
	 */
	ut_a64 bytes;
	ut_a64 packets;
	/*
	 * How often writers have begun to wait for space, ever, and how long
	 * they have waited, all together and at most, in nanoseconds: counted
	 * when the wait is over.  Atomic, relaxed.
	 */
	ut_a64 waits;
	ut_a64 waited;
	ut_a64 longest;
	/*
	 * Children of fork(2) that had no descriptor for a connection: how many
	 * in the high half, in the low half the pid of their parent, as it sees
	 * itself.  CAS, relaxed.
	 */
	ut_a64 unheard;

	/* Times in which events were not recorded.  As npauses. */
#define UT_PAUSES	32
	_Alignas(UT_ABI_LINE) struct ut_pause {
		ut_a64 from, to;
	} pauses[UT_PAUSES];
};

/*
 * Locks of libatomic's would not hold between processes.  (1 is `if aligned',
 * and these are; where it is not true either, nothing links.)
 */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE >= 1,
    "lock-free atomics of 32 and 64 bits");
_Static_assert(sizeof(struct ut_slot) == UT_ABI_LINE, "ut_slot");
_Static_assert(sizeof(struct ut_subbuf) == UT_ABI_LINE &&
    offsetof(struct ut_subbuf, thread) == 88, "ut_subbuf");
_Static_assert(sizeof(struct ut_header) == 7 * UT_ABI_LINE, "ut_header");

/*
 * Which sub-buffers are for whom, of n.  A thread whose last event is some time
 * ago gets one of its own only among the first few, and writes into shared
 * ones, which are among the last, else.  Some of the last are for nothing but
 * that, so that threads that keep what they have leave room for any number of
 * others.
 */
static inline uint32_t
ut_subs_slow(uint32_t n)
{
	return n < 32 ? 1 : n < 512 ? n / 16 : 32;
}

static inline uint32_t
ut_subs_shared(uint32_t n)
{
	return n < 64 ? n : n < 128 ? 64 : n < 1024 ? n / 2 : 512;
}

static inline uint32_t
ut_subs_reserved(uint32_t n)
{
	return n < 4 ? 0 : ut_subs_slow(n);
}

/* An event's head; both sides put it there. */
static inline void
ut_event_head(unsigned char *p, uint16_t id, uint64_t time)
{
	const uint32_t low = (uint32_t)time;

	memcpy(p, &id, sizeof(id));
	memcpy(p + sizeof(id), &low, sizeof(low));
}

/* The time in it, given one before by less than 32 bits. */
static inline uint64_t
ut_event_time(const unsigned char *p, uint64_t before)
{
	uint32_t low;

	memcpy(&low, p + sizeof(uint16_t), sizeof(low));
	return before + (uint32_t)(low - (uint32_t)before);
}

#endif /* UT_ABI_H */
