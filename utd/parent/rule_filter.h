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
 * rule_filter.c: the filters of rules, and their code for an event.
 */

#ifndef RULE_FILTER_H
#define RULE_FILTER_H

#include "user.h"

struct event;
struct expr;

struct filter {
	char		*text;
	struct expr	*expr;
	unsigned int	 refs;
	bool		 told;		/* the user has been told why */
	char		 why[512];	/* the first event it does not fit */
};

struct filter *filter_new(const char *, char *, size_t);
struct filter *filter_ref(struct filter *);
void	 filter_unref(struct filter *);

struct channel;

/* An event, by number, is wanted if it passes the filter. */
struct want {
	uint32_t	 event;
	struct filter	*filter;
};

struct code {
	unsigned int	 refs;
	uint32_t	 hash;
	struct user	*user;		/* charged for the code */
	struct code	*next;
	uint32_t	 len;
	unsigned char	 b[];
};

struct code *code_compile(const struct channel *, const struct want *,
	    size_t, const struct event *, const char *, bool *);
void	 code_unref(struct code *);

#endif /* RULE_FILTER_H */
