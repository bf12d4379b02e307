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
 * Bounds: the files of a trace never have more bytes than the parent allows,
 * which divides what a session may have among its traces.  More is asked for
 * before it is needed; until the parent allows that, events stay in the region.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>

#include "output.h"

#define AGAIN_MS	200	/* before the parent is asked once more */

/* May the files have n bytes more? */
bool
bound_room(struct trace *t, uint64_t n)
{
	const uint64_t want = t->used + n;
	const int64_t now = t->limit == NO_LIMIT ? 0 : ut_msg_now();
	struct ut_msg *out;

	if (t->limit == NO_LIMIT)
		return true;
	if (want > t->limit - t->limit / 4 &&
	    (t->asked == 0 || now - t->asked >= AGAIN_MS)) {
		t->asked = now;
		out = report_begin(UT_C_FULL, t->id, 0);
		ut_msg_u64(out, want);
		report_send();
	}
	return want <= t->limit;
}

int
bound_refuse(void)
{
	errno = EAGAIN;
	return report_why(NULL, "the session has reached its size (create -M)");
}

/* Count what another consumer has written. */
void
bound_adopt(struct trace *t)
{
	const char *name;
	struct stat st;
	DIR *dir;

	if (!t->adopted || (dir = output_list(t->fd)) == NULL)
		return;
	for (t->used = 0; (name = output_next(dir)) != NULL;)
		if (fstatat(t->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			t->used += (uint64_t)st.st_size;
	closedir(dir);
}
