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
 * Rules: which events a channel wants.
 */

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../libut/common/event_name.h"
#include "../../../libut/expr/expr.h"
#include "rule.h"
#include "session.h"

#define EXPR_COST	64	/* bytes for each of a filter's text */

static uint32_t last_generation;

void
rule_free(struct rule *r)
{
	uint32_t i;

	if (r == NULL || --r->refs > 0)
		return;
	for (i = 0; i < r->nexcept; i++)
		free(r->except[i]);
	free(r->except);
	filter_unref(r->filter);
	free(r);
}

static void
count_bytes(struct rule *r)
{
	uint32_t i;

	r->bytes = strlen(r->glob) + 1;
	for (i = 0; i < r->nexcept; i++)
		r->bytes += strlen(r->except[i]) + 1;
	if (r->filter != NULL)
		r->bytes += strlen(r->filter->text) * EXPR_COST;
}

/* Read the filter, if there is one; false and why if the filter is invalid. */
static bool
read_filter(struct rule *r, struct ut_msg *m, char *why, size_t n)
{
	char text[EXPR_MAX], wrong[256];

	if (!ut_msg_more(m))
		return true;
	ut_msg_get_str(m, text, sizeof(text));
	if (m->bad || text[0] == '\0')
		return !m->bad;
	if ((r->filter = filter_new(text, wrong, sizeof(wrong))) != NULL)
		return true;
	snprintf(why, n, "filter: %s", wrong);
	return false;
}

/* Read a rule from a message of utctl; NULL and why if it is invalid. */
struct rule *
rule_read(struct ut_msg *m, char *why, size_t size)
{
	struct rule *r = xcalloc(1, sizeof(*r));
	char glob[NAME_MAXLEN];
	uint32_t n;

	r->refs = 1;
	snprintf(why, size, "rule: patterns of 1 to %d characters, a level "
	    "from 0 to %d, at most %d exclusions, a filter of at most %d "
	    "characters", NAME_MAXLEN - 1, UT_DEBUG, UT_EXCEPT_MAX,
	    EXPR_MAX - 1);
	ut_msg_get_str(m, r->glob, sizeof(r->glob));
	r->kind = ut_msg_get_u32(m);
	r->level = ut_msg_get_u32(m);
	n = ut_msg_get_u32(m);
	if (!m->bad && n <= UT_EXCEPT_MAX) {
		r->except = xcalloc(n + 1, sizeof(*r->except));
		while (r->nexcept < n && !m->bad) {
			ut_msg_get_str(m, glob, sizeof(glob));
			r->except[r->nexcept++] = xstrdup(glob);
		}
	}
	if (!m->bad && r->nexcept == n && r->glob[0] != '\0' &&
	    r->kind <= UT_RULE_ANY && r->level <= UT_DEBUG &&
	    read_filter(r, m, why, size)) {
		count_bytes(r);
		return r;
	}
	rule_free(r);
	return NULL;
}

static bool
filter_same(const struct filter *a, const struct filter *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a->text, b->text) == 0;
}

static bool
rule_same(const struct rule *a, const struct rule *b)
{
	uint32_t i;

	if (strcmp(a->glob, b->glob) != 0 || a->kind != b->kind ||
	    a->level != b->level || a->nexcept != b->nexcept ||
	    !filter_same(a->filter, b->filter))
		return false;
	for (i = 0; i < a->nexcept; i++)
		if (strcmp(a->except[i], b->except[i]) != 0)
			return false;
	return true;
}

bool
rule_matches(const struct rule *r, const char *name, uint32_t level)
{
	uint32_t i;

	if ((r->kind == UT_RULE_LEVEL && level > r->level) ||
	    (r->kind == UT_RULE_ONLY && level != r->level) ||
	    !event_matches(r->glob, name))
		return false;
	for (i = 0; i < r->nexcept; i++)
		if (fnmatch(r->except[i], name, 0) == 0)
			return false;
	return true;
}

static void
rules_changed(struct channel *ch)
{
	ch->generation = ++last_generation;
}

static size_t
rule_size(const struct rule *r)
{
	return sizeof(*r) + r->nexcept * sizeof(*r->except) + r->bytes;
}

/*
 * Add the rule, which is in no channel, and number it; false and EEXIST if the
 * channel has one like it already, or ENOMEM.
 */
bool
rule_add(struct channel *ch, struct rule *new)
{
	struct rule *r, **p;

	for (p = &ch->rules; (r = *p) != NULL; p = &r->next) {
		if (rule_same(r, new)) {
			errno = EEXIST;
			return false;
		}
	}
	if (!user_take(ch->session->user, QUOTA_RULES, rule_size(new)))
		return false;
	rules_changed(ch);
	new->serial = ch->generation;
	new->refs++;
	new->prev = ch->newest;
	*p = ch->newest = new;
	state_rule(ch, new, true);
	return true;
}

/* Remove the rule that *p, in the channel's list, points to. */
static void
rule_remove(struct channel *ch, struct rule **p)
{
	struct rule *r = *p;

	*p = r->next;
	if (r->next != NULL)
		r->next->prev = r->prev;
	else
		ch->newest = r->prev;
	user_give(ch->session->user, QUOTA_RULES, rule_size(r));
	rule_free(r);
}

void
rules_free(struct channel *ch)
{
	while (ch->rules != NULL)
		rule_remove(ch, &ch->rules);
}

/* Remove that rule, or all with its glob; false if there is none. */
bool
rule_del(struct channel *ch, const struct rule *old)
{
	struct rule *r, **p = &ch->rules;
	bool found = false;

	while ((r = *p) != NULL) {
		if (old->kind == UT_RULE_ANY ?
		    strcmp(r->glob, old->glob) != 0 : !rule_same(r, old)) {
			p = &r->next;
			continue;
		}
		rule_remove(ch, p);
		found = true;
	}
	if (found) {
		rules_changed(ch);
		state_rule(ch, old, false);
	}
	return found;
}

/*
 * For a rule that no event matches: the event that its pattern may have meant.
 */

#define SPECIAL	"*?[\\"

/* With a pattern for all events of a provider, the provider is compared. */
void
nearest_note(struct rule *r, const char *name)
{
	size_t n = strlen(r->glob), m = strlen(name);
	unsigned int d;

	if (r->matched || strncmp(name, "ut:", 3) == 0)
		return;
	if (n > 2 && strcmp(r->glob + n - 2, ":*") == 0) {
		n -= 2;
		m = strcspn(name, ":");
	}
	if (strcspn(r->glob, SPECIAL) < n)
		return;
	d = word_distance(r->glob, n, name, m);
	if (d == 0 || d > WORD_NEAR ||
	    (r->nearest[0] != '\0' && d >= r->distance))
		return;
	r->distance = d;
	snprintf(r->nearest, sizeof(r->nearest), "%s", name);
}
