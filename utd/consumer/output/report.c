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

/* The messages of a consumer to the parent. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"

#define PROGRESS_MS	200

bool parent_gone;

static struct ut_msg out;
static struct reason reason;
static uint64_t written;

/* One message at a time: it is begun, items are added, it is sent. */
struct ut_msg *
report_begin(uint16_t type, uint32_t a, uint32_t b)
{
	ut_msg_init(&out, type, a, b);
	return &out;
}

void
report_send(void)
{
	if (ut_msg_send(PARENT_FD, &out, -1) == -1)
		parent_gone = true;
}

/*
 * Note why a request fails, more precisely than errno, and the file that it is
 * about, if any.  Returns -1 and leaves errno alone.
 */
int
report_why(const char *path, const char *fmt, ...)
{
	const int error = errno;
	va_list ap;
	size_t n;

	snprintf(reason.why, sizeof(reason.why), "%.256s%s", path == NULL ? "" :
	    path, path == NULL ? "" : ": ");
	n = strlen(reason.why);
	va_start(ap, fmt);
	vsnprintf(reason.why + n, sizeof(reason.why) - n, fmt, ap);
	va_end(ap);
	errno = error;
	return -1;
}

/* Report errno as the reason; without a path, of the session's directory. */
int
report_errno(const char *path)
{
	return report_why(path, "%s", strerror(errno));
}

/* Forget the last reason, before something is tried that may note one. */
void
report_try(void)
{
	reason.why[0] = '\0';
}

/* Put the reason aside, and have another one; and the other way round. */
void
report_swap(struct reason *other)
{
	const struct reason was = reason;

	reason = *other;
	*other = was;
}

const char *
report_reason(int error)
{
	return reason.why[0] != '\0' ? reason.why : strerror(error);
}

/* A request failed. */
void
report_failed(uint32_t serial, int error)
{
	ut_msg_init(&out, UT_C_REPLY, serial, (uint32_t)error);
	ut_msg_str(&out, report_reason(error));
	report_send();
}

void
report_trouble(uint32_t region, uint32_t what, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ut_msg_init(&out, UT_C_TROUBLE, region, what);
	ut_msg_str(&out, text);
	report_send();
}

/* Count bytes that were written. */
void
report_bytes(uint64_t n)
{
	written += n;
}

/*
 * utctl may be waiting for the end of this; tell it, but not too often.  The
 * parent sees by what is written whether we do anything: see requests.c there.
 */
void
report_progress(uint64_t left)
{
	static int64_t last;
	int64_t now = ut_msg_now();

	if (now - last < PROGRESS_MS)
		return;
	last = now;
	ut_msg_init(&out, UT_C_PROGRESS, 0, 0);
	ut_msg_u64(&out, left);
	ut_msg_u64(&out, written);
	report_send();
}

/* A directory was made, perhaps under another name than we were asked. */
void
report_made(const struct trace *t)
{
	ut_msg_init(&out, UT_C_MADE, t->id, 0);
	ut_msg_str(&out, t->path);
	report_send();
}

void
report_wrote(const struct trace *t)
{
	ut_msg_init(&out, UT_C_WROTE, t->id, 0);
	ut_msg_u64(&out, (uint64_t)t->meta_size);
	report_send();
}
