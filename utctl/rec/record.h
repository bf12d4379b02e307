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
 * The parts of utctl record.
 */

#ifndef RECORD_H
#define RECORD_H

#include <sys/types.h>

#include <stddef.h>

#include "../utctl.h"

/* record_dir.c: where a trace goes. */
struct record_dir {
	const char	*given;		/* -o, or NULL */
	char		*dir;
	int		 keep;		/* dir existed before */
	int		 replace;	/* -r: a trace in dir goes to old */
	char		*old;		/* the replaced trace; NULL: none */
	char		*older;		/* the trace that was in old; or NULL */
	int		 above;		/* the directory with all of these */
	int		 older_fd;	/* older, as it was found; or -1 */
};

void	 record_dir_name(struct record_dir *, const char *);
int	 record_dir_try(struct record_dir *);
int	 record_dir_make(struct record_dir *);	/* -1: it said why not */
int	 record_dir_replace(struct record_dir *, int);
void	 record_dir_done(struct record_dir *);	/* keep the new trace */
void	 record_dir_undo(struct record_dir *, int);

/* follower.c: the events are printed while they are recorded. */
struct follower {
	pid_t	 pid;			/* 0: none */
	int	 fd;			/* closed when all is written */
	int	 life;			/* closed when utctl ends */
};

int	 follower_start(struct follower *, const char *, int64_t, int);
void	 follower_end(struct follower *, int);

/* attach.c: a process that runs already. */
struct attached {
	pid_t		 pid;		/* the ID that utd uses */
	int		 seen;		/* we see the process, too */
};

struct record {
	char		**argv;		/* the command, or NULL */
	struct attached	*pids;		/* running programs to record */
	size_t		 npids;		/* 0: all programs */
	int64_t		 limit;		/* ms to be recorded; -1: no limit */
	int64_t		 until;		/* when limit is over; -1: never */
	int		 sig;		/* the last signal to end, or 0 */
	int		 killed;	/* signal that killed it, or 0 */
	int		 over;		/* 1: recording ended; -1: failed to */
	char		*session;
	struct record_dir	 out;
	int		 created;	/* utd accepted the directory */
	int		 dir_in_use;	/* utd may still write there */
	int		 ran;		/* the command, or recording, began */
	int		 keeps;		/* write only if the command fails */
	int		 failed;	/* the command failed */
	char		*shot;		/* answer about the snapshot, or NULL */
	char		**globs;
	size_t		 nglobs;
	struct rule	 rule;		/* all but the glob */
	struct attrs	 attrs;		/* the channel's */
	char		*contexts[2];	/* the channel's: stack, or none */
	char		*preload;	/* libraries of -w, or NULL */
	char		*chosen;	/* functions of -w func, or NULL */
	int		 nchosen;	/* globs of these */
	int		 nested;	/* functions are chosen by -D or -M */
	char		*utd;
	char		*private;	/* directory of ours alone, or NULL */
	char		*rundir;	/* in private, or where programs look */
	int		 rundir_made;	/* rundir did not exist */
	/* rundir is named only by the process: root connects as its user. */
	int		 foreign;
	uid_t		 uid;		/* the user of that process */
	gid_t		 gid;		/* the group of that process */
	pid_t		 pid;		/* utd's */
	int		 taken;		/* another utd keeps ours out */
	int		 shared;	/* utd was there before, and stays */
	struct client	*client;	/* NULL: utd is gone */
	int		 restarts;	/* attempts to go on with another utd */
	int		 absent;	/* looks in a row without a socket */
	int		 said_gone;	/* we told the user that utd is gone */
	int		 follow;	/* -F */
	struct follower	 follower;
};

/* wrapper.c: what -w can name, each a library libut-NAME.so. */
struct wrapper {
	const char	*name;		/* NULL ends the table */
	const char	*what;		/* for help */
	const char	*events[2];	/* two to record; or one, NULL */
	const char	*env;		/* =NUMBER goes there; NULL: none */
	int		 most;		/* NUMBER: 1 to this */
	const char	*numbered[2];	/* events with NUMBER, if others */
};

extern const struct wrapper wrappers[];
char	*wrapper_add(char *, const char *);
int	 wrapper_is(const char *);
int	 wrapper_in(const char *, const char *);
/* The events, or event, that the wrapper now records. */
const char *const *wrapper_events(const struct wrapper *);
const char *wrapper_name(size_t);	/* NULL: there are no more */
/* Say it if the command is not loaded as wrappers have to be. */
void	 loader_say(const char *);

/* record_options.c: -1: they are not what the usage says. */
int	 record_options(struct record *, int, char **);

/* record_session.c: 0, or -1 after a message.  Of a struct record. */
int	 record_begin(void *);
/*
 * Take the channel of modules out of what utd says of the session, but for the
 * bytes.  Returns how many events were in the channel, and tells how many of
 * its events were lost.
 */
uint64_t modules_hide(const struct record *, struct row *, uint64_t *);

/* attach.c: -1 after a message. */
int	 attach_find(struct record *);
struct client *attach_client(const struct record *);	/* NULL: no utd */
int	 attach_await(struct record *);
int	 attach_track(struct record *);
const char *attach_name(const struct record *);
void	 attach_say(const struct record *);
int	 attach_wait(struct record *);

/* report.c: what was recorded; -1 if it is not all. */
int	 report(const struct record *, struct row *);

#endif /* RECORD_H */
