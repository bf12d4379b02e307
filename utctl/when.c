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
 * Times of a trace, as arguments: see when.h, and utctl-view(1) for how they
 * are written.
 */

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "when.h"

#define NS	1000000000

/* Digits of a second, as ns; what is smaller is left out.  Where they end. */
static const char *
fraction(const char *s, int64_t *ns)
{
	int64_t unit = NS;

	for (*ns = 0; isdigit((unsigned char)*s); s++) {
		unit /= 10;
		*ns += (*s - '0') * unit;
	}
	return s;
}

int64_t
when_sum(int64_t a, int64_t b)
{
	if (b > 0 && a > INT64_MAX - b)
		return INT64_MAX;
	if (b < 0 && a < -INT64_MAX - b)
		return -INT64_MAX;
	return a + b;
}

double
when_seconds(int64_t from, int64_t to)
{
	return (from <= to ? (double)((uint64_t)to - (uint64_t)from) :
	    -(double)((uint64_t)from - (uint64_t)to)) / NS;
}

int
when_length(const char *s, int64_t *ns)
{
	static const struct {
		const char	*name;
		int64_t		 ns;
	} units[] = {
		{ "", NS }, { "s", NS }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 }, { "m", (int64_t)60 * NS },
		{ "h", (int64_t)3600 * NS }
	};
	int64_t n = 0, part = 0;
	size_t i;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++) {
		if (n > INT64_MAX / 10 - 1)
			return -1;
		n = 10 * n + (*s - '0');
	}
	if (*s == '.' && isdigit((unsigned char)s[1]))
		s = fraction(s + 1, &part);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(s, units[i].name) == 0)
			break;
	if (i == sizeof(units) / sizeof(units[0]) ||
	    n > INT64_MAX / units[i].ns - 1)
		return -1;
	/* The part is a number of billionths of the unit. */
	*ns = n * units[i].ns + (units[i].ns >= NS ?
	    part * (units[i].ns / NS) : part / (NS / units[i].ns));
	return 0;
}

/* Seconds since 1970 of a time in UTC. */
static int64_t
utc(const struct tm *tm)
{
	/* Years from March on: the day that may be there comes last. */
	const int64_t y = (int64_t)tm->tm_year + 1900 - (tm->tm_mon < 2);
	const int64_t m = (tm->tm_mon + 10) % 12;
	const int64_t days = 365 * y + y / 4 - y / 100 + y / 400 +
	    (153 * m + 2) / 5 + tm->tm_mday - 1 - 719468;

	return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 +
	    tm->tm_sec;
}

/* Z, +hh:mm or +hhmm, in seconds east of UTC: 0, or -1. */
static int
parse_zone(const char *s, int64_t *east)
{
	const int sign = *s == '-' ? -1 : 1;
	int h, m, n = 0;

	*east = 0;
	if (strcmp(s, "Z") == 0)
		return 0;
	if ((*s != '+' && *s != '-') || !isdigit((unsigned char)s[1]) ||
	    (sscanf(s + 1, "%2d:%2d%n", &h, &m, &n) != 2 &&
	    sscanf(s + 1, "%2d%2d%n", &h, &m, &n) != 2) ||
	    s[1 + n] != '\0' || h > 14 || m < 0 || m > 59)
		return -1;
	*east = sign * (h * 60 + m) * 60;
	return 0;
}

/* Has the month such a day? */
static int
is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon,
	    .tm_mday = tm->tm_mday };
	struct tm next = { .tm_year = tm->tm_year + (tm->tm_mon == 11),
	    .tm_mon = (tm->tm_mon + 1) % 12, .tm_mday = 1 };

	return utc(&day) < utc(&next);
}

/* Local time, unless a zone follows. */
static int
parse_date(struct when *w, const char *rest)
{
	struct tm tm = w->tm;
	int64_t east;
	time_t t;

	w->kind = WHEN_AT;
	if (!is_day(&tm))
		return -1;
	if (*rest != '\0') {
		if (parse_zone(rest, &east) == -1)
			return -1;
		w->s = utc(&tm) - east;
		return 0;
	}
	/* -1 may be a second of 1969: mktime() leaves the day if it fails. */
	tm.tm_isdst = tm.tm_wday = -1;
	if ((t = mktime(&tm)) == (time_t)-1 && tm.tm_wday == -1)
		return -1;
	w->s = (int64_t)t;
	return 0;
}

static int
parse_clock(struct when *w, const char *s)
{
	static const struct {
		const char	*format;
		int		 date, seconds;
	} formats[] = {
		{ "%Y-%m-%dT%H:%M:%S", 1, 1 }, { "%Y-%m-%d %H:%M:%S", 1, 1 },
		{ "%Y-%m-%dT%H:%M", 1, 0 }, { "%Y-%m-%d %H:%M", 1, 0 },
		{ "%Y-%m-%d", 1, 0 }, { "%H:%M:%S", 0, 1 },
		{ "%H:%M", 0, 0 }
	};
	const char *rest;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		memset(&w->tm, 0, sizeof(w->tm));
		w->tm.tm_mday = 1;
		if ((rest = strptime(s, formats[i].format, &w->tm)) == NULL)
			continue;
		if (formats[i].seconds && *rest == '.' &&
		    isdigit((unsigned char)rest[1]))
			rest = fraction(rest + 1, &w->ns);
		if (formats[i].date)
			return parse_date(w, rest);
		w->kind = WHEN_DAY;
		return *rest == '\0' ? 0 : -1;
	}
	return -1;
}

void
when_parse(struct when *w, const char *s)
{
	const char *end;
	char *stop;
	int r;

	memset(w, 0, sizeof(*w));
	if (*s == '+' || *s == '-') {
		w->kind = *s == '+' ? WHEN_BEGIN : WHEN_END;
		r = when_length(s + 1, &w->ns);
	} else if (*s == '@' && isdigit((unsigned char)s[1])) {
		w->kind = WHEN_AT;
		w->s = strtoll(s + 1, &stop, 10);
		end = stop;
		if (*end == '.')
			end = fraction(end + 1, &w->ns);
		r = *end == '\0' ? 0 : -1;
	} else
		r = parse_clock(w, s);
	if (r == -1)
		die("time '%s': not a date and time such as 2026-11-21 "
		    "14:03:07.5, nor 14:03, +1.5s, -200ms or @1795269787.5",
		    s);
}

int
when_relative(const struct when *w)
{
	return w->kind == WHEN_BEGIN || w->kind == WHEN_END ||
	    w->kind == WHEN_DAY;
}

static int64_t
seconds_ns(int64_t s, int64_t ns)
{
	if (s > INT64_MAX / NS - 1)
		return INT64_MAX;
	if (s < INT64_MIN / NS + 1)
		return INT64_MIN;
	return s * NS + ns;
}

/* The time on the local day on which the trace begins. */
static int64_t
day_ns(const struct when *w, int64_t begin)
{
	time_t t = (time_t)(begin / NS);
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL)
		return begin;
	tm.tm_hour = w->tm.tm_hour;
	tm.tm_min = w->tm.tm_min;
	tm.tm_sec = w->tm.tm_sec;
	tm.tm_isdst = -1;
	return seconds_ns((int64_t)mktime(&tm), w->ns);
}

int64_t
when_ns(const struct when *w, int64_t begin, int64_t end)
{
	switch (w->kind) {
	case WHEN_BEGIN:
		return when_sum(begin, w->ns);
	case WHEN_END:
		return when_sum(end, -w->ns);
	case WHEN_DAY:
		return day_ns(w, begin);
	default:
		return seconds_ns(w->s, w->ns);
	}
}
