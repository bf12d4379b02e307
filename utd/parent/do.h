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

/* Requests of utctl: a function for each, called by control.c. */

#ifndef DO_H
#define DO_H

#include "client.h"

/* dosession.c */
void	 do_create(struct client *, struct ut_msg *);
void	 do_destroy(struct client *, struct ut_msg *);
void	 do_start(struct client *, struct ut_msg *);
void	 do_stop(struct client *, struct ut_msg *);

/* dochannel.c */
/* Is there a region that could not be made, or a program attached to? */
bool	 channel_incomplete(const struct channel *);
/* The channel of a request; the default one is created if that is asked for. */
struct channel *channel_asked(struct client *, const char *, bool);
void	 do_channel(struct client *, struct ut_msg *);
void	 do_choff(struct client *, struct ut_msg *);
void	 do_chremove(struct client *, struct ut_msg *);
void	 do_context(struct client *, struct ut_msg *);

/* dorule.c */
void	 do_enable(struct client *, struct ut_msg *);
void	 do_disable(struct client *, struct ut_msg *);
/* The rule of a request is there: what events it matches now, if any. */
void	 rule_answer(const struct client *, char *, size_t);

/* matches.c */
#define MATCHES_LEN	64
unsigned int matches_text(const struct session *, const struct channel *,
	    const struct rule *, char *, size_t);

/* dotrack.c */
void	 do_track(struct client *, struct ut_msg *);
void	 do_untrack(struct client *, struct ut_msg *);

/* dotrigger.c */
void	 do_trigger(struct client *, struct ut_msg *);
void	 do_untrigger(struct client *, struct ut_msg *);

/* dochunk.c */
void	 do_rotate(struct client *, struct ut_msg *);
void	 do_clear(struct client *, struct ut_msg *);
void	 do_chunks(struct client *, struct ut_msg *);
void	 do_snapshot(struct client *, struct ut_msg *);

#endif /* DO_H */
