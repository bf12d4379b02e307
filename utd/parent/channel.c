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
 * Channels.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

struct channel *
channel_find(struct session *s, const char *name)
{
	struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (strcmp(ch->name, name) == 0)
			return ch;
	return NULL;
}

/* Do the channel's regions take events? */
bool
channel_active(const struct channel *ch)
{
	return ch->session->active && ch->enabled && !ch->session->dying;
}

/* Can there be a channel like that?  If not, why. */
bool
channel_possible(const struct attrs *attrs, char *why, size_t len)
{
	const uint32_t size = attrs->v[ATTR_SUBSIZE];
	const uint32_t n = attrs->v[ATTR_NSUBS];
	const uint64_t rest = 3 * UT_ABI_LINE +
	    (uint64_t)UT_NSLOTS_MAX * sizeof(struct ut_slot);
	uint64_t max = UT_REGION_MAX < SIZE_MAX ? UT_REGION_MAX : SIZE_MAX;

	if (!attrs_valid(attrs, why, len))
		return false;
	if (((uint64_t)size + sizeof(struct ut_subbuf)) * n + rest <= max)
		return true;
	snprintf(why, len, "%u sub-buffers of %u bytes, and %llu for what "
	    "describes them, are more than %llu bytes", n, size,
	    (unsigned long long)(sizeof(struct ut_subbuf) * n + rest),
	    (unsigned long long)max);
	return false;
}

/* NULL and ENOMEM when the user has too much. */
struct channel *
channel_new(struct session *s, const char *name, const struct attrs *attrs,
    uint32_t id)
{
	struct channel *ch;

	if (!user_take(s->user, QUOTA_CHANNELS, 1))
		return NULL;
	ch = xcalloc(1, sizeof(*ch));
	snprintf(ch->name, sizeof(ch->name), "%s", name);
	ch->id = id;
	ch->stream = s->nstreams++;
	ch->enabled = true;
	ch->attrs = *attrs;
	ch->session = s;
	LIST_ADD(struct channel, &s->channels, ch, next);
	state_add(&ch->saved, SAVED_CHANNEL, id, ch);
	state_changed(&s->saved);	/* a stream more */
	return ch;
}

void
channel_free(struct channel *ch)
{
	rules_free(ch);
	plans_forget(ch, NULL);
	user_give(ch->session->user, QUOTA_CHANNELS, 1);
	state_del(&ch->saved);
	free(ch);
}

/* Its regions and programs follow. */
void
channel_enable(struct channel *ch, bool enabled)
{
	ch->enabled = enabled;
	state_changed(&ch->saved);
}
