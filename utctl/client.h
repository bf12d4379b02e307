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
 * The connection to utd.  Failures are said on stderr, and NULL or -1 returned.
 */

#ifndef CLIENT_H
#define CLIENT_H

#include <stdint.h>

#include "common/msg.h"

struct client;

/* A row of a reply, with the rows under it. */
struct member {
	const char	*key;
	char		*str;		/* NULL: it is a number */
	char		*clean;		/* the escaped str, freed; or NULL */
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

#define LINGER	10000		/* ms that utd may take to end */

#define CLIENT_OWN	1
#define CLIENT_OWN_LAST	2	/* utd ends after the last session */
struct client	*client_open(const char *, int);
struct client	*client_try(const char *);
struct client	*client_on(int, const char *);	/* a socket: -1, NULL */
/* Is the time bounded that the utd of a stranger may take from now on? */
void		 client_bound(struct client *, int);
void		 client_close(struct client *);
void		 client_ended(struct client *);	/* wait for that of utd */
int		 client_gone(const struct client *);
/* Do not tell when utd hangs up. */
void		 client_may_go(struct client *);
const char	*client_dir(const struct client *);
int		 client_fd(const struct client *);
int		 client_look(struct client *);
void		 client_interrupt(int);
int		 client_interrupted(void);
struct ut_msg	*client_begin(struct client *, int);
int		 client_request(struct client *, struct row **);
int		 client_ask(struct client *, int, const char *, struct row **);
int		 client_say(struct client *, int);
const char	*client_text(const struct client *);	/* the last reply's */
int		 client_did(const struct client *, uint32_t);	/* UT_DID_ */
/* A mask: bit UT_TAKEN_ of each. */
void		 client_hush(struct client *, unsigned int);
int		 client_hushed(const struct client *);
const struct row *row_first(const struct row *, const char *);
const struct member *row_find(const struct row *, const char *);
const char	*row_str(const struct row *, const char *);
uint64_t	 row_num(const struct row *, const char *);
void		 row_subtract(struct row *, const char *, uint64_t);
void		 rows_clean(struct row *);
void		 row_free(struct row *);

#endif /* CLIENT_H */
