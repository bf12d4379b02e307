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

#include "user.h"

/* hash.c */
uint32_t hash_bytes(uint32_t, const void *, size_t);

/* What an event looks like, once for all programs that offer it. */
struct desc {
	char		*name;
	uint32_t	 level;
	uint32_t	 hash;
	uint32_t	 refs;
	uint32_t	 len;
	unsigned char	*body;		/* fields, as they came in EVENTS */
	struct desc	*next;
};

struct field {
	char		 name[NAME_MAXLEN];
	uint8_t		 kind;
	uint8_t		 size;
	uint8_t		 flags;
	uint32_t	 count;
	uint32_t	 nvalues;	/* of an enumeration; read them next */
};

/* desc.c: the description of an event. */
bool	 desc_name_valid(const char *, uint32_t);
struct desc *desc_get(const char *, uint32_t, struct ut_msg *);
struct desc *desc_ref(struct desc *);
void	 desc_unref(struct desc *);
void	 desc_open(const struct desc *, struct ut_msg *, uint32_t *);
void	 desc_field(struct ut_msg *, struct field *);
void	 desc_value(struct ut_msg *, char *, int *, int *);
void	 desc_type(const struct field *, char *, size_t);
bool	 desc_same_fields(const struct desc *, const struct desc *);

/* One event of a registry. */
struct entry {
	struct desc	*desc;
	uint32_t	 id;
	uint32_t	 rule;		/* serial of the newest that matched */
	char		 program[PROGRAM_NAME];	/* the first that offered it */
	struct entry	*next;		/* in the bucket */
	struct entry	*after;		/* in the order of IDs */
};

struct registry {
	struct user	*user;		/* whose programs' events they are */
	size_t		 taken;		/* bytes charged to that user */
	size_t		 bytes;		/* of descriptions */
	struct entry	**buckets;
	uint32_t	 nbuckets;
	uint32_t	 nentries;	/* and so the last ID */
	struct entry	*first, **last;
};

/* registry.c */
void	 registry_init(struct registry *, struct user *);
void	 registry_free(struct registry *);
/*
 * The entry, perhaps a new one.  NULL, a text and errno if it is refused:
 * ENOMEM if only for now.
 */
struct entry *registry_get(struct registry *, struct desc *, const char *,
	    uint32_t, bool *, char *, size_t);

/* An event as programs of one table have it. */
struct type {
	char		*name;		/* NULL: not told yet */
	uint32_t	 level;
	bool		 refused;	/* it makes no sense */
	struct desc	*desc;		/* NULL: not told yet */
};

/* table.c: the events that a program has. */
struct table {
	struct user	*user;
	uint64_t	 fingerprint;
	uint64_t	 serial;	/* unique */
	unsigned int	 refs;
	uint32_t	 size;
	uint32_t	 known;		/* events whose name is known */
	struct type	*types;
	size_t		 bytes;
	struct table	*next;
};

/* NULL or false on failure; errno is ENOMEM if memory or a quota lacks. */
struct table *table_get(uid_t, uint64_t, uint32_t, const struct table *);
void	 table_drop(struct table *);
bool	 table_names(struct table *, struct ut_msg *);
bool	 table_event(struct table *, uint32_t, struct ut_msg *);

#endif /* EVENT_H */
