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
 * The attributes of a channel.
 */

#include <stdio.h>

#include "../ut_abi.h"
#include "attr.h"

#define BOTH	(ATTR_ENABLE | ATTR_RECORD)

const struct attr attr_table[ATTRS] = {
	[ATTR_SUBSIZE] = { .option = "b subbuf-size", .commands = BOTH,
	    .name = "subbuf_size", .what = "sub-buffer size", .bytes = true,
	    .power = true,
	    .min = UT_SUBSIZE_MIN, .max = UT_SUBSIZE_MAX, .usual = 16384 },
	[ATTR_NSUBS] = { .option = "n count", .commands = BOTH,
	    .name = "subbufs", .what = "number of sub-buffers",
	    .min = UT_NSUBS_MIN, .max = UT_NSUBS_MAX,
	    .usual = 512, .usual_pid = 32 },
	[ATTR_BUFFERS] = { .option = "p", .commands = ATTR_ENABLE,
	    .name = "buffers", .what = "buffers", .text = " per process",
	    .max = UT_BUFFERS_PID, .words = { "uid", "pid" } },
	[ATTR_CLOCK] = { .option = "k monotonic | cycles | auto",
	    .commands = BOTH,
	    .name = "clock", .what = "clock", .text = ", clock cycles",
	    .max = ATTR_CLOCK_AUTO,
	    .record = { ATTR_CLOCK_AUTO, 'F', UT_CLOCK_MONOTONIC },
	    .words = { "monotonic", "cycles", "auto" } },
	[ATTR_FILESIZE] = { .option = "C file-size", .commands = BOTH,
	    .name = "file_size", .what = "file size", .bytes = true,
	    .text = ", files of %",
	    .min = 8u << 10, .max = 4095u << 20 },
	[ATTR_FILES] = { .option = "W count", .commands = BOTH,
	    .name = "files", .what = "number of files",
	    .text = ", the last % of a stream",
	    .min = 1, .max = 65536 },
	[ATTR_FLUSH] = { .option = "i time", .commands = ATTR_ENABLE,
	    .name = "flush_ms", .what = "flush interval", .time = true,
	    .text = ", flushed each %", .never = ", flushed when full",
	    .min = 1, .max = 60 * 60 * 1000, .usual = 1000 },
	[ATTR_MODE] = { .option = "m discard | overwrite | block",
	    .commands = BOTH, .name = "mode", .what = "mode",
	    .max = UT_MODE_BLOCK,
	    .record = { UT_MODE_DISCARD, 'w', UT_MODE_BLOCK },
	    .words = { "discard", "overwrite", "block" } },
	[ATTR_TIMEOUT] = { .option = "t time", .commands = BOTH,
	    .name = "timeout_ms", .what = "time-out", .time = true,
	    .endless = true, .min = 1, .max = 60 * 60 * 1000 }
};

bool
attr_valid(const struct attr *a, uint64_t v, char *why, size_t n)
{
	uint32_t i;
	int len = 0;

	if (v >= a->min && v <= a->max && (!a->power || (v & (v - 1)) == 0))
		return true;
	if ((a->time && v == ATTR_NEVER) || (a->endless && v == ATTR_FOREVER))
		return true;
	if (a->time)
		snprintf(why, n, "neither 0%s nor from %ums to %um",
		    a->endless ? " nor " ATTR_FOREVER_NAME : "", a->min,
		    a->max / 60000);
	else if (a->bytes)
		snprintf(why, n, "not %sfrom %uk to %um", a->power ?
		    "a power of two " : "", a->min >> 10, a->max >> 20);
	else if (a->words[0] == NULL)
		snprintf(why, n, "not from %u to %u", a->min, a->max);
	else
		for (i = 0; i <= a->max && len >= 0 && (size_t)len < n; i++)
			len += snprintf(why + len, n - (size_t)len, "%s %s",
			    i == 0 ? "neither" : " nor", a->words[i]);
	return false;
}

uint32_t
attr_number(const struct attr *a, uint32_t v)
{
	return a->time && v == ATTR_NEVER ? 0 : v;
}

uint64_t
attr_value(const struct attr *a, uint64_t n)
{
	if (!a->time)
		return n;
	if (n == 0)
		return ATTR_NEVER;
	return n <= a->max ? n : 0;
}

/* Can these two be together with the others? */
static bool
files_valid(const struct attrs *attrs, char *why, size_t n)
{
	const uint32_t size = attrs->v[ATTR_FILESIZE];
	const uint32_t least = attrs->v[ATTR_SUBSIZE] + ATTR_FILE_REST;

	if (size == 0 && attrs->v[ATTR_FILES] != 0)
		snprintf(why, n, "number of files %u: only with a file size "
		    "(-C)", attrs->v[ATTR_FILES]);
	else if (size != 0 && size < least)
		snprintf(why, n, "file size %u: a sub-buffer of %u bytes, and "
		    "what comes before it in a file, need %u", size,
		    attrs->v[ATTR_SUBSIZE], least);
	else
		return true;
	return false;
}

bool
attrs_block(const struct attrs *attrs)
{
	return attrs->v[ATTR_MODE] == UT_MODE_BLOCK;
}

/* Nobody waits but in block mode. */
static bool
mode_valid(const struct attrs *attrs, char *why, size_t n)
{
	if (!attrs_block(attrs) && attrs->v[ATTR_TIMEOUT] != 0)
		snprintf(why, n, "time-out: only in mode block (-m block)");
	else
		return true;
	return false;
}

bool
attrs_valid(const struct attrs *attrs, char *why, size_t n)
{
	char wrong[96];
	size_t i;

	for (i = 0; i < ATTRS; i++) {
		if ((attrs->v[i] == 0 && attr_table[i].usual == 0) ||
		    attr_valid(&attr_table[i], attrs->v[i], wrong,
		    sizeof(wrong)))
			continue;
		snprintf(why, n, "%s %u: %s", attr_table[i].what,
		    attrs->v[i], wrong);
		return false;
	}
	return files_valid(attrs, why, n) && mode_valid(attrs, why, n);
}

/*
 * Return for how many sub-buffers of that size a region has room.  The consumer
 * aligns the data to a page, and may append a record for each sub-buffer.
 */
uint32_t
attr_subbufs(uint32_t size)
{
	const uint64_t max = UT_REGION_MAX < SIZE_MAX ? UT_REGION_MAX :
	    SIZE_MAX;
	const uint64_t rest = sizeof(struct ut_header) +
	    (uint64_t)UT_NSLOTS_MAX * sizeof(struct ut_slot) + UT_SUBSIZE_MIN;
	const uint64_t n = (max - rest) / ((uint64_t)size +
	    sizeof(struct ut_subbuf) + ATTR_SUBBUF_REST);

	return n < UT_NSUBS_MAX ? (uint32_t)n : UT_NSUBS_MAX;
}

void
attrs_default(struct attrs *attrs)
{
	const bool pid = attrs->v[ATTR_BUFFERS] == UT_BUFFERS_PID;
	const struct attr *a = attr_table;
	size_t i;

	for (i = 0; i < ATTRS; i++, a++)
		if (attrs->v[i] == 0)
			attrs->v[i] = pid && a->usual_pid != 0 ?
			    a->usual_pid : a->usual;
	if (attrs_block(attrs) && attrs->v[ATTR_TIMEOUT] == 0)
		attrs->v[ATTR_TIMEOUT] = ATTR_TIMEOUT_USUAL;
}

void
attrs_put(struct ut_msg *m, const struct attrs *attrs)
{
	size_t i;

	for (i = 0; i < ATTRS; i++)
		ut_msg_u32(m, attrs->v[i]);
}

void
attrs_get(struct ut_msg *m, struct attrs *attrs)
{
	size_t i;

	for (i = 0; i < ATTRS; i++)
		attrs->v[i] = ut_msg_more(m) ? ut_msg_get_u32(m) : 0;
}
