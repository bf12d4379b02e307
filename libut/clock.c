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
 * The time of the program's events: that of utd, which may be in another time
 * namespace.
 */

#include <errno.h>
#include <time.h>

#include "ut_priv.h"

#define SECOND		INT64_C(1000000000)	/* ns */
#define SHIFT_MAX	(SECOND << 30)

ut_gettime_fn *ut_gettime = ut_clock_gettime;
static int64_t shift;			/* ns, of what that tells */

static int
shifted_gettime(clockid_t clock, struct timespec *ts)
{
	int r = ut_clock_gettime(clock, ts);

	ts->tv_sec += (time_t)(shift / SECOND);
	ts->tv_nsec += (long)(shift % SECOND);	/* for who adds them up */
	return r;
}

/* Before the first region. */
void
ut_clock_init(void)
{
	ut_gettime = ut_system_gettime();
}

/*
 * Tell the time as utd does, whose clock is so far ahead of the machine's: utd
 * or we may be in a time namespace.  0, or an errno if a region that is
 * attached, and so uses the clock, needs another time.  Otherwise no region
 * with that clock has an event under way, so nobody reads the clock meanwhile.
 */
int
ut_clock_follow(int64_t ahead, bool used)
{
	const int64_t new = (int64_t)((uint64_t)ahead -
	    (uint64_t)ut_clock_ahead());

	if (new == shift)
		return 0;
	if (used || new < -SHIFT_MAX || new > SHIFT_MAX)
		return ENOTSUP;
	shift = new;
	ut_gettime = shift == 0 ? ut_system_gettime() : shifted_gettime;
	return 0;
}
