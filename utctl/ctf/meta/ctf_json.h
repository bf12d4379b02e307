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
 * CTF 2: the fragments of the metadata as JSON, and what reads them.
 */

#ifndef CTF_JSON_H
#define CTF_JSON_H

#include "ctf_parse.h"

#define JSON_NEEDED	UINT64_MAX	/* there is nothing without it */

enum ctf_json_kind {
	JSON_WORD,			/* true, false, null: see at */
	JSON_INT,
	JSON_REAL,			/* the value is not kept */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
	JSON_ANY			/* asked for: any of these */
};

struct ctf_json {
	enum ctf_json_kind	 kind;
	int			 neg;		/* num is to be negated */
	const char		*at;		/* where it is in the text */
	const char		*key;		/* NULL: of no object */
	const char		*str;
	uint64_t		 num;
	struct ctf_json		*child;		/* the first */
	struct ctf_json		*next;
	size_t			 n;		/* children */
};

#define CTF_RS	'\x1e'			/* in front of each fragment */

/* The structs that a field location may begin in, in their order. */
enum ctf_scope {
	SCOPE_HEADER,			/* packet-header */
	SCOPE_PACKET,			/* packet-context */
	SCOPE_EVENT,			/* event-record-header */
	SCOPE_COMMON,			/* event-record-common-context */
	SCOPE_SPECIFIC,			/* event-record-specific-context */
	SCOPE_PAYLOAD,			/* event-record-payload */
	SCOPE_MAX
};

/* A field class that has a name, and is read where that is. */
struct ctf_json_alias {
	struct ctf_json_alias	*next;		/* older, of the same key */
	const char		*name;
	const struct ctf_json	*fclass;
	size_t			 index;		/* so many are older */
};

/* The metadata while they are read. */
struct ctf_json_parse {
	struct ctf_parse	 p;
	struct ctf_trace	 tree;		/* the fragment's memory */
	struct ctf_trace	 kept;		/* the depth of aliases */
	struct map		 aliases;	/* by their names */
	size_t			 naliases;
	size_t			 visible;	/* so many, the oldest ones */
	int			 hastrace;	/* a trace class was seen */
	enum ctf_scope		 scope;		/* the one that is read */
	struct ctf_type		*scopes[SCOPE_MAX];	/* NULL: none */
	struct ctf_type		*open[CTF_DEPTH];	/* being read */
	int			 nopen;
	size_t			 nodes;		/* the scope's */
	size_t			 allnodes;
	size_t			 steps;		/* in search of fields */
	const struct ctf_json	*timed;		/* a role of the clock */
};

/* ctf_json.c: all of a fragment; NULL: it was said why, or it is cut. */
struct ctf_json *ctf_json(struct ctf_json_parse *);
/* Note an error, as ctf_error() does, at that value. */
void	 ctf_json_wrong(struct ctf_json_parse *, const struct ctf_json *,
	    const char *, ...) __attribute__((__format__(__printf__, 3, 4)));
/* A member of that kind; NULL: there is none, or an error was noted. */
const struct ctf_json *ctf_json_get(struct ctf_json_parse *,
	    const struct ctf_json *, const char *, enum ctf_json_kind);
const struct ctf_json *ctf_json_need(struct ctf_json_parse *,
	    const struct ctf_json *, const char *, enum ctf_json_kind);
/* A member that is a string; or what it is without that, or NULL: needed. */
const char *ctf_json_word(struct ctf_json_parse *, const struct ctf_json *,
	    const char *, const char *);
/* A string of such a value, copied to where the trace is. */
const char *ctf_json_copy(struct ctf_json_parse *, const struct ctf_json *,
	    const char *);
/* A member that is a number of at most max; or what it is without that. */
uint64_t ctf_json_number(struct ctf_json_parse *, const struct ctf_json *,
	    const char *, uint64_t, uint64_t);
/* Note an error if there are extensions. */
void	 ctf_json_extensions(struct ctf_json_parse *,
	    const struct ctf_json *);

/* ctf_fragment.c */
int	 ctf_fragments(struct ctf_trace *, const char *, size_t);

/* ctf_fclass.c */
struct ctf_type *ctf_fclass(struct ctf_json_parse *, const struct ctf_json *,
	    const char *, enum ctf_scope);
void	 ctf_fclass_alias(struct ctf_json_parse *, const struct ctf_json *);

/* ctf_locate.c */
void	 ctf_json_role(struct ctf_json_parse *, const struct ctf_json *,
	    struct ctf_field *);
const struct ctf_type *ctf_json_locate(struct ctf_json_parse *,
	    const struct ctf_json *, const char *, struct ctf_type *);

#endif /* CTF_JSON_H */
