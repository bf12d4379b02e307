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
 * Shared by the daemon's two kinds of process, with the messages between them:
 * parent/ is utd itself, consumer/ the children that it forks.
 */

#ifndef UTD_H
#define UTD_H

#include <sys/types.h>

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syslog.h>

#include "../libut/common/compat.h"
#include "../libut/common/event_name.h"
#include "../libut/common/msg.h"
#define UT_NO_EVENTS
#include "../libut/ut.h"
#include "../libut/ut_abi.h"

#define NAME_MAXLEN	256		/* names, globs, with the NUL */
#define PROGRAM_NAME	64		/* with the NUL */
/* The ID that the CTF has for a class of streams; each channel has two. */
#define CTF_STREAM(channel, shared)	((channel) * 2 + ((shared) ? 1u : 0u))
#define CTF_STREAM_CLOCK	UINT32_MAX	/* the clocks' readings */

#define UUID_LEN	16
#define UUID_TEXT	40	/* room for it in words */

/* Add an element at the end of a list; or take one out that is in there. */
#define LIST_ADD(type, first, e, next) do {				\
	type **at_ = (first);						\
	while (*at_ != NULL)						\
		at_ = &(*at_)->next;					\
	*at_ = (e);							\
} while (0)
#define LIST_DEL(type, first, e, next) do {				\
	type **at_ = (first);						\
	while (*at_ != (e))						\
		at_ = &(*at_)->next;					\
	*at_ = (e)->next;						\
} while (0)

/* daemon.c: messages. */
void	 log_init(bool, bool);		/* stay on stderr; debug messages too */
void	 log_detach(void);
void	 log_say(int, int, const char *, ...)	/* a level, an errno or 0 */
	    __attribute__((format(printf, 3, 4)));
#define log_warn(...)	log_say(LOG_WARNING, errno, __VA_ARGS__)
#define log_warnx(...)	log_say(LOG_WARNING, 0, __VA_ARGS__)
#define log_info(...)	log_say(LOG_INFO, 0, __VA_ARGS__)
#define log_debug(...)	log_say(LOG_DEBUG, 0, __VA_ARGS__)
/* Like log_warnx, for what anybody can cause again and again: limited. */
#define log_peer(...)	(log_may() ? log_warnx(__VA_ARGS__) : (void)0)
bool	 log_may(void);
void	 fatal(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
#define fatalx(...)	(errno = 0, fatal(__VA_ARGS__))
void	*xcalloc(size_t, size_t);	/* all three: or fatal */
void	*xrealloc(void *, size_t);
char	*xstrdup(const char *);
void	 catch_signal(int, void (*)(int), int);
void	 make_path(char *, size_t, const char *, const char *);

/* Counts of a consumer; the parent adds regions up. */
struct counts {
	uint64_t	 written;	/* events */
	uint64_t	 lost;
	uint64_t	 bytes;
	uint64_t	 packets;
	uint64_t	 overwritten;	/* events */
	uint64_t	 waits;		/* for space, in block mode */
	uint64_t	 waited;	/* microseconds */
	uint64_t	 longest;	/* microseconds, for one event */
};

/* daemon.c: counts of those who may lie. */
bool	 count_grew(uint64_t *, uint64_t);	/* false: that is nonsense */
void	 count_add(uint64_t *, uint64_t);

/*
 * daemon.c: names of chunks and snapshots: one or two times, and a number,
 * which is 0 if the name has another form.
 */
void	 name_time(char *, size_t, int64_t);	/* append it */
uint32_t name_number(const char *);

/* daemon.c: another user, for good; true if that gave anything up; or fatal. */
bool	 become(uid_t, gid_t);

/* boot.c: load saved sessions, of a directory or "", for a run directory. */
pid_t	 boot_load(const char *, const char *);

/* instant.c: all clocks at one time, in ns but for the cycle counter. */
struct instant {
	uint64_t	 cycles;
	uint64_t	 ns;		/* CLOCK_MONOTONIC */
	uint64_t	 boot;		/* also while the machine slept */
	uint64_t	 real;		/* CLOCK_REALTIME */
	uint64_t	 error;		/* how far apart the others may be */
};
extern bool instant_counter;	/* consumers trust the counter */
void	 instant_read(struct instant *);

/* daemon.c: UUIDs. */
void	 uuid_begin(void);
void	 uuid_make(unsigned char *, char *);	/* binary, as text */
void	 random_bytes(void *, size_t);
void	 uuid_text(char *, const unsigned char *);

/*
 * consumer.c: what a child does, with its socket, a file to wait for its turn
 * in, and the user to become.
 */
void	 consumer_main(int, int, uid_t, gid_t) __attribute__((noreturn));

/*
 * Parent -> consumer.  In a request the first item is the serial number that
 * the reply repeats.
 */
#define UT_C_SESSIONDIR 64	/* u32 serial, str path: the session's; u32 1
				   if it is there already */
#define UT_C_UIDDIR	65	/* u32 serial, str path, u32 1 if it must be
				   new, u32 uid, u32 gid of it; the fd above */
#define UT_C_TRACE	66	/* a trace: u32 serial, str path, u32 1 if it
				   must be new, u32 1 if another consumer had
				   it, u32 1 if its name is final, u32 1 if it
				   is made when it is needed, 16 x u8 uuid, u64
				   bytes that its files may have; the fd above,
				   or none: nothing is written */
#define UT_C_REGION	67	/* a region, b trace: u32 serial, u32 stream,
				   str channel, its attributes, u32 1 if nothing
				   is written by itself, u32 active, str
				   name of the object, u32 1 if another consumer
				   had it, u32 the trace whose place b takes,
				   or 0, u64 lost events of which older traces
				   tell; its fd, perhaps */
#define UT_C_METADATA	68	/* a trace, b 1 if it ends in the middle of
				   something: str text */
#define UT_C_HOLD	69	/* a trace that another consumer had, or 0, b 1:
				   until as often b 0 came, what is not obeyed
				   at once waits; b 0: all that the trace's
				   metadata lacked was sent */
#define UT_C_PROGRAM	70	/* u64 number, u32 vpid, str name, u32 pid */
#define UT_C_DEAD	71	/* items as in UT_C_PROGRAM */
#define UT_C_ACTIVE	72	/* a region, b UT_S: u32 serial */
#define UT_C_COUNT	73	/* a region: u32 serial */
#define UT_C_CLOSE	74	/* a region, b 1 if nothing can be under way
				   in it: u32 serial */
#define UT_C_CLOSETRACE	75	/* a trace */
#define UT_C_REFINE	76	/* a trace: u64 where, str text: metadata that
				   is there already, better known now */
#define UT_C_BELL	77	/* str name of the bell, perhaps there */
#define UT_C_END	78	/* an orderly one: finish and go */
#define UT_C_BURY	79	/* a region: u32 serial, u32 stream, str
				   channel, its attributes, u32 1 as above, str
				   name of the object, str why nothing can be
				   written; its fd, perhaps: count what is lost
				   with it */
#define UT_C_ROTATE	80	/* a trace, b the one that takes its place:
				   u32 serial: what is committed goes to a, and
				   all that comes to b; a is closed */
#define UT_C_CHUNK	81	/* b UT_CHUNK_: u32 serial, str directory of a
				   chunk that is complete, str what it is to be
				   called, u32 how many others may stay in
				   archives/, u64 bytes that these may have, u64
				   bytes that one can have; the fd of the
				   session's */
#define UT_C_MUTE	82	/* a region: a program there has no bell */
#define UT_C_WATCH	83	/* a region: u64 bytes: tell when there are
				   more, once */

#define UT_C_SHOTDIR	84	/* u32 serial, str path of a snapshot, or name
				   in snapshots/ of the fd, u32 1 if it can have
				   another; str hidden name: make that one, for
				   now */
#define UT_C_SHOTTEXT	85	/* a shot: str metadata, or the next part */
#define UT_C_SHOT	86	/* a shot, b 0: u32 serial, str path, u64 bytes
				   of metadata, 16 x u8 uuid, u32 how many
				   regions, then each: u32 region; the fd above:
				   write there what they hold */
#define UT_C_SHOTEND	87	/* b UT_SHOT_: u32 serial, str hidden name, str
				   name, u32 1 if it can have another, u32 how
				   many with a number may stay; the fd above,
				   perhaps that of the hidden one */

#define UT_C_WHERE	88	/* u32 serial, str path: that of a session, as
				   the parent knows it; the fd of the session's
				   directory */
#define UT_C_SHOTDROP	89	/* a shot: nothing is to be written, unless that
				   has begun */
#define UT_C_CARRY	90	/* u32 serial, str path of a user's part of a
				   chunk, str its path in the next one; the fd
				   of the session's */
#define UT_C_PAUSE	91	/* a region: u32 serial, u64 from, u64 to: some
				   events of that time were not recorded; from
				   0: since it went on in another trace */
#define UT_C_LIMIT	92	/* a trace: u64 bytes that its files may have;
				   as before: no more can be had now */
#define UT_C_UNLINK	93	/* str name of a region that the parent has
				   forgotten, perhaps before you made it:
				   remove it */

/* Consumer -> parent. */
#define UT_C_READY	96	/* str name of the bell; its fd, perhaps */
#define UT_C_REPLY	97	/* a serial, b errno: counts, u32 sub-buffers
				   in use; the fd, str
				   path, u64 device and u64 inode of that of a
				   session; u64 bytes of metadata; u32 active
				   and the fd; u32 how many regions went on
				   elsewhere, then each: u32 region, u64 lost
				   events of which its traces have told, u64
				   bytes and u64 packets of the last one; u32 1
				   if there is a chunk now; the fd of a
				   snapshot's and the one above; u64 events;
				   str name; str path where it is; with an
				   errno, str why */
#define UT_C_TROUBLE	98	/* a region, b UT_TROUBLE_: str text */
#define UT_C_PROGRESS	99	/* u64 bytes that are left, u64 bytes that the
				   process has written in all */
#define UT_C_MADE	100	/* a trace: str path: its directory is there */
#define UT_C_WROTE	101	/* a trace: u64 bytes of metadata in the file */
#define UT_C_BURIED	102	/* so many of the dead, in turn */
#define UT_C_GREW	103	/* a region: u64 bytes, after WATCH */
#define UT_C_FULL	104	/* a trace: u64 bytes that its files need to
				   have: asks for LIMIT */

#define UT_STOP		0
#define UT_START	1
#define UT_STOP_ALONE	2	/* others of the session go on */

#define UT_CHUNK_KEEP	0	/* even if it is empty */
#define UT_CHUNK_ANY	1	/* unless it is empty */
#define UT_CHUNK_CLEAR	2	/* remove it */

#define UT_SHOT_KEEP	0	/* give it that name */
#define UT_SHOT_REMOVE	1
#define UT_SHOT_SWEEP	2	/* remove what others have left in snapshots/
				   of the fd */

#define UT_TROUBLE_SAY	0	/* nothing but that */
#define UT_TROUBLE_LOST	1	/* events were lost */
#define UT_TROUBLE_NOW	2	/* events cannot be written; "": again */

#endif /* UTD_H */
