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

#include "msg.h"

struct client;

/* A row of a reply, with the rows under it. */
struct member {
	const char	*key;
	char		*str;		/* NULL: it is a number */
	char		*clean;		/* what str is instead, or NULL */
	uint64_t	 num;
};

struct row {
	struct row	*next;		/* at the same depth */
	struct row	*child;
	struct row	*last;		/* child */
	const char	*what;		/* "" is the reply itself */
	size_t		 n;
	struct member	 m[];
};

/* option.c */
extern const char	*utctl_path;	/* as it was called */
extern const char	*utctl_usage;	/* of the command that runs */
int	 usage(const char *);		/* says it, with that name; returns 1 */
int	 option(int, char **, const char *);
int	 option_first(int, char **, const char *);

/*
 * say.c: as warnx(3), warn(3), errx(3) and err(3) with status 1, but nothing
 * in the message reaches the terminal that it might obey.
 */
void	 say(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 say_errno(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 die(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
void	 die_errno(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
char	*format(const char *, ...) __attribute__((format(printf, 1, 2)));
char	*clean(const char *);

/* client.c: what fails is said on stderr, and NULL or -1 returned. */
struct client	*client_open(const char *, int);
void		 client_close(struct client *);
void		 client_end(struct client *);	/* and of its utd */
int		 client_gone(const struct client *);
const char	*client_dir(const struct client *);
int		 client_fd(const struct client *);
int		 client_look(struct client *);
void		 client_interrupt(int);
int		 client_interrupted(void);
struct ut_msg	*client_begin(struct client *, int);
int		 client_request(struct client *, struct row **);
int		 client_ask(struct client *, int, const char *, struct row **);
int		 client_say(struct client *, int);
/* A mask: bit UT_TAKEN_ of each. */
void		 client_hush(struct client *, unsigned int);
int		 client_hushed(const struct client *);
const char	*row_str(const struct row *, const char *);
uint64_t	 row_num(const struct row *, const char *);
void		 rows_clean(struct row *);
void		 row_free(struct row *);

/* session.c: what cannot be is said on stderr, and utctl ends. */
void	 check_name(const char *, const char *);
void	 check_session(const char *);
uint32_t parse_subsize(const char *);
uint32_t parse_count(const char *);
char	*absolute(const char *);
char	*stamped(const char *);
/* Of a channel; 0 is the default of each. */
struct geometry {
	uint32_t	 subsize;
	uint32_t	 count;
	uint32_t	 buffers;	/* UT_BUFFERS_ */
	uint32_t	 clock;		/* UT_CLOCK_ */
};
int	 client_channel(struct client *, const char *, const char *,
	    const struct geometry *);
uint32_t parse_clock(const char *);
int	 cmd_create(int, char **);
int	 cmd_start(int, char **);
int	 cmd_stop(int, char **);
int	 cmd_destroy(int, char **);
int	 cmd_enable_channel(int, char **);
int	 cmd_disable_channel(int, char **);
int	 cmd_remove_channel(int, char **);

/* event.c */
struct rule {
	const char	*session;
	const char	*channel;
	const char	*glob;
	uint32_t	 kind;		/* UT_RULE_ */
	uint32_t	 level;
	char		**except;
	size_t		 nexcept;
};

int	 client_rule(struct client *, int, const struct rule *);
int	 cmd_enable_event(int, char **);
int	 cmd_disable_event(int, char **);

/* glob.c: what cannot be is said on stderr, and utctl ends. */
void	 check_glob(const char *);

/* list.c */
int	 cmd_list(int, char **);
int	 cmd_events(int, char **);

/* find.c */
char	*utd_find(void);
char	*wrapper_find(const char *);

/* child.c */
pid_t	 utd_start(char *, char *, int *);	/* -1: it said why not */
void	 utd_reap(pid_t);
void	 signals_catch(void);
pid_t	 child_spawn(char **, void (*)(const void *), const void *);
int	 child_await(pid_t, int, int *);
int	 interruptible(int (*)(void *), void *);

/* record.c */
int	 cmd_record(int, char **);

/* left.c */
unsigned int left_behind(const char *, int);

/* recover.c */
int	 cmd_recover(int, char **);

/* view.c */
int	 cmd_view(int, char **);

#endif /* UTCTL_H */
