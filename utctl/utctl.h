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
 * What utctl's files share: one file per family of commands, and what they
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

struct step;

/* A row of the table of commands, which ends with a name that is NULL. */
struct command {
	const char	*name;
	int		(*run)(int, char **);
	/* Check only, for load: 0, or 1 after a message. */
	int		(*parse)(int, char **, struct step *);
	unsigned int	 attrs;		/* ATTR_ENABLE, ATTR_RECORD or 0 */
	const char	*usage;		/* of all other arguments */
};

/* usage.c */
extern const struct command *utctl_command;	/* that runs */
void	 commands_are(const struct command *);
const struct command *command_find(const char *);
const struct command *command_select(const char *);
int	 command_unknown(const char *);		/* says it; returns 1 */
void	 usage_print(FILE *, const char *, const struct command *);
void	 usage_all(FILE *);
void	 usage_complained(void);
int	 usage(void);				/* says it; returns 1 */

/* help.c */
int	 help(const struct command *);	/* NULL: list all; returns 0 */

/* values.c */
int	 values(const struct command *, char);	/* 0 or 1 */

/* option.c */
extern const char	*utctl_path;	/* as it was called */
int	 option(int, char **, const char *);
int	 option_first(int, char **, const char *);
int	 parse_size(const char *, unsigned long long *);	/* 0 or -1 */

/* level.c: what is none is said on stderr, and utctl ends. */
uint32_t parse_level(const char *);

/* event.c */
struct rule {
	const char	*session;
	const char	*channel;
	const char	*glob;
	uint32_t	 kind;		/* UT_RULE_ */
	uint32_t	 level;
	char		**except;
	size_t		 nexcept;
	const char	*filter;	/* NULL: none */
};

#define RULE_OPTIONS	"f:l:L:x:"

/* -l, -L, -x and -f, of getopt(3); 0: none of these. */
int	 rule_option(struct rule *, int);
void	 rule_check(const struct rule *);	/* or utctl ends */
void	 rule_init(struct rule *, int);	/* room for so many */
/* What is wrong with a filter is said on stderr, and utctl ends. */
void	 check_filter(const char *);
int	 client_rule(struct client *, int, const struct rule *);
int	 parse_enable_event(int, char **, struct step *);
int	 cmd_enable_event(int, char **);
int	 cmd_disable_event(int, char **);

/* track.c: which programs a session records. */
struct entry {
	uint32_t	 kind;		/* UT_TRACK_ */
	uint32_t	 number;
	const char	*glob;
};

/*
 * step.c: a command whose arguments have been checked, and that utd has yet to
 * be asked for.  Strings are of the arguments, if not said otherwise.
 */
struct step {
	int		 type;		/* UT_CTL_ */
	int		(*ask)(struct client *, struct step *);	/* 0 or 1 */
	const char	*session;	/* "": the one created last */
	const char	*channel;	/* "": channel0 */
	struct attrs	 attrs;
	struct rule	 rule;		/* but session, channel, glob */
	char		**globs;
	char		**names;	/* of contexts */
	struct entry	*entries;	/* of track, freed */
	uint32_t	 nentries;
	uint32_t	 chunks;		/* UT_CHUNKS_ that are given: */
	uint32_t	 ms;
	uint64_t	 bytes;
	const char	*command;	/* of these, or of a trigger */
	const char	*name;		/* of a snapshot; or NULL */
	int		 keeps;		/* create: nothing is just written */
	uint32_t	 action;	/* UT_TRIGGER_ */
	uint32_t	 count;		/* of matches, 0: once; or its number */
	char		*dir;		/* of create, freed; NULL: default,
					   "": no output */
	char		*made;		/* the session's name, freed */
	int		 quiet;		/* keep what utd says */
	char		*answer;	/* there; NULL: nothing */
};

void	 step_init(struct step *);
int	 step_run(int, char **, int (*)(int, char **, struct step *));
int	 step_say(struct client *, struct step *, int);
void	 step_free(struct step *);

/* session.c: what cannot be is said on stderr, and utctl ends. */
void	 check_name(const char *, const char *);
void	 check_session(const char *);
char	*absolute(const char *);
char	*stamped(const char *);
void	 check_attrs(const struct attrs *);
int	 session_parse(int, char **, struct step *, int);
int	 parse_ms(const char *, unsigned long long *);	/* 0 or -1 */
char	*time_text(uint64_t);		/* of milliseconds */
int	 attr_option(struct attrs *, int);	/* of getopt(3); 0: not one */
int	 client_channel(struct client *, int, const char *, const char *,
	    const struct attrs *);
void	 session_created(const struct step *);
char	*default_dir(const char *);
int	 parse_create(int, char **, struct step *);
int	 parse_start(int, char **, struct step *);
int	 parse_enable_channel(int, char **, struct step *);
int	 parse_disable_channel(int, char **, struct step *);
int	 cmd_create(int, char **);
int	 cmd_start(int, char **);
int	 cmd_stop(int, char **);
int	 cmd_destroy(int, char **);
int	 cmd_enable_channel(int, char **);
int	 cmd_disable_channel(int, char **);
int	 cmd_remove_channel(int, char **);

/* glob.c: what cannot be is said on stderr, and utctl ends. */
void	 check_glob(const char *);	/* for names of events */
void	 check_program(const char *);	/* for names of programs */

/* context.c */
int	 parse_add_context(int, char **, struct step *);
int	 cmd_add_context(int, char **);

/* track.c */
uint32_t parse_pid(const char *);	/* or utctl ends */
int	 parse_track(int, char **, struct step *);
int	 cmd_track(int, char **);
int	 cmd_untrack(int, char **);

/* trigger.c */
int	 parse_trigger(int, char **, struct step *);
int	 cmd_trigger(int, char **);

/* rotate.c */
int	 parse_rotate(int, char **, struct step *);
int	 cmd_rotate(int, char **);
int	 cmd_clear(int, char **);

/* snapshot.c */
int	 client_snapshot(struct client *, const char *, const char *,
	    const char *, const char *, struct row **);
int	 cmd_snapshot(int, char **);

/* shutdown.c */
int	 cmd_shutdown(int, char **);

/* list.c */
int	 cmd_list(int, char **);
int	 cmd_events(int, char **);
int	 cmd_status(int, char **);

/* words.c */
char	*quote(const char *);
int	 split(char *, char **, const char **);

/* save.c */
int	 cmd_save(int, char **);

/* load.c */
int	 cmd_load(int, char **);

/* find.c */
char	*utd_find(void);
char	*wrapper_add(char *, const char *);
int	 wrapper_is(const char *);
int	 wrapper_in(const char *, const char *);
const char *wrapper_name(size_t);	/* NULL: there are no more */

/* loader.c */
/* A library's path, as LD_PRELOAD is to have it; the argument is freed. */
char	*loader_entry(char *);
/* Say it if the command is not loaded as wrappers have to be. */
void	 loader_say(const char *);

/* child.c */
pid_t	 utd_start(char *, char *, int *, int *);	/* -1: it said why not */
void	 utd_owned(void);	/* or will not be: utd may see our end */
int	 utd_reap(pid_t);
void	 signals_catch(void);
pid_t	 child_spawn(char **, void (*)(const void *), const void *);
int	 child_await(pid_t, int, int64_t, int *, int *);
int	 wait_signal(int, int, int *);
int	 interruptible(int (*)(void *), void *);

/* private.c */
char	*private_make(void);		/* NULL: it said why not */

/* asuser.c */
int64_t	 as_user_deadline(void);
int	 as_user(uid_t, gid_t, int (*)(void *), void *, int64_t);
int	 connect_as(uid_t, gid_t, const char *);

/* remove.c */
void	 remove_dir(const char *, int);
/*
 * The directory above, which no link that others could have put there leads to,
 * and the name in there, which is freed; -1 with errno.
 */
int	 dir_above(const char *, char **);
void	 dir_above_say(const char *);	/* why not */
int	 dir_open(int, const char *);	/* of that name, no link to one */
int	 dir_keeps_names(int);	/* nobody else can rename what is there */
int	 dir_removable(int, int);	/* in the first; may root? */
int	 dir_remove(int, const char *, int);

/* nothing.c */
int	 had_event(const struct row *, const char *);
void	 nothing_say(const struct row *, int);
void	 warnings_say(const struct row *);
void	 remedies_say(const struct row *);
int	 end_ask(struct client *, struct step *);

/* running.c: NULL, or -1, is not known; strings are freed. */
char	*process_name(pid_t);
char	*process_env(pid_t, const char *);	/* errno is 0: not set */
pid_t	 process_with(const char *, const char *);	/* in it; or 0 */
int	 process_user(pid_t, uid_t *, gid_t *);	/* the effective ones */
int	 process_stopped(pid_t);
int	 process_thread(pid_t, const char *);	/* has it one of that name? */

/* record.c */
int	 cmd_record(int, char **);

/* left.c */
unsigned int left_behind(const char *, int);

/* recover.c */
int	 cmd_recover(int, char **);

/* which.c */
char	**which_traces(char **);
void	 which_free(char **);

/* view.c */
int	 cmd_view(int, char **);

/* stat.c */
int	 cmd_stat(int, char **);

/* heap.c */
int	 cmd_heap(int, char **);

/* locks.c */
int	 cmd_locks(int, char **);

/* export.c */
int	 cmd_export(int, char **);

#endif /* UTCTL_H */
