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

/* Actions in a session when programs record an event. */

#ifndef TRIGGER_H
#define TRIGGER_H

#include "../store/trace.h"

const char *trigger_name(uint32_t);	/* name of the action; NULL: none */
bool	 trigger_refused(const struct session *, uint32_t, const char *,
	    char *, size_t);		/* text: why */
struct trigger *trigger_find(const struct session *, uint32_t);
const struct rule *trigger_rule(const struct trigger *);
uint64_t trigger_matches(const struct trigger *);
int	 trigger_rest(const struct trigger *);	/* ms that it is put off */
bool	 trigger_over(const struct trigger *);	/* no match counts any more */
void	 trigger_grew(struct trigger *);	/* there are more events */
void	 triggers_arm(struct session *);	/* the session starts */
void	 triggers_look(struct session *);	/* at what was counted */
/* Do what is put off; w, or NULL, waits for the snapshots under way. */
void	 triggers_hurry(struct session *, struct waiter *);
void	 triggers_resume(struct session *);	/* restored from the journal */

#endif /* TRIGGER_H */
