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
 * The clocks that events were timed with, and how exact each was, as far as
 * the metadata tell.  There are few.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "../show/show.h"
#include "../utctl.h"
#include "stat.h"

#define NS			1e9
#define NTP_UNSYNCHRONIZED	5

void
clocks_add(struct clocks *c, const char *name, double error, int points)
{
	struct clock_seen *p;
	size_t i;

	for (i = 0; i < c->n; i++)
		if (strcmp(c->seen[i].name, name) == 0)
			break;
	if (i == c->n) {
		p = xrealloc(c->seen, (c->n + 1) * sizeof(*p));
		c->seen = p;
		p += c->n++;
		if ((p->name = strdup(name)) == NULL)
			die_errno("malloc");
		p->error = 0;
		p->points = 0;
	}
	c->seen[i].points |= points;
	if (c->seen[i].error < error)
		c->seen[i].error = error;
}

/* An event has that clock, which is not that of the event before. */
void
clocks_note(struct clocks *c, const struct ctf_clock *clock)
{
	c->last = clock;
	clocks_add(c, clock->name, clock->error, clock->dates != NULL);
}

static void
print_span(double ns)
{
	if (ns < 10000 * 1e3)
		printf("%.3f us", ns / 1e3);
	else if (ns < 10000 * 1e6)
		printf("%.3f ms", ns / 1e6);
	else
		printf("%.3f s", ns / NS);
}

/* The last point of a host that is known, by its date; or NULL. */
static const struct ctf_point *
last_point(const struct reader *r, const char *host)
{
	const struct reader_session *s, *last = NULL;

	for (s = r->sessions; s < r->sessions + r->nsessions; s++)
		if (s->trace->host != NULL &&
		    strcmp(s->trace->host, host) == 0 && (last == NULL ||
		    s->last->date > last->last->date))
			last = s;
	return last == NULL ? NULL : last->last;
}

/* Print the state of the hosts' clocks; if there is one host, only bad news. */
static void
print_hosts(const struct reader *r)
{
	const struct ctf_point *p;
	char *shown;
	size_t i;
	int lost;

	for (i = 0; i < r->nhosts; i++) {
		p = last_point(r, r->hosts[i]);
		if (r->nhosts == 1 && (p == NULL ||
		    p->ntp_state != NTP_UNSYNCHRONIZED))
			continue;
		lost = p != NULL && p->ntp_state == NTP_UNSYNCHRONIZED;
		printf("host %s: ", shown = clean(r->hosts[i]));
		free(shown);
		if (p == NULL || p->ntp_state < 0) {
			printf("the clock is not known to be synchronized\n");
			continue;
		}
		printf(lost ? "no NTP keeps this clock: it may be off by " :
		    "the clock is synchronized, off by ");
		print_span((double)p->ntp_maximum);
		printf(lost ? "\n" : " at most, as NTP tells\n");
	}
}

static void
print_clocks(const struct clocks *c)
{
	char *shown;
	size_t i;

	for (i = 0; i < c->n; i++) {
		printf("%s%s", i == 0 ? "clock: " : ", ",
		    shown = clean(c->seen[i].name));
		free(shown);
		if (c->seen[i].points)
			printf(", by its points");
		if (c->seen[i].error > 0) {
			printf(" (off by ");
			print_span(c->seen[i].error);
			printf(" at most)");
		}
	}
	if (c->n > 0)
		putchar('\n');
}

static void
print_slept(const struct reader *r, const struct reader_session *s)
{
	char *shown, from[CTF_TIMELEN], to[CTF_TIMELEN];

	if (s->slept.n == 0)
		return;
	ctf_print_time(s->slept.from, from);
	ctf_print_time(s->slept.to, to);
	if (r->nhosts > 1) {
		printf("host %s: ", shown = clean(s->trace->label));
		free(shown);
	}
	printf("the machine slept: %.3f s between %s and %s\n",
	    s->slept.ns / NS, from, to);
}

static const char *
ntp_state(int64_t state)
{
	static const char *const names[] = { "unknown", "ok", "insert",
	    "delete", "leap", "wait", "unsynchronized" };

	return state >= -1 && state <= 5 ? names[state + 1] : "other";
}

/* How often a clock jumped: members with these names. */
static void
json_steps(const struct reader_steps *steps, const char *ns, const char *from,
    const char *to)
{
	json_format(ns, "\"%.0f\"", steps->ns);
	if (steps->n == 0)
		return;
	json_ns(from, steps->from);
	json_ns(to, steps->to);
}

static void
json_clocks(const struct clocks *c, const struct reader *r)
{
	const struct reader_session *s;
	size_t i;

	json_array("clocks");
	for (i = 0; i < c->n; i++) {
		json_object(NULL);
		json_string("name", c->seen[i].name);
		json_string("dates", c->seen[i].points ? "points" : "line");
		json_format("error_ns", "%.0f", c->seen[i].error);
		json_end();
	}
	json_end();
	json_array("hosts");
	for (s = r->sessions; s < r->sessions + r->nsessions; s++) {
		json_object(NULL);
		json_string("host", s->trace->host == NULL ? "" :
		    s->trace->host);
		json_string("ntp_state", ntp_state(s->last->ntp_state));
		json_u64("ntp_maximum_ns", s->last->ntp_maximum);
		json_steps(&s->set, "set_ns", "set_from", "set_to");
		json_steps(&s->slept, "slept_ns", "slept_from", "slept_to");
		json_end();
	}
	json_end();
}

void
clocks_print(const struct clocks *c, const struct reader *r)
{
	size_t i;

	if (json_on) {
		json_clocks(c, r);
		return;
	}
	print_clocks(c);
	for (i = 0; i < r->nsessions; i++)
		print_slept(r, &r->sessions[i]);
	print_hosts(r);
	putchar('\n');
}

/* Numbers that a double does not hold are text. */
static void
put_point(const struct ctf_point *p)
{
	char date[CTF_TIMELEN];

	json_object(NULL);
	json_ns("time", p->date);
	json_ns("monotonic", p->monotonic);
	json_format("cycles", "\"%" PRIu64 "\"", p->cycles);
	json_ns("boottime", p->boottime);
	json_ns("realtime", p->realtime);
	json_i64("ntp_offset_ns", p->ntp_offset);
	json_format("ntp_frequency_ppm", "%.6f",
	    (double)p->ntp_frequency / 65536);
	json_u64("ntp_maximum_ns", p->ntp_maximum);
	json_u64("ntp_error_ns", p->ntp_error);
	json_string("ntp_state", ntp_state(p->ntp_state));
	json_end();
	if (json_on)
		return;
	ctf_print_time(p->date, date);
	printf("%s %" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64
	    " %.3f %.3f %.3f %.3f %s\n", date, p->monotonic, p->cycles,
	    p->boottime, p->realtime, (double)p->ntp_offset / 1000,
	    (double)p->ntp_frequency / 65536, (double)p->ntp_maximum / 1000,
	    (double)p->ntp_error / 1000, ntp_state(p->ntp_state));
}

void
clocks_points(const struct reader *r)
{
	const struct ctf_trace *tr;
	char *shown;
	size_t i;

	json_object(NULL);
	show_moved(r);
	json_array("traces");
	if (!json_on)
		printf("date monotonic cycles boottime realtime offset/us "
		    "frequency/ppm maximum/us error/us state\n");
	for (tr = r->traces; tr != NULL; tr = tr->next) {
		json_object(NULL);
		json_string("metadata", tr->file);
		json_array("points");
		if (!json_on) {
			printf("%s: %zu point%s\n", shown = clean(tr->file),
			    tr->npoints, many(tr->npoints));
			free(shown);
		}
		for (i = 0; i < tr->npoints; i++)
			put_point(&tr->points[i]);
		json_end();
		json_end();
	}
	json_end();
	json_end();
}

void
clocks_free(struct clocks *c)
{
	while (c->n > 0)
		free(c->seen[--c->n].name);
	free(c->seen);
}
