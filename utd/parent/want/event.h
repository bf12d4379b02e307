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
 * Events: what they look like, what a program has, and their IDs.
 */

#ifndef EVENT_H
#define EVENT_H

#include "../talk/user.h"

/* event.c: a hash of what programs of any user have chosen. */
uint32_t hash_bytes(uint32_t, const void *, size_t);

/*
 * An event, once for all programs that offer it and all regions that have it.
 */
struct event {
#define EVENT_NAMED	0	/* the fields are not known */
#define EVENT_DESCRIBED	1
#define EVENT_REFUSED	2	/* invalid */
	unsigned int	 state;
	uint32_t	 level;
	uint32_t	 hash;
	uint32_t	 refs;
	uint32_t	 len;
	unsigned char	*body;		/* fields, as they came in EVENTS, or
					   why it is refused */
	struct event	*next;
	char		 name[];	/* the body follows */
};

#define FIELDS_MAX	128	/* in an event; ut_field.h's sum holds them */

struct field {
	char		 name[NAME_MAXLEN];
	uint8_t		 kind;
	uint8_t		 size;
	uint8_t		 flags;
	uint32_t	 count;
	uint32_t	 nvalues;	/* values of an enumeration come next */
};

/*
 * event.c: a reference to an event with that name and level, and these fields;
 * NULL if they are not known.  NULL and errno, as malloc(3).
 */
struct event *event_get(const char *, uint32_t, struct ut_msg *);
struct event *event_stack(void);
struct event *event_ref(struct event *);
void	 event_unref(struct event *);
void	 event_open(const struct event *, struct ut_msg *, uint32_t *);
void	 event_field(struct ut_msg *, struct field *);
void	 event_value(struct ut_msg *, struct ut_value *, char *);
void	 event_skip(struct ut_msg *, const struct field *);
const char *event_number(uint8_t, int64_t, char *, size_t);
void	 event_type(const struct field *, char *, size_t);
const char *event_why(const struct event *);

/* An event of a region. */
struct entry {
	struct event	*event;
	uint32_t	 rule;		/* serial of the newest that matched */
};

struct registry {
	struct user	*user;		/* the programs' user */
	size_t		 taken;		/* bytes charged to that user */
	size_t		 bytes;		/* length of all descriptions */
	struct entry	*entries;	/* by ID: there is none with ID 0 */
	uint32_t	 last;		/* ID */
	uint16_t	*slots;		/* IDs by the events' hash; or 0 */
	uint32_t	 nslots;
};

/* table.c */
void	 registry_free(struct registry *);
/*
 * The event's ID, perhaps a new one.  0, a text and errno if it is refused:
 * ENOMEM if only for now.
 */
uint32_t registry_get(struct registry *, struct event *, const char *,
	    uint32_t, char *, size_t);

/* The events that a program has. */
struct table {
	struct user	*user;
	uint64_t	 fingerprint;
	uint64_t	 serial;	/* unique */
	unsigned int	 refs;
	uint32_t	 size;
	uint32_t	 known;		/* events whose name is known */
	struct event	**events;	/* by number; NULL: not told yet */
	size_t		 bytes;
	struct table	*next;
};

/* NULL or false on failure; errno is ENOMEM if memory or a quota lacks. */
struct table *table_get(uid_t, uint64_t, uint32_t, const struct table *);
void	 table_drop(struct table *);
bool	 table_names(struct table *, struct ut_msg *);
bool	 table_event(struct table *, uint32_t, struct ut_msg *);

#endif /* EVENT_H */
