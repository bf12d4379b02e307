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
 * Wants: the rules and filters of channels, the tracks of sessions, and plans.
 */

#ifndef RULE_H
#define RULE_H

#include "../talk/user.h"

struct channel;
struct event;
struct expr;
struct program;
struct region;
struct session;
struct table;

/* rule_filter.c: the filters of rules, and their code for an event. */
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

/* rule.c: which events a channel wants. */
struct rule {
	unsigned int	 refs;		/* the channel, who asked for it */
	char		 glob[NAME_MAXLEN];
	uint32_t	 kind;		/* UT_RULE_ */
	uint32_t	 level;
	char		**except;
	uint32_t	 nexcept;
	struct filter	*filter;	/* NULL: none */
	uint32_t	 serial;	/* unique */
	size_t		 bytes;		/* bytes of patterns and filter */
	bool		 matched;	/* some event */
	char		 nearest[NAME_MAXLEN];	/* an event of like name */
	unsigned int	 distance;	/* edit distance to nearest */
	struct rule	*next;
	struct rule	*prev;		/* an older one */
};

/* NULL and why, if it is invalid. */
struct rule *rule_read(struct ut_msg *, char *, size_t);
void	 rule_free(struct rule *);
bool	 rule_matches(const struct rule *, const char *, uint32_t);
bool	 rule_add(struct channel *, struct rule *);
bool	 rule_del(struct channel *, const struct rule *);
void	 rules_free(struct channel *);

/* The event does not match the rule. */
void	 nearest_note(struct rule *, const char *);

/* track.c: which programs a session wants. */
struct track {
	uint32_t	 kind;		/* UT_TRACK_ */
	uint32_t	 number;	/* PID or UID; 0: see glob */
	char		 glob[UT_TRACK_GLOB + 1];	/* for names; or "" */
	struct track	*next;
};

/* A session's verdict on a program: all 0 before the program is judged. */
struct verdict {
	uint32_t	 tracking;	/* the session's tracking then */
	uint32_t	 judged;	/* how many entries were looked at */
	unsigned int	 kinds;		/* kinds of these entries, as bits */
	unsigned int	 matched;	/* kinds that the program matches */
	bool		 wanted;
};

bool	 tracks_read(struct ut_msg *, struct track **);
void	 tracks_free(struct track *);
const char *track_text(const struct track *);
bool	 tracks_add(struct session *, const struct track *, char *, size_t);
bool	 tracks_del(struct session *, const struct track *, char *, size_t);
void	 session_untrack(struct session *);	/* the session goes */
bool	 track_judge(const struct session *, const struct program *,
	    struct verdict *);

/* plan.c: the IDs of a table's events in a region, and their filters. */
struct plan {
	uint64_t	 table;		/* serial number of the table */
	uint32_t	 rules;		/* generation of the rules */
	uint32_t	 newest;	/* serial number of the newest rule */
	struct region	*region;	/* NULL: nothing matches */
	unsigned int	 refs;
	uint32_t	 judged;	/* how many events were, in turn */
	struct rule	*rule;		/* to try next, on the next event */
	struct user	*user;		/* charged for wants; or NULL */
	struct want	*wants;		/* filters of events, in turn */
	size_t		 nwants, wants_room;
	size_t		 want;		/* where assigning goes on in wants */
	uint32_t	 assigned;	/* how many events were, in turn */
	bool		 whole;		/* nothing lacks just for now */
	bool		 refused;	/* some filters, for lack of memory */
	struct code	**codes;	/* NULL, or for each event a filter's */
	uint32_t	 n;
/* The verdict on an event, until it has its ID. */
#define PLAN_WANTED	1
#define PLAN_NEWEST	2		/* the newest rule matches */
	uint16_t	*ids;		/* IDs of the first n events; 0: none */
	bool		 hit;		/* the newest rule matches an event */
	uint32_t	 counted;	/* the last count that had its events */
	struct plan	*next;		/* next plan of the channel */
};

struct plan *plan_ref(struct plan *);
void	 plan_unref(struct plan *);
struct plan *plan_find(const struct channel *, const struct table *,
	    const struct region *);
struct plan *plan_new(const struct table *);
bool	 plan_judge(struct plan *, const struct channel *,
	    const struct table *);
size_t	 plan_wants(const struct plan *, uint32_t);
bool	 plan_code(struct plan *, const struct table *, uint32_t,
	    struct code *);
void	 plan_assign(struct plan *, uint32_t, uint32_t);
const struct code *plan_filter(const struct plan *, uint32_t);
void	 plan_done(struct plan *);
void	 plan_keep(struct channel *, struct plan *);
bool	 plan_lacks(const struct plan *, const struct table *, uint32_t *);
void	 plans_forget(struct channel *, const struct region *);

#endif /* RULE_H */
