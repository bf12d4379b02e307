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
 * Filters (expr.h) on the events of a trace.
 */

#ifndef CTF_FILTER_H
#define CTF_FILTER_H

#include <stddef.h>

#include "ctf.h"
#include "expr/compile.h"

/*
 * Compile the filter for events of that class, in the trace's memory.  NULL if
 * it is false for them, as when they lack a field: that is why.
 */
struct ctf_filter *ctf_filter(struct ctf_trace *, const struct ctf_sclass *,
	    const struct ctf_eclass *, const struct expr *,
	    struct expr_why *);
/* After ctf_body(): does the event pass? */
int	 ctf_passes(const struct ctf_filter *, const struct ctf_stream *);

#endif /* CTF_FILTER_H */
