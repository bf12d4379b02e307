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
 * The filters of rules: a text, which is parsed once, and then compiled for
 * each event that the rule matches, since fields have other places there.
 * Code is kept once for all events and plans where it is the same.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../libut/expr/compile.h"
#include "../../../libut/expr/expr.h"
#include "event.h"
#include "rule.h"
#include "session.h"

#define BUCKETS		4096

static struct code *buckets[BUCKETS];

/* Does it ask for the stack, whose ID nobody knows before it is recorded? */
static bool
asks_stack(const struct expr *e)
{
	const struct expr_node *node;

	for (node = e->nodes; node < e->nodes + e->nnodes; node++)
		if (node->op == EXPR_FIELD &&
		    strcmp(e->strings + node->s.at, "$stack") == 0)
			return true;
	return false;
}

/* A reference to a new filter, or NULL and why. */
struct filter *
filter_new(const char *text, char *why, size_t n)
{
	struct filter *f;
	struct expr *e;

	if ((e = expr_parse(text, why, n)) == NULL)
		return NULL;
	if (asks_stack(e)) {
		snprintf(why, n, "$stack is an ID, not known before it is "
		    "recorded: filter what view prints");
		expr_free(e);
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->text = xstrdup(text);
	f->expr = e;
	f->refs = 1;
	return f;
}

struct filter *
filter_ref(struct filter *f)
{
	if (f != NULL)
		f->refs++;
	return f;
}

void
filter_unref(struct filter *f)
{
	if (f == NULL || --f->refs > 0)
		return;
	expr_free(f->expr);
	free(f->text);
	free(f);
}

/*
 * The fields of an event, as the compiler wants them; contexts are before them
 * in the event, and here.
 */
#define PLACES		(CONTEXT_MAX + FIELDS_MAX)

struct fields {
	struct expr_field	 of[PLACES];
	char			 names[PLACES][NAME_MAXLEN];
	struct ut_value		*values[PLACES];
	uint32_t		 n;
};

/* The values of an enumeration, and behind them their labels. */
static struct ut_value *
values_get(struct ut_msg *m, uint32_t n)
{
	struct ut_value *v;
	char *labels;
	uint32_t i;

	v = xcalloc(n + 1, sizeof(*v) + NAME_MAXLEN);
	labels = (char *)(v + n + 1);
	for (i = 0; i < n; i++, labels += NAME_MAXLEN)
		event_value(m, &v[i], labels);
	return v;
}

static void
contexts_take(const struct contexts *cs, struct fields *fs)
{
	const struct context *c;
	uint32_t i;

	memset(fs, 0, sizeof(*fs));
	for (i = 0; i < cs->n; i++) {
		c = &context_table[context_kind(cs->name[i])];
		snprintf(fs->names[i], sizeof(fs->names[i]), "$%s",
		    cs->name[i]);
		fs->of[i].name = fs->names[i];
		fs->of[i].kind = UT_KIND_INT;
		fs->of[i].size = c->size;
		fs->of[i].flags = c->flags;
	}
	fs->n = cs->n;
}

static void
fields_get(const struct contexts *cs, const struct event *e, struct fields *fs)
{
	static struct ut_msg m;
	struct field f;
	uint32_t i, n;

	contexts_take(cs, fs);
	event_open(e, &m, &n);
	for (i = fs->n, fs->n += n; i < fs->n; i++) {
		event_field(&m, &f);
		snprintf(fs->names[i], sizeof(fs->names[i]), "%s", f.name);
		fs->values[i] = f.nvalues == 0 ? NULL :
		    values_get(&m, f.nvalues);
		fs->of[i].name = fs->names[i];
		fs->of[i].kind = f.kind;
		fs->of[i].size = f.size;
		fs->of[i].flags = f.flags;
		fs->of[i].count = f.count;
		fs->of[i].values = fs->values[i];
		fs->of[i].nvalues = f.nvalues;
	}
}

static void
fields_free(struct fields *fs)
{
	uint32_t i;

	for (i = 0; i < fs->n; i++)
		free(fs->values[i]);
}

/*
 * Append the filter's code for the event; false if it does not fit that: then
 * the filter remembers the first such event, whose it was, and why.
 */
static bool
code_append(struct filter *f, const struct event *e, const char *program,
    const struct fields *fs, struct filter_code *code)
{
	struct expr_why why;

	if (expr_compile(f->expr, fs->of, fs->n, code, &why))
		return true;
	if (f->why[0] == '\0')
		snprintf(f->why, sizeof(f->why), "%s of %s never passes "
		    "filter '%.64s%s': %s", e->name, program, f->text,
		    strlen(f->text) > 64 ? "..." : "", why.text);
	return false;
}

static struct code *
code_find(const struct user *u, const struct filter_code *like, uint32_t hash)
{
	struct code *c;

	for (c = buckets[hash % BUCKETS]; c != NULL; c = c->next)
		if (c->hash == hash && c->user == u && c->len == like->len &&
		    memcmp(c->b, like->b, c->len) == 0)
			break;
	return c;
}

static struct code *
code_get(struct user *u, const struct filter_code *like)
{
	const uint32_t hash = hash_bytes(0, like->b, like->len);
	const size_t size = sizeof(struct code) + like->len;
	struct code *c;

	if ((c = code_find(u, like, hash)) != NULL) {
		c->refs++;
		return c;
	}
	if (!user_take(u, QUOTA_FILTERS, size))
		return NULL;
	if ((c = malloc(size)) == NULL) {
		user_give(u, QUOTA_FILTERS, size);
		return NULL;
	}
	c->refs = 1;
	c->user = user_get(u->uid);	/* there is one: it is u */
	c->hash = hash;
	c->len = (uint32_t)like->len;
	memcpy(c->b, like->b, c->len);
	c->next = buckets[hash % BUCKETS];
	return buckets[hash % BUCKETS] = c;
}

void
code_unref(struct code *c)
{
	if (c == NULL || --c->refs > 0)
		return;
	LIST_DEL(struct code, &buckets[c->hash % BUCKETS], c, next);
	user_give(c->user, QUOTA_FILTERS, sizeof(*c) + c->len);
	user_drop(c->user);
	free(c);
}

/*
 * A reference to the code of these filters, one of which an event has to pass;
 * *first is cleared if the first one does not fit the event.  NULL and errno:
 * ENOEXEC if none fits, else ENOMEM.
 */
struct code *
code_compile(const struct channel *ch, const struct want *w, size_t n,
    const struct event *e, const char *program, bool *first)
{
	static struct filter_code code;
	static struct fields fs;
	size_t i;
	bool fits;

	fields_get(&ch->contexts, e, &fs);
	code.len = 0;
	for (i = 0; i < n; i++) {
		fits = code_append(w[i].filter, e, program, &fs, &code);
		if (i == 0)
			*first = fits;
	}
	fields_free(&fs);
	if (code.len == 0) {
		errno = ENOEXEC;
		return NULL;
	}
	return code_get(ch->session->user, &code);
}
