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
 * Times as text.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ctf.h"

#define NS	1000000000
#define US	1000

/* The second that was printed last. */
struct second {
	int64_t	 ns;			/* when it begins */
	char	 text[32];
	size_t	 len;
	char	 zone[16];
};

int ctf_time_iso;

static struct second local = { INT64_MIN, "", 0, "" };
static struct second utc = { INT64_MIN, "", 0, "" };

/* +hhmm, in ISO 8601 with a colon. */
static void
zone_set(struct second *sec, const struct tm *tm)
{
	if (strftime(sec->zone, sizeof(sec->zone) - 1, "%z", tm) == 5) {
		memmove(sec->zone + 4, sec->zone + 3, 3);
		sec->zone[3] = ':';
	} else
		sec->zone[0] = '\0';
}

/* The system is asked for the date once per second of the trace. */
static void
second_set(struct second *sec, int64_t ns)
{
	int64_t s = ns / NS - (ns % NS < 0);
	time_t t = (time_t)s;
	struct tm tm;

	sec->ns = s * NS;
	sec->zone[0] = '\0';
	if ((int64_t)t != s || (sec == &utc ? gmtime_r(&t, &tm) :
	    localtime_r(&t, &tm)) == NULL) {
		sec->len = (size_t)snprintf(sec->text, sizeof(sec->text),
		    "@%lld.", (long long)s);
		return;
	}
	sec->len = strftime(sec->text, sizeof(sec->text),
	    ctf_time_iso || sec == &utc ? "%Y-%m-%dT%H:%M:%S." :
	    "%Y-%m-%d %H:%M:%S.", &tm);
	if (sec == &utc)
		strcpy(sec->zone, "Z");
	else
		zone_set(sec, &tm);
}

static char *
put_second(char *p, struct second *sec, int64_t ns)
{
	uint64_t rest = (uint64_t)ns - (uint64_t)sec->ns;

	if (rest >= NS) {
		second_set(sec, ns);
		rest = (uint64_t)ns - (uint64_t)sec->ns;
	}
	/* All of it: so many bytes, known here, are a few moves. */
	memcpy(p, sec->text, sizeof(sec->text));
	return ctf_put_digits(p + sec->len, rest, 9);
}

/* In local time. */
char *
put_time(char *p, int64_t ns)
{
	return put_second(p, &local, ns);
}

/* The zone of the time that was put last. */
char *
put_zone(char *p)
{
	return stpcpy(p, local.zone);
}

char *
put_utc(char *p, int64_t ns)
{
	return stpcpy(put_second(p, &utc, ns), utc.zone);
}

/* In a unit of so many ns, exactly: that takes so many digits. */
static char *
put_units(char *p, int64_t ns, uint64_t unit, size_t digits)
{
	const uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		*p++ = '-';
	p = ctf_put_u64(p, n / unit);
	*p++ = '.';
	return ctf_put_digits(p, n % unit, digits);
}

char *
put_seconds(char *p, int64_t ns)
{
	return put_units(p, ns, NS, 9);
}

char *
ctf_print_seconds(int64_t ns, char *buf)
{
	buf[0] = '+';
	*put_seconds(buf + (ns >= 0), ns) = '\0';
	return buf;
}

/* Microseconds. */
char *
put_us(char *p, int64_t ns)
{
	return put_units(p, ns, US, 3);
}

char *
ctf_print_move(const struct ctf_move *m, char *buf)
{
	char rate[CTF_TIMELEN], from[CTF_TIMELEN];

	strcat(ctf_print_seconds(m->ns, buf), " s");
	if (m->rate != 0)
		snprintf(buf + strlen(buf), CTF_TIMELEN - strlen(buf),
		    ", %s ppm since @%s", ctf_print_seconds(m->rate, rate),
		    ctf_print_seconds(m->from, from) + 1);
	return buf;
}

void
ctf_print_time(int64_t ns, char *buf)
{
	*put_time(buf, ns) = '\0';
}
