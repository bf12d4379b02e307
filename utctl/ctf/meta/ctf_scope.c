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
 * TSDL: lengths and tags that types name by absolute paths, as
 * stream.event.context.n.  The path is found in each stream and event that has
 * the type, and the field there has a slot for its value.
 */

#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_parse.h"


/* A part of what is read for an event, in that order. */
static const char *const scopes[] = { "trace.packet.header.",
    "stream.packet.context.", "stream.event.header.",
    "stream.event.context.", "event.context.", "event.fields." };

#define NSCOPES	((int)(sizeof(scopes) / sizeof(scopes[0])))

/* A look through all types of one event, or of what is before all events. */
struct look {
	struct ctf_trace	*tr;
	struct ctf_type		**roots[NSCOPES];	/* NULL: not here */
	int			 scope;		/* where we are */
};

/* The scope of an absolute path; -1: it is a relative one. */
int
ctf_scope_of(const char *path)
{
	int i;

	for (i = 0; i < NSCOPES; i++)
		if (strncmp(path, scopes[i], strlen(scopes[i])) == 0)
			return i;
	return -1;
}

/* Why can the field not be the type's length or tag?  NULL: it can. */
const char *
ctf_slot_isbad(const struct ctf_type *t, const struct ctf_field *f)
{
	if (t->kind == CTF_VARIANT)
		return f->type->kind == CTF_ENUM ? NULL : "is no enum";
	return (f->type->kind == CTF_INT || f->type->kind == CTF_ENUM) &&
	    !f->type->sign ? NULL : "is no unsigned integer";
}

/* The values of a tag that choose options: those of the labels of that name. */
void
ctf_slot_labels(struct ctf_trace *tr, struct ctf_type *t, struct ctf_type *tag)
{
	struct ctf_label *list;
	size_t i, k, n = 0;

	if ((list = calloc(tag->nlabels + 1, sizeof(*list))) == NULL)
		die_errno("malloc");
	tr->steps += tag->nlabels * t->nfields;
	for (i = 0; i < tag->nlabels; i++)
		for (k = 0; k < t->nfields; k++) {
			if (strcmp(t->fields[k].raw, tag->labels[i].name) != 0)
				continue;
			list[n] = tag->labels[i];
			list[n++].option = k;
			break;
		}
	t->sign = tag->sign;
	t->elem = tag;
	make_labels(tr, t, list, n);
	free(list);
}

static const char *
path_resolve(struct look *l, struct ctf_type *t)
{
	const int scope = ctf_scope_of(t->path);
	const char *path = t->path + strlen(scopes[scope]), *why;
	struct ctf_type **root = l->roots[scope];
	struct ctf_field *f;

	if (root == NULL || *root == NULL || scope > l->scope)
		return "is no field before this";
	*root = make_own(l->tr, *root);
	if ((f = make_path(l->tr, *root, path)) == NULL)
		return "is no field before this";
	if ((why = ctf_slot_isbad(t, f)) != NULL)
		return why;
	if (f->outer == 0)
		f->outer = ++l->tr->nslots;
	t->slot = f->outer;
	if (t->kind == CTF_VARIANT)
		ctf_slot_labels(l->tr, t, f->type);
	return NULL;
}

static int
look_type(struct look *l, struct ctf_type *t)
{
	const size_t n = t->nfields;
	const char *why;

	l->tr->steps += 1 + (t->path != NULL ? strlen(t->path) +
	    (*l->roots[l->scope])->nfields : 0);
	if (l->tr->steps > CTF_STEPS) {
		ctf_damage(l->tr->file, "line %lu: too many lengths and tags "
		    "to look for", t->line);
		return -1;
	}
	if (t->path != NULL && (why = path_resolve(l, t)) != NULL) {
		ctf_damage(l->tr->file, "line %lu: '%.64s' %s", t->line,
		    t->path, why);
		return -1;
	}
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ)
		return look_type(l, t->elem);
	/* Fields that come later cannot be meant. */
	for (t->nfields = 1; t->nfields <= n; t->nfields++)
		if (look_type(l, t->fields[t->nfields - 1].type) == -1)
			return -1;
	t->nfields = n;
	return 0;
}

static int
has_path(const struct ctf_type *t)
{
	size_t i;

	if (t->path != NULL)
		return 1;
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ)
		return has_path(t->elem);
	for (i = 0; i < t->nfields; i++)
		if (has_path(t->fields[i].type))
			return 1;
	return 0;
}

/* Through the scopes from the first on. */
static int
look_scopes(struct look *l, int first)
{
	struct ctf_type **root;

	for (l->scope = first; l->scope < NSCOPES; l->scope++) {
		root = l->roots[l->scope];
		if (root == NULL || *root == NULL || !has_path(*root))
			continue;
		*root = make_own(l->tr, *root);
		if (look_type(l, *root) == -1)
			return -1;
	}
	return 0;
}

/* Find all of them, after all metadata were read; -1: it was said why not. */
int
ctf_scope(struct ctf_trace *tr)
{
	struct look l = { tr, { &tr->header }, 0 };
	struct ctf_sclass *sc;
	struct ctf_eclass *ev;

	if (!tr->haspaths)
		return 0;
	if (look_scopes(&l, 0) == -1)
		return -1;
	for (sc = tr->sclasses; sc != NULL; sc = sc->next) {
		l.roots[1] = &sc->packet;
		l.roots[2] = &sc->header;
		l.roots[3] = &sc->context;
		if (look_scopes(&l, 1) == -1)
			return -1;
	}
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		if ((sc = ctf_sclass(tr, ev->stream)) == NULL)
			continue;
		l.roots[1] = &sc->packet;
		l.roots[2] = &sc->header;
		l.roots[3] = &sc->context;
		l.roots[4] = &ev->context;
		l.roots[5] = &ev->fields;
		if (look_scopes(&l, 4) == -1)
			return -1;
	}
	return 0;
}
