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
 * The events of the program (event.c): which there are, and which of them are
 * enabled.  All under ut_lock.
 */

#ifndef UT_EVENT_H
#define UT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "ut_priv.h"

struct filter;

bool		 ut_event_add(struct ut_event *);
void		 ut_event_remove(struct ut_event *);
bool		 ut_event_narrow(const struct ut_event *, uint32_t,
		    struct ut_event *);
void		 ut_events_forget(unsigned int);
void		 ut_events_forked(void);
void		 ut_events_summary(struct ut_msg *);
int		 ut_events_list(int, uint32_t, uint32_t, int64_t);
int		 ut_events_describe(int, struct ut_msg *, int64_t);
int		 ut_event_map(uint32_t, unsigned int, uint32_t,
		    struct filter *);
void		 ut_events_drop(unsigned int);

/* module.c */
bool		 ut_disabled(void);

/* arena.c: memory that is never freed, or NULL. */
void		*ut_arena(size_t);

/* filters.c */
void		 ut_filters_reap(void);
struct filter	*ut_filter_new(const unsigned char *, size_t);
void		 ut_filter_free(struct filter *);
int		 ut_filter_set(struct filters **, unsigned int, uint32_t,
		    struct filter *);
void		 ut_filter_drop(struct filters *, unsigned int);

#endif /* UT_EVENT_H */
