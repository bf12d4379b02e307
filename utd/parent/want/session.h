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
 * Sessions: channels, warnings, chunks, triggers and commands.  The events that
 * are wanted of programs are in rule.h, the files and buffers in trace.h.
 */

#ifndef SESSION_H
#define SESSION_H

#include "../../../libut/common/context.h"
#include "course.h"
#include "../talk/journal.h"
#include "../talk/loop.h"

struct filter;

struct channel {
	char		 name[NAME_MAXLEN];
	uint32_t	 id;		/* for programs */
	uint32_t	 stream;	/* stream_id in the metadata */
	struct saved	 saved;
	struct attrs	 attrs;
	struct contexts	 contexts;
	bool		 enabled;
	bool		 removed;	/* only its name and counts are left */
	struct session	*session;
	struct rule	*rules, *newest;
	uint32_t	 generation;	/* changes with the rules; unique */
	struct plan	*plans;
	struct region	*regions;
	struct counts	 past;		/* counts of regions that are gone */
	uint64_t	 kept;		/* past bytes in archived chunks */
	uint64_t	 older;		/* kept, and in the chunk that ends */
	struct channel	*next;		/* next channel of the session */
};

/* channel.c: false and why, if they cannot be. */
bool	 contexts_valid(const struct contexts *, char *, size_t);
bool	 contexts_possible(const struct channel *, const struct contexts *,
	    char *, size_t);
void	 contexts_add(struct channel *, const struct contexts *);
/* Have the channel's events stacks? */
bool	 channel_stacks(const struct channel *);
bool	 contexts_named(const struct filter *, struct contexts *);
bool	 contexts_fit(const struct channel *, const struct filter *, char *,
	    size_t);

struct warning {
	uid_t		 uid;		/* the user whose programs cause it */
	char		*text;
	struct warning	*next;
};

/*
 * rotate.c: what a session has recorded until it is rotated is a chunk, in a
 * directory of its own.
 */
#define ROTATION_RETRY	1000	/* ms, after something could not be done */
struct rotation {
	uint32_t	 chunk;		/* the current one, from 0 on */
	uint32_t	 kept;		/* chunks in archives/ */
	int64_t		 began;		/* time_t, of the current chunk */
	int64_t		 last;		/* when this utd began it; or 0 */
	bool		 busy;		/* the chunk before is not archived */
	bool		 asked;		/* a consumer was asked to archive it */
	uint32_t	 how;		/* UT_CHUNK_ */
	char		 from[32];	/* directory of the chunk before */
	char		 to[96];	/* name of its archive */
	char		 why[512];	/* why it is not archived yet; or "" */
	int64_t		 deadline;	/* then others' parts are carried; 0:
					   not known */
	char		 carried[128];	/* a part that is carried, why; or "" */
	bool		 carried_more;	/* other parts are carried, too */
	struct waiters	 waiters;
	struct timer	 timer;		/* next look at how far it is */
	uint32_t	 ms;		/* rotate so often; 0: do not */
	uint64_t	 bytes;		/* rotate when a chunk has more; or 0 */
	/* bound.c: how many bytes there may be */
	uint64_t	 allowed;	/* current chunk: began there */
	uint64_t	 held;		/* current chunk: carried into it */
	uint64_t	 ended;		/* chunk before, if busy: all */
	uint64_t	 stored;	/* archives/: all */
	uint64_t	 most;		/* archives/: the largest chunk */
	uint32_t	 keep;		/* newest in archives/; 0: all */
	int64_t		 next;		/* time of the next rotation by ms */
	struct timer	 due;		/* until next, or a look at bytes */
};

/* command.c: a chunk for which the command has yet to be run, or runs. */
struct chunk {
	char		 name[96];
	struct chunk	*next;
};

/*
 * trigger.c: something is done in a session when programs record an event.  A
 * session without output that nobody sees has a channel for that event, whose
 * buffers are counted and dropped.
 */
struct trigger {
	uint32_t	 number;	/* counts a session's triggers */
	struct session	*of;		/* the session that it is about */
	struct session	*watch;		/* the session that counts its events */
	uint32_t	 action;	/* UT_TRIGGER_ */
	uint32_t	 count;		/* matches needed; 0: only the first */
	char		*command;	/* to be run; or NULL */
	uint64_t	 gone;		/* matches in regions that are gone */
	uint64_t	 passed;	/* times `count' was reached */
	uint64_t	 acted;		/* how often it was acted, ever */
	bool		 due;		/* the action has to be done */
	int64_t		 at;		/* by ut_msg_now(): not before that */
	uint32_t	 later;		/* ms from a match to its action */
	bool		 busy;		/* the action is being done */
	uint32_t	 shot;		/* ID of the snapshot under way */
	int64_t		 looked;	/* when matches were last asked for */
	struct timer	 look;		/* next time to ask for matches */
	struct timer	 enough;	/* end of waiting for all answers */
	struct timer	 again;		/* the action's turn, or next try */
	struct trigger	*next;		/* next trigger of the session */
};

struct session {
	uint32_t	 id;
	struct saved	 saved;
	char		 name[NAME_MAXLEN];
	char		 dir[PATH_MAX];	/* "": no output */
	bool		 astray;	/* dir was moved or removed */
	char		 error[512];	/* why it has not recorded all */
	char		 failing[512];	/* why it does not record all now */
	bool		 missed;	/* some program, for some time */
	uid_t		 uid;		/* 0: every UID, if we are root */
	gid_t		 gid;
	struct user	*user;
	int		 dirfd;		/* the directory; -1: not open */
	char		 gone[512];	/* why dir cannot be opened; or "" */
	int		 refused;	/* errno of making dir; or 0 */
	struct timer	 retry;		/* next try to open dir */
	int		 patience;	/* ms, the last delay of retry */
	uint64_t	 dev, ino;	/* identity of dir; 0: not there yet */
	bool		 lasts;		/* created, and not destroyed */
	bool		 active;
	bool		 current;	/* the last one its user created */
	uint32_t	 before;	/* ID of the current one before; or 0 */
	bool		 dying;		/* being created or destroyed */
	bool		 closed;	/* half destroyed: cannot start */
	bool		 begun;		/* was started once */
	uint64_t	 came;		/* programs seen by this utd */
	uint64_t	 others;	/* programs of other users */
	bool		 foreign;	/* another user has had a trace in it */
	bool		 keeps;		/* nothing is written by itself */
	uint64_t	 max;		/* bytes of all its files; 0: any */
	uint32_t	 shots;		/* snapshots so far */
	uint32_t	 shot_number;	/* the newest one's number */
	uint32_t	 keep_shots;	/* newest in snapshots/; 0: all */
	unsigned int	 shooting;	/* snapshots under way */
	struct rotation	 rotation;
	char		*command;	/* run for each chunk; or NULL */
	struct chunk	*chunks;	/* chunks that wait for command */
	unsigned int	 nchunks;
	struct timer	 command_again;	/* the command's turn, or next try */
	unsigned int	 nfailed;	/* failures of the command */
	pid_t		 runs;		/* process of the command; or 0 */
	bool		 lingers;	/* until the command was run for all */
	uint64_t	 offset;	/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	struct course	 course;	/* how the cycle counter goes */
	int64_t		 created;	/* time_t */
	uint32_t	 nstreams;
	struct channel	*channels;
	struct track	*tracks;	/* none: it records all programs */
	uint32_t	 ntracks;
	uint32_t	 tracking;	/* how often tracks changed */
	struct trigger	*trigger;	/* watches for this one; or NULL */
	struct trigger	*triggers;	/* triggers about this session */
	uint32_t	 ntriggers;	/* the last one's number */
	struct trace	*traces;
	struct warning	*warnings;
	struct session	*next;
};

extern struct session *sessions;	/* the last one created is the first */

/* The session that the user sees. */
static inline struct session *
session_shown(struct session *s)
{
	return s->trigger != NULL ? s->trigger->of : s;
}

void	 chunk_over(struct session *, struct chunk *);
void	 command_set(struct session *, const char *);
void	 command_add(struct session *, const char *);
void	 command_wants(struct session *, const char *);
void	 command_next(struct session *);
void	 command_lingers(struct session *);
void	 command_forget(struct session *);
void	 commands_over(struct session *);

/* command.c: a command line, as the session's owner. */
typedef void job_cb(uint32_t, int);	/* an ID; a status, as of waitpid(2) */
#define JOB_ARGS	4		/* at most; or NULL behind the last */
int	 job_delay(struct session *);	/* before the next: ms */
pid_t	 job_run(const struct session *, const char *,
	    const char *const [JOB_ARGS], job_cb *, uint32_t);
void	 jobs_reap(void);
bool	 job_failed(int, char *, size_t);	/* text: how */

/* session.c */
struct session *session_find(const char *, uid_t, char *, size_t);
#define SESSION_NAMED	(NAME_MAXLEN + 32)
void	 session_named(const struct session *, uid_t, char *, size_t);
void	 session_made(struct session *, bool);
void	 session_unmade(struct session *);
extern void (*session_looks)(void *);	/* at its rotation: see rotate.c */
extern void (*session_cleared)(struct session *, struct waiter *); /* link.c */
void	 rotation_soon(struct session *);
void	 session_activate(struct session *, bool);
bool	 session_taken(const char *, uid_t);
struct session *session_new(uint32_t, const char *, const char *, uid_t,
	    gid_t);
void	 session_watch(struct session *, struct session *);
int	 session_own(struct session *, int, bool);
void	 session_free(struct session *);
bool	 session_dir(struct session *, struct ut_msg *);
void	 session_forget(struct session *);
bool	 session_output(const struct session *);	/* writes by itself */
/* Why the session has no output; or NULL. */
const char *session_no_output(const struct session *);
bool	 session_placed(const struct session *);	/* has a directory */
void	 session_met(struct session *, uid_t);
bool	 session_sees(const struct session *, uid_t);
/* Does the session want any event? */
bool	 session_wants(const struct session *);
const char *session_error(const struct session *);	/* "": none */
void	 session_missed(struct session *);	/* a program is not recorded */
void	 session_lost(struct session *, const char *);	/* events, and why */
void	 session_look(struct session *);	/* set what fails now */
bool	 name_valid(const char *, const char *);

/* warning.c */
bool	 session_warned(struct session *, uid_t, const char *);
void	 session_warn(struct session *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
void	 session_blame(struct session *, uid_t, const char *, ...)
	    __attribute__((format(printf, 3, 4)));

/* channel.c */
struct channel *channel_find(struct session *, const char *);
struct channel *channel_new(struct session *, const char *,
	    const struct attrs *, uint32_t);
bool	 channel_active(const struct channel *);
void	 channel_enable(struct channel *, bool);
bool	 channel_possible(const struct attrs *, char *, size_t);
void	 channel_free(struct channel *);

#endif /* SESSION_H */
