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
 * Pairs with a key may be of any threads: those that are open are in a table by
 * their key, and any loss may have their ends, of whatever origin it is.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../when.h"
#include "pair_role.h"

#define KEYLEN	200		/* bytes of a key that are compared */

struct pair_key {
	struct pair_key		*next;		/* with the same hash */
	struct pair_key		*later, *before;	/* by beginning */
	const struct pair	*pair;
	struct event_place	 place;
	int64_t			 ns;
	void			*what;
	enum pair_fit		 fit;
	size_t			 len;
	char			 text[];
};

static struct pair_key **
key_place(const struct pairs *ps, const struct pair *p, const char *text,
    size_t len)
{
	const uint64_t h = map_bytes((uintptr_t)p, text, len);
	struct pair_key **kp = &ps->keys[h & (ps->kcap - 1)];

	while (*kp != NULL && ((*kp)->pair != p || (*kp)->len != len ||
	    memcmp((*kp)->text, text, len) != 0))
		kp = &(*kp)->next;
	return kp;
}

static void
keys_grow(struct pairs *ps)
{
	struct pair_key **old = ps->keys, *k, *next;
	const size_t n = ps->kcap;
	size_t i;

	ps->kcap = n == 0 ? 64 : 2 * n;
	ps->keys = xcalloc(ps->kcap, sizeof(*ps->keys));
	for (i = 0; i < n; i++)
		for (k = old[i]; k != NULL; k = next) {
			next = k->next;
			k->next = NULL;
			*key_place(ps, k->pair, k->text, k->len) = k;
		}
	free(old);
}

static void
list_add(struct pairs *ps, struct pair_key *k)
{
	k->later = NULL;
	k->before = ps->last_key;
	if (k->before != NULL)
		k->before->later = k;
	else
		ps->first_key = k;
	ps->last_key = k;
}

static void
list_del(struct pairs *ps, struct pair_key *k)
{
	if (k->before != NULL)
		k->before->later = k->later;
	else
		ps->first_key = k->later;
	if (k->later != NULL)
		k->later->before = k->before;
	else
		ps->last_key = k->before;
}

void
pair_key_begin(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	char text[KEYLEN];
	const size_t len = ctf_field_text(&r->at, s, text, sizeof(text));
	struct pair_key **kp, *k;

	if (ps->nkeys >= ps->kcap)
		keys_grow(ps);
	kp = key_place(ps, r->pair, text, len);
	if ((k = *kp) != NULL) {
		/* The key is used again. */
		pair_left(ps, &ps->processes.any, k->ns, k->fit, k->what);
		list_del(ps, k);
	} else {
		if ((k = malloc(sizeof(*k) + len)) == NULL)
			die_errno("malloc");
		k->next = NULL;
		k->pair = r->pair;
		k->len = len;
		memcpy(k->text, text, len);
		*kp = k;
		ps->nkeys++;
	}
	list_add(ps, k);
	k->place = event_place(s);
	k->ns = s->ns;
	k->fit = fit;
	ps->key = r;
	if (fit == PAIR_REFUSED)
		k->what = NULL;
	else if (ps->ops->begin_key != NULL)
		k->what = ps->ops->begin_key(ps->arg, s, r->pair->name);
	else
		k->what = ps->ops->begin(ps->arg, s, r->pair->name, NULL, 0);
}

static struct pair_end
key_took(const struct pair_key *k, int64_t ns)
{
	struct pair_end e;

	e.what = k->what;
	e.place = k->place;
	e.begin = e.at = k->ns;
	e.took = e.self = when_sum(ns, -k->ns);
	return e;
}

void
pair_key_end(struct pairs *ps, const struct pair_role *r,
    const struct ctf_stream *s, enum pair_fit fit)
{
	char text[KEYLEN];
	const size_t len = ctf_field_text(&r->at, s, text, sizeof(text));
	struct pair_key **kp, *k;
	struct pair_end e;
	int counts;

	if (ps->kcap == 0 ||
	    (k = *(kp = key_place(ps, r->pair, text, len))) == NULL) {
		pair_unbegun(ps, &ps->processes.any, fit);
		return;
	}
	e = key_took(k, s->ns);
	counts = pair_fits(k->fit, fit);
	*kp = k->next;
	list_del(ps, k);
	free(k);
	ps->nkeys--;
	if (counts && pair_over(ps, &ps->processes.any, s, &e))
		pair_total(ps, e.what, e.took, 0);
}

void
pair_keys_finish(struct pairs *ps)
{
	const struct pair_key *k;
	struct pair_end e;

	for (k = ps->first_key; k != NULL; k = k->later) {
		e = key_took(k, ps->last);
		if (pair_open(ps, &ps->processes.any, k->fit, &e))
			pair_total(ps, e.what, 0, e.took);
	}
}

/* Leave all open pairs without an end, or only forget them. */
void
pair_keys_drop(struct pairs *ps, int left)
{
	struct pair_key *k;

	while ((k = ps->first_key) != NULL) {
		if (left)
			pair_left(ps, &ps->processes.any, k->ns, k->fit,
			    k->what);
		*key_place(ps, k->pair, k->text, k->len) = k->next;
		list_del(ps, k);
		free(k);
		ps->nkeys--;
	}
}
