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
 * All that utctl's files share: one file per family of commands, and what they
 * all use.
 */

#ifndef UTCTL_H
#define UTCTL_H

#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "client.h"
#include "common/attr.h"
#include "say.h"

#define OPTIONS_MAX	32

struct reader_dir;
struct step;

/*
 * All about a command, in the file of the command: usage, help and the letters
 * for getopt(3) are made from it.
 */
struct command {
	const char	*name;
	const char	*line;		/* for help: what the command does */
	const char	*page;		/* the manual, in section 1 */
	const char	*usage;		/* arguments other than attributes */
	/* "-x value\twhat it is", or "-x\twhat it is"; NULL ends them. */
	const char	*options[OPTIONS_MAX];
	unsigned int	 attrs;		/* ATTR_ENABLE, ATTR_RECORD or 0 */
	char		 letter;	/* an option with few values, or 0 */
	/* The names of these values: value(0), value(1), ..., NULL. */
	const char	*(*value)(size_t);
	/* Each value's meaning, for help; NULL: see options. */
	const char	*(*meaning)(size_t);
	/* Runs the command to its exit status; NULL: parse and ask do. */
	int		(*run)(int, char **);
	/* Checks the arguments, and notes them: 0, or 1 after a message. */
	int		(*parse)(int, char **, struct step *);
	/* Asks utd for what was noted, and returns the exit status. */
	int		(*ask)(struct client *, struct step *);
	int		 type;		/* UT_CTL_, of the request to utd */
	int		 loads;		/* a line of load may be this command */
};

extern const struct command cmd_create, cmd_start, cmd_stop, cmd_destroy,
	    cmd_enable_channel, cmd_disable_channel, cmd_remove_channel,
	    cmd_add_context, cmd_enable_event, cmd_disable_event, cmd_track,
	    cmd_untrack, cmd_trigger, cmd_rotate, cmd_clear, cmd_snapshot,
	    cmd_status, cmd_list, cmd_events, cmd_save, cmd_load, cmd_record,
	    cmd_recover, cmd_shutdown, cmd_view, cmd_stat, cmd_heap, cmd_locks,
	    cmd_export, cmd_report, cmd_serve, cmd_skew, cmd_top,
	    cmd_dtrace;

/* help.c */
extern const struct command *utctl_command;	/* the one that runs */
void	 commands_are(const struct command *const *);	/* NULL ends them */
const struct command *command_find(const char *);
const char *command_loaded(size_t);		/* a command for load */
int	 command_unknown(const char *);		/* says it; returns 1 */
char	*names_text(const char *(*)(size_t));	/* "a, b and c" */
void	 usage_all(FILE *);
void	 usage_complained(void);
int	 usage(void);				/* says it; returns 1 */
int	 usage_lacks(const char *);		/* says that, too */
int	 help(const struct command *);	/* NULL: list all; returns 0 */
int	 values(const struct command *, char);	/* an option's; 0 or 1 */

/* option.c: what cannot be is said on stderr, and utctl ends; or -1. */
extern const char	*utctl_path;	/* argv[0] of utctl */
int	 option(int, char **);
int	 option_first(int, char **);
int	 parse_size(const char *, unsigned long long *);	/* 0 or -1 */
uint64_t parse_bytes(const char *);
int	 parse_ms(const char *, unsigned long long *);	/* 0 or -1 */
int	 parse_number(const char *, unsigned long, uint32_t *);	/* 0 or -1 */
uint32_t parse_pid(const char *);
uint32_t parse_level(const char *);
char	*time_text(uint64_t);		/* for milliseconds; freed */
void	 check_name(const char *, const char *);
void	 check_session(const char *);
const char *check_command(const char *);	/* for sh; that argument */
void	 check_attrs(const struct attrs *);
int	 attr_option(struct attrs *, int);	/* 0: no attribute's letter */
char	*absolute(const char *);
char	*stamped(const char *);

/* event.c */
struct rule {
	const char	*session;
	const char	*channel;
	const char	*glob;
	uint32_t	 kind;		/* UT_RULE_ */
	uint32_t	 level;
	char		**except;	/* has room for all arguments */
	size_t		 nexcept;
	const char	*filter;	/* NULL: none */
};

#define RULE_USAGE	"[-l level | -L level] [-x glob] ... [-f filter]"
#define RULE_HELP \
	"-l level\tevents of this level and more severe ones", \
	"-L level\tevents of this level", \
	"-x glob\tnot those that match; may be repeated", \
	"-f filter\tonly if this is true, as 'status >= 500'"

/* -l, -L, -x and -f, of getopt(3); 0: none of these. */
int	 rule_option(struct rule *, int);
void	 rule_check(const struct rule *);	/* dies if it is wrong */
/* Dies after the reason if the filter is wrong. */
void	 check_filter(const char *);
int	 client_rule(struct client *, int, const struct rule *);

#define SESSION_HELP \
	"-s session\tthe session (default: the one created last)"
#define CHANNEL_HELP \
	"-c channel\tthe channel (default: channel0)"

/*
 * step.c: a command whose arguments have been checked, and that utd has yet to
 * be asked for.  Strings are of the arguments, if not said otherwise.
 */
struct step {
	const struct command *command;
	int		 type;		/* UT_CTL_ */
	const char	*session;	/* "": the one created last */
	const char	*channel;	/* "": channel0 */
	char		**names;	/* contexts, or patterns of events */
	void		*own;		/* made by step_own(), freed */
	char		*dir;		/* output of create and snapshot, freed;
					   NULL: default, "": none */
	char		*made;		/* the new session's name, freed */
	int		 quiet;		/* keep what utd says */
	char		*answer;	/* there; NULL: nothing */
};

int	 step_run(const struct command *, int, char **);
void	 step_init(struct step *, const struct command *);
void	*step_own(struct step *, size_t);	/* for ask, all zero */
int	 step_option(struct step *, int);	/* -s or -c; 0: neither */
int	 step_session(int, char **, struct step *);	/* may be named last */
int	 step_say(struct client *, struct step *, int);
void	 step_free(struct step *);

/* session.c */
void	 session_created(const struct step *);
char	*default_dir(const char *);

/* channel.c */
int	 client_channel(struct client *, int, const char *, const char *,
	    const struct attrs *);
int	 client_context(struct client *, const char *, const char *,
	    char *const *);

/* glob.c: what cannot be is said on stderr, and utctl ends. */
void	 check_glob(const char *);	/* for names of events */
void	 check_program(const char *);	/* for names of programs */

/* rotate.c: NULL is the default. */
int	 client_snapshot(struct client *, const char *, const char *,
	    const char *, const char *, struct row **);

/* quote.c */
char	*quote(const char *);
int	 split(char *, char **, const char **);

/* wrapper.c */
char	*utd_find(void);

/* daemon.c */
/* -1: it said why not. */
pid_t	 utd_start(char *, char *, int *, int *);
void	 utd_owned(void);	/* utd has an owner, or gets none */
int	 utd_reap(pid_t);
char	*private_make(void);		/* NULL: it said why not */

/* child.c */
void	 signals_catch(void);
pid_t	 child_spawn(char **, void (*)(const void *), const void *);
int	 child_await(pid_t, int, int64_t, int *, int *);
int	 wait_signal(int, int, int *);
int	 interruptible(int (*)(void *), void *);
int64_t	 as_user_deadline(void);
int	 as_user(uid_t, gid_t, int (*)(void *), void *, int64_t);
int	 connect_as(uid_t, gid_t, const char *);

/* terminal.c */
void	 pager_start(void);	/* for all that is printed later */
int	 pager_colours(void);		/* the pager runs, and shows them */
void	 progress_start(void);
void	 progress_part(size_t, size_t);	/* number from 0, and of how many */
void	 progress_total(uint64_t);	/* bytes to read */
void	 progress_add(uint64_t);	/* bytes that were read */
void	 progress_end(void);	/* before this process prints anything */

/* remove.c */
void	 remove_dir(const char *, int);
/*
 * The directory above, which no link that others could have put there leads to,
 * and the name in there, which is freed; -1 with errno.
 */
int	 dir_above(const char *, char **);
void	 dir_above_say(const char *);	/* why not */
int	 dir_open(int, const char *);	/* no link of that name */
int	 dir_keeps_names(int);	/* nobody else can rename what is there */
int	 dir_removable(int, int);	/* in the first; may root? */
int	 dir_remove(int, const char *, int);

/* why_empty.c */
int	 had_event(const struct row *, const char *);
void	 why_empty(const struct row *, int, const char *);
void	 warnings_say(const struct row *);
void	 remedies_say(const struct row *);
int	 end_ask(struct client *, struct step *);

/* procfs.c: NULL, or -1, is not known; strings are freed. */
char	*process_name(pid_t);
char	*process_env(pid_t, const char *);	/* errno is 0: not set */
/* A process with that in it, or that wrote over it and has the library; or 0 */
pid_t	 process_with(const char *, const char *, const char *);
int	 process_user(pid_t, uid_t *, gid_t *);	/* the effective ones */
int	 process_stopped(pid_t);
int	 process_thread(pid_t, const char *);	/* has it one of that name? */

/* which.c */
struct reader_dir *which_traces(char **);
void	 which_free(struct reader_dir *);

#endif /* UTCTL_H */
