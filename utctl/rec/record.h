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
 * What utctl record is made of.
 */

#ifndef RECORD_H
#define RECORD_H

#include <sys/types.h>

#include <stddef.h>

#include "../utctl.h"

/* record_dir.c: where a trace goes. */
struct record_dir {
	const char	*given;		/* of -o, or NULL */
	char		*dir;
	int		 keep;		/* it was there before */
	int		 replace;	/* -r: what was there goes to old */
	char		*old, *older;	/* and what was there comes back; */
					/* NULL: there is none */
	int		 above;		/* the directory with all of these */
	int		 older_fd;	/* older, as it was found; or -1 */
};

void	 record_dir_name(struct record_dir *, const char *);
int	 record_dir_try(struct record_dir *);
int	 record_dir_make(struct record_dir *);	/* -1: it said why not */
int	 record_dir_replace(struct record_dir *, int);
void	 record_dir_done(struct record_dir *);	/* it is another trace now */
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
	pid_t		 pid;		/* as utd sees it */
	int		 seen;		/* and we do, too */
};

struct record {
	char		**argv;		/* the command; NULL: what runs, */
	struct attached	*pids;		/* these processes */
	size_t		 npids;		/* 0: all */
	int64_t		 limit;		/* ms to be recorded; -1: no limit */
	int64_t		 until;		/* when that is over; -1: never */
	int		 sig;		/* that came last to end us, or 0 */
	int		 killed;	/* the signal that killed it, or 0 */
	int		 over;		/* 1: it is; -1: that went wrong */
	char		*session;
	struct record_dir	 out;
	int		 created;	/* utd took it for the session, */
	int		 left;		/* and may still write there */
	int		 ran;		/* the command did */
	int		 keeps;		/* write what there is if it fails, */
	int		 failed;	/* and it did */
	char		*shot;		/* what utd said of that, or NULL */
	char		**globs;
	size_t		 nglobs;
	struct rule	 rule;		/* but the glob */
	struct attrs	 attrs;		/* of the channel */
	char		*preload;	/* libraries of -w, or NULL */
	char		*utd;
	char		*private;	/* directory, or NULL */
	char		*rundir;	/* in there, or where programs look */
	int		 made;		/* and it was not there */
	int		 foreign;	/* root has it only from a process */
	uid_t		 uid;		/* that of this user, */
	gid_t		 gid;		/* and group */
	pid_t		 pid;		/* of utd */
	int		 taken;		/* another utd keeps ours out */
	int		 shared;	/* it was there before, and stays */
	struct client	*client;	/* or NULL: utd is no more */
	int		 again;		/* how often it was killed */
	int		 absent;	/* looks without a socket, in a row */
	int		 missed;	/* no utd, as was said */
	int		 follow;	/* -F */
	struct follower	 follower;
};

/* wrapper.c: what -w can name, each a library libut-NAME.so. */
struct wrapper {
	const char	*name;		/* NULL ends the table */
	const char	*what;		/* for help */
	const char	*events[2];	/* that it is for; or one, and NULL */
};

extern const struct wrapper wrappers[];
char	*wrapper_add(char *, const char *);
int	 wrapper_is(const char *);
int	 wrapper_in(const char *, const char *);
const char *wrapper_name(size_t);	/* NULL: there are no more */
/* Say it if the command is not loaded as wrappers have to be. */
void	 loader_say(const char *);

/* record_options.c: -1: they are not what the usage says. */
int	 record_options(struct record *, int, char **);

/* record_session.c: 0, or -1 after a message.  Of a struct record. */
int	 record_begin(void *);
/* Take the channel of modules out of what utd says of the session. */
uint64_t modules_hide(const struct record *, struct row *);

/* attach.c: -1 after a message. */
int	 attach_find(struct record *);
struct client *attach_client(const struct record *);	/* or NULL: no utd */
int	 attach_await(struct record *);
int	 attach_track(struct record *);
const char *attach_name(const struct record *);
void	 attach_say(const struct record *);
int	 attach_wait(struct record *);

/* report.c: what was recorded; -1 if it is not all. */
int	 report(const struct record *, struct row *);

#endif /* RECORD_H */
