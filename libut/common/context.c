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

#include <string.h>

#include "context.h"
#define UT_NO_EVENTS
#include "../ut.h"

const struct context context_table[CONTEXTS] = {
	[CONTEXT_CPU] = { "cpu", 4, UT_F_SIGNED },
	[CONTEXT_UID] = { "uid", 4, 0 },
	[CONTEXT_GID] = { "gid", 4, 0 },
	[CONTEXT_EUID] = { "euid", 4, 0 },
	[CONTEXT_EGID] = { "egid", 4, 0 },
	[CONTEXT_NEST] = { "nest", 1, 0 },
	[CONTEXT_CALLER] = { "caller", 8, UT_F_HEX },
	[CONTEXT_ERRNO] = { "errno", 4, UT_F_SIGNED },
	[CONTEXT_STACK] = { "stack", 8, UT_F_HEX },
	[CONTEXT_OWN] = { CONTEXT_APP, 8, 0 }
};

/* ASCII letters only, whatever the locale says. */
static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool
context_name(const char *s)
{
	const size_t len = strlen(s);
	size_t i;

	if (!is_letter(s[0]) ||
	    len >= CONTEXT_NAME - (sizeof(CONTEXT_APP) - 1))
		return false;
	for (i = 1; i < len; i++)
		if (!is_letter(s[i]) && (s[i] < '0' || s[i] > '9'))
			return false;
	return true;
}

uint32_t
context_depth(const char *name)
{
	const size_t n = strlen(context_table[CONTEXT_STACK].name);
	uint32_t depth = 0;

	if (strncmp(name, context_table[CONTEXT_STACK].name, n) != 0)
		return 0;
	if (name[n] == '\0')
		return CONTEXT_DEPTH;
	if (name[n] != '/' || name[n + 1] == '0')
		return 0;
	for (name += n + 1; *name >= '0' && *name <= '9' &&
	    depth <= CONTEXT_DEEPEST; name++)
		depth = depth * 10 + (uint32_t)(*name - '0');
	return *name == '\0' && depth <= CONTEXT_DEEPEST ? depth : 0;
}

int
context_kind(const char *name)
{
	const size_t n = sizeof(CONTEXT_APP) - 1;
	int i;

	if (strncmp(name, CONTEXT_APP, n) == 0)
		return context_name(name + n) ? CONTEXT_OWN : -1;
	if (context_depth(name) != 0)
		return CONTEXT_STACK;
	for (i = 0; i < CONTEXT_OWN; i++)
		if (strcmp(context_table[i].name, name) == 0)
			return i;
	return -1;
}

void
contexts_put(struct ut_msg *m, const struct contexts *cs)
{
	uint32_t i;

	ut_msg_u32(m, cs->n);
	for (i = 0; i < cs->n; i++)
		ut_msg_str(m, cs->name[i]);
}

bool
contexts_get(struct ut_msg *m, struct contexts *cs)
{
	uint32_t i;

	cs->n = 0;
	if (!ut_msg_more(m))
		return true;
	cs->n = ut_msg_get_u32(m);
	if (m->bad || cs->n > CONTEXT_MAX) {
		cs->n = 0;
		return false;
	}
	for (i = 0; i < cs->n; i++)
		ut_msg_get_str(m, cs->name[i], sizeof(cs->name[i]));
	return !m->bad;
}
