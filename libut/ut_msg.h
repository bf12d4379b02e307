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
 * The wire protocol: programs and utctl on one side of a UNIX stream socket,
 * utd on the other.  ut_msg(5) tells who sends what when.
 *
 * Rules of change: a number is never used for anything else, a message only
 * ever grows at its end, and a change that an older peer would misread
 * raises UT_MSG_VERSION, which the first message of either side carries.
 *
 * A message is a header and a body.  The body is a row of items without
 * padding, in the order that the comment gives: u8, u32 and u64 in the byte
 * order of the machine, str as a 16-bit length and that many bytes, none of
 * them NUL.  Descriptors (SCM_RIGHTS) come with the header.
 */

#ifndef UT_MSG_H
#define UT_MSG_H

#include <stdint.h>

#define UT_MSG_VERSION	6
#define UT_MSG_MAX	65536u		/* header and body */
#define UT_MSG_FDS	2		/* descriptors with one message */

#define UT_SOCKET	"sock"		/* in the run directory */
#define UT_FIFO		"wake"		/* utd opens it: here I am */

struct ut_msghdr {
	uint32_t	len;		/* header and body */
	uint16_t	type;
	uint16_t	nfds;
	uint32_t	a;
	uint32_t	b;
};

/*
 * Program -> utd.  `channel' is a number that utd gave.  `event' is one that
 * the program gave: its events are numbered from 0 as they come, for good,
 * and the fingerprint stands for the names, levels and fields of them all.
 */
#define UT_MSG_HELLO	1	/* a version, b 32 or 64: u32 pid, str name,
				   u64 number on an earlier connection or 0,
				   u64 fingerprint, u32 number of events,
				   u64 image of the process; or nothing */
				/* 2 and 3 were of version 1 */
#define UT_MSG_ACK	4	/* a channel, b errno: u64 time when it was
				   begun, by the channel's clock: answers MAP */
#define UT_MSG_NEW	5	/* events were added (dlopen): u64
				   fingerprint, u32 number of events */
#define UT_MSG_NAMES	6	/* a first event, b how many, then each:
				   str name, u32 level; answers LIST */
#define UT_MSG_EVENTS	7	/* a channel, b how many, then each:
				   u32 event, u32 length of the fields,
				   fields, see below; answers DESCRIBE */
#define UT_MSG_FAILED	8	/* a channel, b errno: ATTACH went wrong */
#define UT_MSG_MUTE	9	/* a channel: ATTACH gave no bell, and `mute'
				   is set in the region */

/*
 * Fields: u32 number of fields, then for each
 *	str name, u8 kind, u8 size, u8 flags, u32 count,
 *	and for UT_KIND_ENUM: str name, u32 number of values, then for each
 *		str name, u8 0, u64 value, or u8 1, u64 low, u64 high
 */

/* utd -> program. */
#define UT_MSG_WELCOME	16	/* a version: u64 number of the program,
				   u64 ns that utd's clock is ahead of the
				   machine's, signed */
				/* 17 was of version 1 */
#define UT_MSG_ATTACH	18	/* a channel; descriptors region, bell:
				   str name of the bell without descriptor,
				   contexts of the channel: see context.h,
				   str session, str channel, for people */
#define UT_MSG_MAP	19	/* a channel, b number of pairs, then each:
				   u32 event, u32 id; id 0 takes it back;
				   behind an id with UT_MAP_FILTER, u32 length
				   of a filter's code, the code: see filter.h */
#define UT_MSG_DETACH	20	/* a channel; 0: what no ATTACH has named of
				   what is kept of an earlier connection */
#define UT_MSG_DONE	21	/* a 1: keep that until such a DETACH;
				   answers HELLO, NEW: main() may go on */
#define UT_MSG_LIST	22	/* a first event, b how many: their names */
#define UT_MSG_DESCRIBE	23	/* a channel, b how many, then each:
				   u32 event: its fields */

/*
 * utctl -> utd.  The first request of a connection is UT_CTL_HELLO.  An
 * empty session name means the session that the user created last, if it
 * still exists; an empty channel name, channel0.
 */
#define UT_CTL_HELLO	32	/* a version */
#define UT_CTL_OWN	33	/* utd ends when this connection does; u32 1:
				   and there is no session; 0, or none */
#define UT_CTL_CREATE	34	/* str session, str absolute directory, u32 1:
				   nothing is written by itself; 0, or none,
				   u32 1: destroyed when this connection ends,
				   see ut_msg(5); 0, or none, u64 bytes of all
				   files, UT_BOUND_MIN at least; 0, or none */
#define UT_CTL_DESTROY	35	/* str session, u32 1: as if it had never been
				   created, see ut_msg(5); 0, or none */
#define UT_CTL_START	36	/* str session */
#define UT_CTL_STOP	37	/* str session */
#define UT_CTL_CHANNEL	38	/* str session, str channel, u32 each attribute
				   of attr.h; 0, or none, is the default */
#define UT_CTL_ENABLE	39	/* str session, str channel, rule */
#define UT_CTL_DISABLE	40	/* str session, str channel, rule */
#define UT_CTL_LIST	41	/* str session, or all */
#define UT_CTL_EVENTS	42	/* nothing */
#define UT_CTL_CHOFF	43	/* str session, str channel: record nothing */
#define UT_CTL_CHREMOVE	44	/* str session, str channel: and forget it */
#define UT_CTL_TRACK	45	/* str session, track */
#define UT_CTL_UNTRACK	46	/* str session, track; no entry: all */
#define UT_CTL_STATUS	47	/* nothing */
				/* 48 to 51 are answers, below */
#define UT_CTL_ROTATE	52	/* str session: begin another chunk */
#define UT_CTL_CLEAR	53	/* str session: and remove this one */
#define UT_CTL_CHUNKS	54	/* str session, u32 UT_CHUNKS_, u32 ms, u64
				   bytes, str command: when there is another
				   chunk, and what is run for each; 0 or "":
				   never, nothing; u32 how many of the chunks,
				   or of the snapshots, stay: 0, or none: all */
#define UT_CTL_CONTEXT	55	/* str session, str channel, contexts: see
				   context.h; no channel: all that there are */
#define UT_CTL_SNAPSHOT	58	/* str session, str absolute directory or "",
				   str name or "", str command or "": write
				   what the buffers hold */
#define UT_CTL_TRIGGER	59	/* str session, u32 UT_TRIGGER_, u32 count, or
				   0: the first match only, str command of
				   EXEC, rule without levels and exclusions,
				   u32 ms from a match to the action, at most
				   UT_TRIGGER_LATER; 0, or none */
#define UT_CTL_UNTRIGGER 60	/* str session, u32 number */
#define UT_CTL_SHUTDOWN	61	/* nothing: utd ends, and answers just before */

#define UT_MAP_FILTER	0x80000000u
#define UT_LOADED_EVENT	0	/* the number of ut:module: it comes first */

#define UT_BUFFERS_UID	0	/* shared by the programs of a user */
#define UT_BUFFERS_PID	1	/* each of one program */

/*
 * Rule: str glob, u32 UT_RULE_, u32 level, u32 number of exclusions, str glob
 * of each, str filter: an expression, see expr.h, or "", or not there.
 */
#define UT_RULE_ALL	0	/* every level */
#define UT_RULE_LEVEL	1	/* a level and more severe ones */
#define UT_RULE_ONLY	2	/* exactly that level */
#define UT_RULE_ANY	3	/* DISABLE: every rule with that glob */

/*
 * Track: u32 number of entries, then for each
 *	u32 UT_TRACK_, u32 number, str glob
 * where the number is that of a process or a user, and the glob is for names.
 */
#define UT_TRACK_PID	0	/* the process, as utd sees it */
#define UT_TRACK_UID	1	/* the user */
#define UT_TRACK_NAME	2	/* programs of such names */
#define UT_TRACK_MAX	256	/* entries of a session */
#define UT_TRACK_GLOB	127	/* bytes */

/* utd -> utctl: any number of ROW and PROGRESS, then OK or ERR. */
#define UT_CTL_OK	48	/* b UT_DID_ bits: str text for the user, may be
				   empty */
#define UT_CTL_ERR	49	/* b UT_TAKEN_ or 0: str text for the user */
#define UT_CTL_ROW	50	/* a depth, b number of members: str what it
				   is, then for each member: str key,
				   u8 's', str value or u8 'n', u64 value */
#define UT_CTL_PROGRESS	51	/* u64 bytes still to be written */

#define UT_CHUNKS_MS	1u
#define UT_CHUNKS_BYTES	2u
#define UT_CHUNKS_COMMAND 4u
#define UT_CHUNKS_KEEP	8u
#define UT_CHUNKS_SHOTS	16u
#define UT_CHUNK_MS	50		/* the least */
#define UT_COMMAND_MAX	4095		/* bytes */
#define UT_EXCEPT_MAX	256		/* exclusions of a rule */
#define UT_EXCEPT_BYTES	63000		/* all patterns: a message has room */
#define UT_BOUND_MIN	(16ull << 20)	/* bytes of a session, if bound */
#define UT_BOUND_MAX	(1ull << 50)

/* Actions of a trigger; these numbers are in the journal, too. */
#define UT_TRIGGER_STOP	1
#define UT_TRIGGER_ROTATE 2
#define UT_TRIGGER_EXEC	3
#define UT_TRIGGER_SNAPSHOT 4
#define UT_TRIGGER_MAX	16		/* per session */
#define UT_TRIGGER_LATER (24 * 3600 * 1000) /* ms */

/* Flags of an answer.  utctl decides by these: the text is for the user. */
#define UT_DID_LATE	1u	/* programs have not answered */
#define UT_DID_NOTHING	2u	/* STOP, DESTROY: no event, and none lost */

/* CREATE was refused for what it named, and may do with another name. */
#define UT_TAKEN_NAME	1	/* there is a session of that name */
#define UT_TAKEN_DIR	2	/* the directory is not empty, or not free */

#endif /* UT_MSG_H */
