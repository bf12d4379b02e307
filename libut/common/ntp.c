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
 * The state of the system's clock, by ntp_adjtime(2), where there is that call.
 * Linux's C libraries all have it by its other name.
 */

#if !defined(UT_POSIX) && (defined(__linux__) || defined(__FreeBSD__) || \
    defined(__NetBSD__))
#include <sys/time.h>
#include <sys/timex.h>
#define HAVE_NTP
#endif

#include <string.h>

#include "compat.h"

#if defined(__linux__)
#define ntp_adjtime	adjtimex
#endif

void
ut_ntp_read(struct ut_ntp *n)
{
#ifdef HAVE_NTP
	struct timex t;
#endif

	memset(n, 0, sizeof(*n));
	n->state = -1;
#ifdef HAVE_NTP
	memset(&t, 0, sizeof(t));
	if ((n->state = ntp_adjtime(&t)) == -1)
		return;
	n->offset = (int64_t)t.offset * (t.status & STA_NANO ? 1 : 1000);
	n->frequency = t.freq;
	n->maximum = (uint64_t)t.maxerror * 1000;
	n->error = (uint64_t)t.esterror * 1000;
#endif
}
