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

/* The journal: all that the next utd needs to know if this one is killed. */

#ifndef JOURNAL_H
#define JOURNAL_H

#include "../../../libut/common/attr.h"
#include "../../utd.h"

struct channel;
struct rule;
struct session;
struct trace;
struct track;
struct warning;

/* An ID as the argument of a callback: the object may be gone by then. */
static inline void *
id_arg(uint32_t id)
{
	return (void *)(uintptr_t)id;
}

/*
 * journal.c: an object that the next utd is to know.
 */
enum saved_kind {
	SAVED_CONSUMER, SAVED_SESSION, SAVED_TRACE, SAVED_CHANNEL,
	SAVED_REGION
};

struct saved {
	enum saved_kind	 kind;
	uint32_t	 id;		/* unique in its kind; or a UID */
	void		*object;
	struct saved	*chain;		/* next in the bucket of IDs */
	bool		 changed;	/* in the list of changed objects */
	bool		 seen;		/* copied to the new journal */
	struct saved	*next, **at;
	struct saved	*next_changed, **changed_at;
	struct {
		bool		 there;
		uint32_t events;	/* there, and so the last ID */
		uint64_t	 text;	/* bytes of metadata there */
	} in[2];			/* the journal, and its copy */
};

/* Types of messages in the journal, which are not those of the protocol. */
#define STATE_BEGIN	1	/* a version */
#define STATE_END	2	/* end of records that belong together */
#define STATE_CONSUMER	3	/* a uid, b gid: str name of the bell, for
				   utctl/rec/recover.c, too */
#define STATE_SESSION	4	/* a id, b the session that it watches for as
				   that one's trigger, or 0 */
#define STATE_WARNING	5	/* a session, b uid: str */
#define STATE_TRACE	6	/* a id, b session: see put_trace */
#define STATE_TEXT	7	/* a trace: u64 where, str metadata */
#define STATE_CHANNEL	8	/* a id, b session: see put_channel */
#define STATE_RULE	9	/* a channel: as in the protocol */
#define STATE_REGION	10	/* a id, b channel: see put_region, and
				   utctl/rec/recover.c */
#define STATE_ENTRY	11	/* a id, b region: u32 level, str name, str
				   program, fields as in EVENTS */
#define STATE_UNRULE	12	/* a channel: as in the protocol */
#define STATE_GONE	13	/* a what, b id: with all that is below it */
#define STATE_TRACK	14	/* a session: as in the protocol */
#define STATE_UNTRACK	15	/* a session: as in the protocol */
#define STATE_CHUNK	16	/* a session, b 1: the command has yet to be
				   run for it, 0: for the first no more: str */

/*
 * How the journal is told what to write: see state.c.  False if there are more
 * rows than so many bytes hold.
 */
struct saved_ops {
	uint32_t version;
	bool	(*put)(unsigned int, struct saved *, size_t);
	bool	(*rows)(unsigned int, struct saved *, size_t);
	void	(*gone)(unsigned int, struct saved *);
};

uint32_t new_id(void);
void	 state_add(struct saved *, enum saved_kind, uint32_t, void *);
void	*state_find(enum saved_kind, uint32_t);	/* the object, or NULL */
#define session_by_id(id) ((struct session *)state_find(SAVED_SESSION, id))
#define trace_by_id(id)	((struct trace *)state_find(SAVED_TRACE, id))
#define channel_by_id(id) ((struct channel *)state_find(SAVED_CHANNEL, id))
#define region_by_id(id) ((struct region *)state_find(SAVED_REGION, id))
void	 state_changed(struct saved *);
void	 state_del(struct saved *);
void	 state_save(void);		/* now, what has changed */
void	 state_soon(void);
size_t	 journal_put(unsigned int, const struct ut_msg *);
extern const struct saved_ops *journal_ops;
void	 journal_open(const char *, const char *);
const char *journal_trouble(void);
void	 journal_end(void);
void	 journal_remove(void);

/* A member of an object that is saved: see state.c. */
struct member {
	enum {
		MEMBER_NUMBER,		/* a bool, or one of 4 or 8 bytes */
		MEMBER_TEXT,		/* an array of char */
		MEMBER_STRING		/* allocated, or NULL, which is "" */
	} type;
	const char	*name;		/* in a list; NULL: not there */
	size_t		 at;		/* offset in the object */
	size_t		 size;		/* at most; 0: the table ends */
};

extern const struct member session_members[], trigger_members[];
extern const struct member channel_members[], counts_members[];
extern const struct member trace_members[], region_members[];
uint64_t member_number(const struct member *, const void *);
const char *member_text(const struct member *, const void *);
/* Copy all of a table, strings too, to an object from another. */
void	 members_move(const struct member *, void *, const void *);

/* state.c: the records of all objects. */
extern const struct saved_ops state_ops;
void	 state_renew(struct trace *);	/* metadata begin anew */
void	 state_warning(const struct session *, const struct warning *);
void	 state_chunk(const struct session *, const char *, bool);
void	 state_rule(const struct channel *, const struct rule *, bool);
void	 state_track(const struct session *, const struct track *, bool);

#endif /* JOURNAL_H */
