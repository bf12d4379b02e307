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
 * CTF 2: which fields mean something to the reader, by their roles, and which
 * ones are the lengths and selectors of others, by field locations.
 */

#include <string.h>

#include "ctf_json.h"


#define IN(scope)	(1 << SCOPE_##scope)

static const char *const scopes[] = { "packet-header", "packet-context",
    "event-record-header", "event-record-common-context",
    "event-record-specific-context", "event-record-payload" };

/* A search for the sources of a length or a selector. */
struct search {
	struct ctf_json_parse	*q;
	const struct ctf_json	*at;
	const char		*path[CTF_DEPTH];
	size_t			 n;
	int			 beside;	/* in the same struct */
	uint32_t		 slot;		/* 0: none was found yet */
	int			 again;		/* all have been seen */
	const struct ctf_type	*found;		/* the first source */
};

void
ctf_json_role(struct ctf_json_parse *q, const struct ctf_json *j,
    struct ctf_field *f)
{
	static const struct {
		const char	*name;
		int		 scopes;
		enum ctf_role	 role;
	} roles[] = {
		{ "packet-magic-number", IN(HEADER), ROLE_MAGIC },
		{ "metadata-stream-uuid", IN(HEADER), ROLE_UUID },
		{ "data-stream-class-id", IN(HEADER), ROLE_STREAM },
		{ "data-stream-id", IN(HEADER), ROLE_INSTANCE },
		{ "packet-total-length", IN(PACKET), ROLE_PACKET },
		{ "packet-content-length", IN(PACKET), ROLE_CONTENT },
		{ "default-clock-timestamp", IN(PACKET), ROLE_BEGIN },
		{ "default-clock-timestamp", IN(EVENT), ROLE_TIME },
		{ "packet-end-default-clock-timestamp", IN(PACKET),
		    ROLE_END },
		{ "discarded-event-record-counter-snapshot", IN(PACKET),
		    ROLE_DISCARDED },
		{ "packet-sequence-number", IN(PACKET), ROLE_SEQ },
		{ "event-record-class-id", IN(EVENT), ROLE_ID }
	};
	const size_t n = sizeof(roles) / sizeof(roles[0]);
	const struct ctf_json *all = ctf_json_get(q, j, "roles", JSON_ARRAY);
	const struct ctf_json *v;
	enum ctf_role role;
	size_t i;

	for (v = all == NULL ? NULL : all->child; v != NULL; v = v->next) {
		for (i = 0; i < n; i++)
			if (v->kind == JSON_STRING && (roles[i].scopes &
			    1 << q->scope) && strcmp(v->str, roles[i].name)
			    == 0)
				break;
		role = i < n ? roles[i].role : ROLE_NONE;
		if (role == ROLE_NONE || (role == ROLE_UUID ?
		    f->type->kind != CTF_ARRAY || f->type->count != 16 :
		    f->type->bits == 0)) {
			ctf_json_wrong(q, v, "no role that may be here");
			return;
		}
		/* The content's length is enough, if one field has both. */
		if (f->role == ROLE_NONE || role < f->role)
			f->role = role;
		if (role == ROLE_BEGIN || role == ROLE_END ||
		    role == ROLE_TIME)
			q->timed = v;
	}
}

/*
 * A field that was found: at the first look for the slot that one has, at the
 * second to have the slot of all.
 */
static void
source(struct search *s, struct ctf_field *f)
{
	uint32_t *slot = s->beside ? &f->slot : &f->outer;

	if (s->found != NULL && (s->found->sign != f->type->sign ||
	    s->found->isbool != f->type->isbool)) {
		ctf_json_wrong(s->q, s->at, "fields of several kinds");
		return;
	}
	s->found = f->type;
	if (*slot == 0 && s->again)
		*slot = s->slot;
	if (s->slot != 0 && *slot != 0 && *slot != s->slot)
		ctf_json_wrong(s->q, s->at, "two of these fields are meant by "
		    "others alone");
	if (*slot != 0)
		s->slot = *slot;
}

/*
 * Find what the rest of the path means, from its i-th name on.  What is still
 * being read has an element or an option that is meant; what has been read has
 * none, or all options.  A type that has a source in it varies.
 */
static void
search(struct search *s, struct ctf_field *f, size_t i)
{
	struct ctf_json_parse *q = s->q;
	struct ctf_type *t = f->type;
	struct ctf_field elem;
	size_t k;
	int open;

	if (t == NULL || q->p.bad)
		return;
	if ((q->steps += t->nfields + 1) > CTF_STEPS) {
		ctf_json_wrong(q, s->at, "too many fields to search");
		return;
	}
	t->fixed = 0;
	for (open = 0; open < q->nopen && q->open[open] != t; open++)
		continue;
	if (t->bits != 0 && t->kind != CTF_FLOAT && i == s->n)
		source(s, f);
	else if (t->kind == CTF_VARIANT) {
		k = open < q->nopen && t->nfields > 0 ? t->nfields - 1 : 0;
		for (; k < t->nfields; k++)
			search(s, &t->fields[k], i);
	} else if (t->kind == CTF_STRUCT && i < s->n) {
		for (k = t->nfields; k > 0; k--)
			if (strcmp(t->fields[k - 1].name, s->path[i]) == 0) {
				search(s, &t->fields[k - 1], i + 1);
				return;
			}
	} else if (open + 1 < q->nopen) {
		elem.type = q->open[open + 1];
		search(s, &elem, i);
	}
}

/* Read the path, and return how many structs it leads out of. */
static int
path(struct search *s, const struct ctf_json *loc)
{
	const struct ctf_json *all = ctf_json_need(s->q, loc, "path",
	    JSON_ARRAY), *v = all == NULL ? NULL : all->child;
	int out = 0;

	for (; v != NULL; v = v->next) {
		if (v->kind == JSON_STRING && s->n < CTF_DEPTH)
			s->path[s->n++] = v->str;
		else if (*v->at != 'n' || out == CTF_DEPTH) {
			ctf_json_wrong(s->q, v, "no path of names");
			return 0;
		} else if (s->n > 0)
			s->n--;
		else
			out++;
	}
	return out;
}

/* The struct where the path begins; or NULL. */
static struct ctf_type *
path_root(struct search *s, const char *origin, int out)
{
	struct ctf_json_parse *q = s->q;
	int i;

	for (i = 0; origin != NULL && i <= (int)q->scope; i++)
		if (strcmp(origin, scopes[i]) == 0)
			return out == 0 ? q->scopes[i] : NULL;
	for (i = q->nopen; origin == NULL && i > 0; i--)
		if (q->open[i - 1]->kind == CTF_STRUCT && out-- == 0)
			return q->open[i - 1];
	return NULL;
}

/*
 * Set the slot of a type from the member of that name; return the type of what
 * is there.  NULL: an error was said.
 */
const struct ctf_type *
ctf_json_locate(struct ctf_json_parse *q, const struct ctf_json *j,
    const char *key, struct ctf_type *t)
{
	struct search s;
	struct ctf_field root;
	const char *origin;
	int out;

	memset(&s, 0, sizeof(s));
	s.q = q;
	if ((s.at = ctf_json_need(q, j, key, JSON_OBJECT)) == NULL)
		return NULL;
	out = path(&s, s.at);
	origin = ctf_json_word(q, s.at, "origin", "");
	root.type = path_root(&s, *origin == '\0' ? NULL : origin, out);
	s.beside = s.n == 1 && root.type != NULL &&
	    root.type == path_root(&s, NULL, 0);
	if (!q->p.bad)
		search(&s, &root, 0);
	if (s.slot == 0)
		s.slot = ++q->p.trace->nslots;
	s.again = 1;
	if (!q->p.bad)
		search(&s, &root, 0);
	if (s.found == NULL)
		ctf_json_wrong(q, s.at, "'%s' finds no number", key);
	else if (t->kind == CTF_SEQ && (s.found->sign || s.found->isbool))
		ctf_json_wrong(q, s.at, "a length must be unsigned");
	t->slot = s.slot;
	return q->p.bad ? NULL : s.found;
}
