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
 * utctl skew: how far the clocks of two traces are apart, by messages of which
 * one trace has the sending and the other one the receipt.
 *
 * No message is received before it is sent: each one from the first to the
 * second trace tells what the offset of the second is at least, and each one
 * back what it is at most.  The quickest ones tell most (Cristian 1989, and the
 * minimum filter of RFC 5905).  What is kept grows with the number of messages,
 * for a key that comes again makes both of its messages useless.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "../when.h"
#include "pair_role.h"
#include "show.h"
#include "skew.h"

#define KEYLEN	200		/* bytes of a key that are compared */

/* A message that was sent from a trace, 0 or 1, to the other one. */
struct message {
	const struct pair	*pair;
	size_t			 from;
	unsigned int		 seen[2];	/* sendings, receipts */
	int64_t			 ns[2];		/* when the last of them was */
	size_t			 len;
	char			 key[];
};

/* A bound of the offset, by the messages from one trace. */
struct bound {
	uint64_t		 n;
	const struct message	*by;	/* the one that tells most */
	int64_t			 ns;	/* at least, or at most */
	double			 sum;	/* seconds, each from run.first on */
};

static struct {
	struct pairs	 pairs;
	int		 quiet;
	struct map	 messages;
	struct bound	 bounds[2];	/* by messages from each trace */
	int64_t		 first;		/* the bound of one message */
	uint64_t	 alone, again;	/* messages that tell nothing */
} run;

/* A sum of ns; die if 64 bits do not hold it. */
static int64_t
ns_sum(int64_t a, int64_t b)
{
	const int64_t ns = when_sum(a, b);

	if (ns == INT64_MAX || ns == -INT64_MAX)
		die("skew: the dates are more than 292 years apart: give a "
		    "directory an offset that is about right");
	return ns;
}

static struct message *
message_get(const struct pair *p, size_t from, const char *key, size_t len)
{
	const uint64_t hash = map_bytes((uintptr_t)p + from, key, len);
	struct message *m = map_get(&run.messages, hash);

	if (m != NULL) {
		/* Two keys of one hash are as useless as one that is twice. */
		if (m->pair != p || m->from != from || m->len != len ||
		    memcmp(m->key, key, len) != 0)
			m->seen[0] = 2;
		return m;
	}
	m = xcalloc(1, sizeof(*m) + len + 1);
	m->pair = p;
	m->from = from;
	m->len = len;
	memcpy(m->key, key, len);
	map_put(&run.messages, hash, m);
	return m;
}

static void
skew_event(void *arg, struct ctf_stream *s)
{
	const struct pair_role *r;
	struct message *m;
	char key[KEYLEN];
	size_t len;

	(void)arg;
	for (r = s->event->pairs; r != NULL; r = r->next) {
		if (r->at.type == NULL)
			continue;
		len = ctf_field_text(&r->at, s, key, sizeof(key));
		m = message_get(r->pair, s->trace->dir ^ (size_t)r->ends, key,
		    len);
		m->seen[r->ends] += m->seen[r->ends] < 2;
		m->ns[r->ends] = s->ns;
	}
}

/* Count the message; its bound is the first trace's time less the second's. */
static void
bound_add(const struct message *m)
{
	struct bound *b = &run.bounds[m->from];
	const int64_t ns = ns_sum(m->ns[m->from], -m->ns[!m->from]);

	if (run.bounds[0].n + run.bounds[1].n == 0)
		run.first = ns;
	b->sum += when_seconds(run.first, ns);
	if (b->n++ == 0 || (m->from == 0 ? ns > b->ns : ns < b->ns) ||
	    (ns == b->ns && m->ns[0] < b->by->ns[0])) {
		b->ns = ns;
		b->by = m;
	}
}

static int
is_whole(const struct message *m)
{
	return m->seen[0] == 1 && m->seen[1] == 1;
}

/* Find both bounds; the second trace's dates have been moved by given. */
static void
bounds_find(int64_t given)
{
	struct bound *b = run.bounds;
	const struct message *m;
	size_t i;

	for (i = 0; i < run.messages.cap; i++)
		if ((m = run.messages.v[i].value) == NULL)
			continue;
		else if (is_whole(m))
			bound_add(m);
		else if (m->seen[0] > 1 || m->seen[1] > 1)
			run.again++;
		else
			run.alone++;
	b[0].ns = ns_sum(b[0].ns, given);
	b[1].ns = ns_sum(b[1].ns, given);
	(void)ns_sum(b[1].ns, -b[0].ns);
}

static void
put_bound(const struct bound *b, const char *from, const char *to,
    const char *much)
{
	char sent[CTF_TIMELEN], by[CTF_TIMELEN], *key;

	if (!json_on)
		printf("%s to %s: %" PRIu64 " message%s", from, to, b->n,
		    many(b->n));
	json_object(much);
	json_u64("messages", b->n);
	if (b->n > 0) {
		json_ns("offset_ns", b->ns);
		json_string("pair", b->by->pair->name);
		json_string("key", b->by->key);
		json_ns("sent", b->by->ns[0]);
		json_ns("received", b->by->ns[1]);
	}
	json_end();
	if (!json_on && b->n > 0) {
		ctf_print_time(b->by->ns[0], sent);
		key = clean(b->by->key);
		printf(": offset at %s %s s, by %s %s of %s", much,
		    ctf_print_seconds(b->ns, by), b->by->pair->name, key, sent);
		free(key);
	}
	if (!json_on)
		putchar('\n');
}

/* Both bounds part by so many ns. */
static void
say_parted(int64_t ns)
{
	const struct bound *b = run.bounds;
	/* Both times are the first trace's. */
	const double s = fabs(when_seconds(b[0].by->ns[0], b[1].by->ns[1]));
	char by[CTF_TIMELEN], drift[128] = "";

	if (s > 0)
		snprintf(drift, sizeof(drift), "the clocks drift by %.3f ppm "
		    "or more (take less at a time, with -b and -u), or ",
		    (double)ns / s / 1e3);
	say("no offset fits, nor a steady drift: at least and at most part by "
	    "%s s: %s%sa key stands for two messages",
	    ctf_print_seconds(ns, by) + 1,
	    b[0].sum / (double)b[0].n > b[1].sum / (double)b[1].n ?
	    "-D names the receipt before the sending, or " : "", drift);
}

/* Print the second directory with its offset. */
static void
put_argument(const char *to, const struct ctf_move *m)
{
	char rate[CTF_TIMELEN], from[CTF_TIMELEN];

	if (json_on)
		return;
	printf("%s@%+" PRId64 "ns", to, m->ns);
	if (m->rate != 0)
		printf("%sppm@%s", ctf_print_seconds(m->rate, rate),
		    ctf_print_seconds(m->from, from) + 1);
	putchar('\n');
}

/* Draw the line on which offsets are that all messages allow. */
static int
find_line(struct skew_line *line, int64_t given)
{
	struct skew_point *points, *p;
	const struct message *m;
	size_t i;
	int r;

	p = points = xcalloc(run.bounds[0].n + run.bounds[1].n,
	    sizeof(*points));
	for (i = 0; i < run.messages.cap; i++) {
		if ((m = run.messages.v[i].value) == NULL || !is_whole(m))
			continue;
		p->most = m->from != 0;
		p->date = ns_sum(m->ns[!m->from], -given);
		p->offset = ns_sum(m->ns[m->from], -p->date);
		p++;
	}
	r = skew_line(line, points, (size_t)(p - points));
	free(points);
	return r;
}

/* Print the offset and the drift, or say why there are none. */
static int
put_line(const char *to, const struct reader_dir *dir, int64_t parted)
{
	struct skew_line line;
	char by[CTF_TIMELEN], error[CTF_TIMELEN];

	if (dir->move.rate != 0 || find_line(&line, dir->move.ns) == -1) {
		say_parted(parted);
		return 1;
	}
	show_move(&line.move);
	json_ns("error_ns", line.error);
	json_real("drift_least_ppm", line.least * 1e6);
	json_real("drift_most_ppm", line.most * 1e6);
	if (!json_on && !run.quiet)
		printf("offset %s, off by at most %s s, drift at least %+.3f "
		    "ppm and at most %+.3f ppm\n",
		    ctf_print_move(&line.move, by),
		    ctf_print_seconds(line.error, error) + 1, line.least * 1e6,
		    line.most * 1e6);
	put_argument(to, &line.move);
	return 0;
}

/* Print the offset, or say why there is none: the exit status. */
static int
put_offset(const char *to, const struct reader_dir *dir)
{
	struct ctf_move move = dir->move;
	const struct bound *b = run.bounds;
	const int64_t width = b[1].ns - b[0].ns, half = width / 2;
	char offset[CTF_TIMELEN], error[CTF_TIMELEN];

	if (b[0].n == 0 || b[1].n == 0) {
		say("the offset is not known: it takes messages of -D in both "
		    "directions");
		return 1;
	}
	if (width < 0)
		return put_line(to, dir, -width);
	move.ns = b[0].ns + half;
	show_move(&move);
	json_ns("error_ns", width - half);
	if (!json_on && !run.quiet)
		printf("offset %s s, off by at most %s s\n",
		    ctf_print_seconds(move.ns, offset),
		    ctf_print_seconds(width - half, error) + 1);
	put_argument(to, &move);
	return 0;
}

static int
skew_traces(struct reader *rd, struct reader_dir *dirs)
{
	static const struct reader_ops ops = { .event = skew_event };
	char *from, *to;
	const int two = dirs[1].name != NULL && dirs[2].name == NULL;
	struct ctf_trace *tr;
	int status;

	if (two)
		reader_open_all(rd, dirs);
	if (!two || rd->twice)
		die("skew: two traces have to be named");
	from = clean(dirs[0].name);
	to = clean(dirs[1].name);
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		pairs_trace(&run.pairs, tr);
	reader_run(rd, &ops, NULL);
	bounds_find(dirs[1].move.ns);
	progress_end();
	json_object(NULL);
	if (!run.quiet) {
		put_bound(&run.bounds[0], from, to, "least");
		put_bound(&run.bounds[1], to, from, "most");
		show_count("alone", run.alone, "", "left out: only sent, or "
		    "only received");
		show_count("again", run.again, "", "left out: the key comes "
		    "again");
	}
	status = put_offset(to, &dirs[1]);
	json_end();
	free(from);
	free(to);
	return status;
}

static void
say_all(const struct reader *rd)
{
	pairs_say(&run.pairs);
	if (run.again > 0 && rd->ndiscarded + rd->nlost > 0)
		say("events were lost, and keys came again: what seems to be "
		    "one message may be two");
}

static int
skew_option(int c)
{
	if (c == 'D')
		pairs_add(&run.pairs, optarg);
	else if (c == 'q')
		run.quiet = 1;
	else if (c == 'j')
		json_start(1);
	return c == 'D' || c == 'q' || c == 'j';
}

static void
check(void)
{
	const struct pair *p;

	if (run.pairs.given == NULL)
		die("skew: -D names the events that send and receive messages");
	for (p = run.pairs.given; p != NULL; p = p->next)
		if (p->key == NULL)
			die("-D %s: a field that tells messages apart is "
			    "missing", p->name);
	show_paged(1);
}

static void
skew_end(void)
{
	map_release(&run.messages);
	pairs_free(&run.pairs);
}

static int
skew_main(int argc, char **argv)
{
	static const int no_names = 1;
	static const struct show show_skew = { skew_option, check, &no_names,
	    NULL, skew_traces, say_all, skew_end };

	memset(&run, 0, sizeof(run));
	pairs_init(&run.pairs);
	return show(&show_skew, argc, argv);
}

const struct command cmd_skew = {
	.name = "skew", .page = "utctl-stat",
	.line = "estimate how far the clocks of two traces are apart",
	.usage = "[-jq] -D sent,received,field ... " SELECT_USAGE " dir dir",
	.options = {
	    "-D a,b,key\tmessages: a sends, b receives; key: a field of both",
	    "-j\tJSON",
	    "-q\tprint only the second directory and its offset",
	    SELECT_HELP
	},
	.run = skew_main
};
