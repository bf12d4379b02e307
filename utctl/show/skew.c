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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "../when.h"
#include "pair_role.h"
#include "show.h"

#define KEYLEN	200		/* bytes of a key that are compared */
#define PPM_MAX	1000		/* no clock drifts more than that */

/* A message that was sent from a trace, 0 or 1, to the other one. */
struct message {
	struct message		*same;		/* the next of the same hash */
	const struct pair	*pair;
	int			 from;
	unsigned int		 seen[2];	/* sendings, receipts */
	int64_t			 ns[2];		/* when the last of them was */
	size_t			 len;
	char			 key[];
};

/* What the messages from one trace tell of the offset. */
struct bound {
	uint64_t		 n;
	const struct message	*by;	/* the one that tells most */
	int64_t			 ns;	/* at least, or at most */
};

static const int no_names = 1;
static struct {
	struct pairs	 pairs;
	int		 quiet;
	int		 trace;		/* the one that is read */
	struct map	 messages;
	struct bound	 bounds[2];	/* of messages from each trace */
	uint64_t	 alone, again;	/* keys that tell nothing */
} run;

static struct message *
message_get(const struct pair *p, int from, const char *key, size_t len)
{
	const uint64_t hash = map_bytes((uintptr_t)p + (unsigned int)from, key,
	    len);
	struct message *first = map_get(&run.messages, hash), *m;

	for (m = first; m != NULL; m = m->same)
		if (m->pair == p && m->from == from && m->len == len &&
		    memcmp(m->key, key, len) == 0)
			return m;
	m = xcalloc(1, sizeof(*m) + len + 1);
	m->same = first;
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
		m = message_get(r->pair, run.trace ^ r->ends, key, len);
		m->seen[r->ends] += m->seen[r->ends] < 2;
		m->ns[r->ends] = s->ns;
	}
}

/* Read one of the traces. */
static void
skew_read(struct reader *all, char *dir)
{
	static const struct reader_ops ops = { .event = skew_event };
	char *dirs[] = { dir, NULL };
	struct reader rd = *all;
	struct ctf_trace *tr;

	rd.ntraces = 0;
	rd.nevents = rd.ndiscarded = rd.nlost = 0;
	progress_part((size_t)run.trace, 2);
	reader_open_all(&rd, dirs);
	for (tr = rd.traces; tr != NULL; tr = tr->next)
		pairs_trace(&run.pairs, tr);
	reader_run(&rd, &ops, NULL);
	all->ntraces += rd.ntraces;
	reader_add(&all->nevents, rd.nevents);
	reader_add(&all->ndiscarded, rd.ndiscarded);
	reader_add(&all->nlost, rd.nlost);
	reader_free(&rd);
}

/* The difference of the clocks, first less second, by that message. */
static int64_t
difference(const struct message *m)
{
	return when_sum(m->ns[m->from], -m->ns[!m->from]);
}

static void
bound_add(const struct message *m)
{
	struct bound *b = &run.bounds[m->from];
	const int64_t ns = difference(m);
	const int tells = m->from == 0 ? ns > b->ns : ns < b->ns;

	if (b->n++ == 0 || tells || (ns == b->ns &&
	    m->ns[0] < b->by->ns[0])) {
		b->ns = ns;
		b->by = m;
	}
}

static void
bounds_find(void)
{
	const struct message *m;
	size_t i;

	for (i = 0; i < run.messages.cap; i++)
		for (m = run.messages.v[i].value; m != NULL; m = m->same)
			if (m->seen[0] > 1 || m->seen[1] > 1)
				run.again++;
			else if (m->seen[0] == 0 || m->seen[1] == 0)
				run.alone++;
			else
				bound_add(m);
}

/* Seconds with their sign. */
static const char *
seconds(char *buf, int64_t ns)
{
	buf[0] = '+';
	*put_seconds(buf + (ns >= 0), ns) = '\0';
	return buf;
}

static void
put_bound(const struct bound *b, char *const *names)
{
	const int from = b == &run.bounds[1];
	char sent[CTF_TIMELEN], by[CTF_TIMELEN], *key;

	json_object(from == 0 ? "forward" : "back");
	json_u64("messages", b->n);
	if (!json_on)
		printf("%s to %s: %" PRIu64 " message%s", names[from],
		    names[!from], b->n, many(b->n));
	if (b->n > 0) {
		json_ns(from == 0 ? "least_ns" : "most_ns", b->ns);
		json_string("pair", b->by->pair->name);
		json_string("key", b->by->key);
		json_ns("sent", b->by->ns[0]);
		json_ns("received", b->by->ns[1]);
	}
	json_end();
	if (json_on)
		return;
	if (b->n > 0) {
		ctf_print_time(b->by->ns[0], sent);
		key = clean(b->by->key);
		printf(": offset at %s %s s, by %s %s of %s",
		    from == 0 ? "least" : "most", seconds(by, b->ns),
		    b->by->pair->name, key, sent);
		free(key);
	}
	putchar('\n');
}

/* What the clocks must have drifted, at least, between the two messages. */
static double
drift_ppm(int64_t by)
{
	const double a = (double)run.bounds[0].by->ns[0];
	const double b = (double)run.bounds[1].by->ns[1];

	return a == b ? 2 * PPM_MAX : (double)by / (a < b ? b - a : a - b) *
	    1e6;
}

/* No offset is at least the one and at most the other. */
static void
contradiction(int64_t by)
{
	const double ppm = drift_ppm(by);
	char text[CTF_TIMELEN];

	json_object("contradiction");
	json_ns("ns", by);
	json_real("ppm", ppm);
	json_end();
	if (ppm < PPM_MAX)
		say("no offset fits both: they are %s s apart, so the clocks "
		    "drift by %.3f ppm or more; take less at a time, with -b "
		    "and -u", seconds(text, by), ppm);
	else
		say("no offset fits both: they are %s s apart, and no clocks "
		    "drift by that: a clock was set, or one key stands for two "
		    "messages", seconds(text, by));
}

/* The offset, if both bounds are known and fit: else, it was said why not. */
static int
put_offset(const char *name)
{
	const struct bound *b = run.bounds;
	const int64_t width = when_sum(b[1].ns, -b[0].ns);
	const int64_t half = width / 2, ns = when_sum(b[0].ns, half);
	char offset[CTF_TIMELEN], error[CTF_TIMELEN];

	if (b[0].n == 0 || b[1].n == 0) {
		say("no message of -D is in both traces%s: the offset is not "
		    "known", b[0].n == 0 && b[1].n == 0 ? "" : b[0].n == 0 ?
		    " that the first one sent" : " that the second one sent");
		return 1;
	}
	if (width < 0) {
		contradiction(-width);
		return 1;
	}
	json_ns("offset_ns", ns);
	json_ns("error_ns", width - half);
	if (!json_on && !run.quiet)
		printf("offset %s s, off by at most %s s\n",
		    seconds(offset, ns), seconds(error, width - half) + 1);
	if (!json_on)
		printf("%s@%+" PRId64 "ns\n", name, ns);
	return 0;
}

static void
say_all(const struct reader *rd)
{
	pairs_say(&run.pairs);
	if (run.again > 0 && rd->ndiscarded + rd->nlost > 0)
		say("events were lost, and keys came again: what seems to be "
		    "one message may be two");
}

/* -b and -u are about the first trace: of the second, all may belong to that. */
static void
read_both(struct reader *rd, char **dirs)
{
	struct select *sel = rd->select, given;

	run.trace = 0;
	skew_read(rd, dirs[0]);
	if (sel != NULL) {
		given = *sel;
		sel->since.kind = sel->until.kind = WHEN_NONE;
		sel->from = INT64_MIN;
		sel->to = INT64_MAX;
	}
	run.trace = 1;
	skew_read(rd, dirs[1]);
	if (sel != NULL) {
		sel->since = given.since;
		sel->until = given.until;
	}
}

static int
skew_traces(struct reader *rd, char **dirs)
{
	char *names[] = { clean(dirs[0]), clean(dirs[1]) };
	int i, status;

	read_both(rd, dirs);
	bounds_find();
	for (i = 0; i < 2; i++)
		run.bounds[i].ns = when_sum(run.bounds[i].ns,
		    reader_moved(dirs[1]));
	progress_end();
	json_object(NULL);
	json_string("from", dirs[0]);
	json_string("to", dirs[1]);
	for (i = 0; i < 2 && !run.quiet; i++)
		put_bound(&run.bounds[i], names);
	if (!run.quiet) {
		show_count("alone", run.alone, "", "in one trace only: left "
		    "out");
		show_count("again", run.again, "", "with a key that comes "
		    "again: left out");
	}
	status = put_offset(names[1]);
	json_end();
	free(names[0]);
	free(names[1]);
	return status;
}

static int
skew_option(int c)
{
	switch (c) {
	case 'D':
		pairs_add(&run.pairs, optarg);
		return 1;
	case 'q':
		return run.quiet = 1;
	case 'j':
		json_start(1);
		return 1;
	}
	return 0;
}

static void
check(void)
{
	const struct pair *p;

	if (run.pairs.given == NULL)
		die("skew: -D tells which events send and receive a message");
	for (p = run.pairs.given; p != NULL; p = p->next)
		if (p->key == NULL)
			die("-D %s: a field of both is needed, to know the "
			    "message by", p->name);
	if (run.quiet && json_on)
		die("-q and -j: one of them");
	show_paged(1);
}

static void
skew_begin(struct reader *rd, char **dirs)
{
	(void)rd;
	if (dirs[1] == NULL || dirs[2] != NULL)
		die("skew: two traces are compared, not %s", dirs[1] == NULL ?
		    "one" : "more");
}

static void
skew_end(void)
{
	struct message *m, *same;
	size_t i;

	for (i = 0; i < run.messages.cap; i++)
		for (m = run.messages.v[i].value; m != NULL; m = same) {
			same = m->same;
			free(m);
		}
	map_free(&run.messages);
	pairs_free(&run.pairs);
}

static int
skew_main(int argc, char **argv)
{
	static const struct show show_skew = { skew_option, check, &no_names,
	    skew_begin, skew_traces, say_all, skew_end };

	memset(&run, 0, sizeof(run));
	pairs_init(&run.pairs);
	return show(&show_skew, argc, argv);
}

const struct command cmd_skew = {
	.name = "skew", .page = "utctl-stat",
	.line = "estimate how far the clocks of two traces are apart",
	.usage = "[-jq] -D sent,received,field ... " SELECT_USAGE
	    " dir dir",
	.options = {
	    "-D a,b,key\tmessages: sent, received; key: a field of both",
	    "-j\tJSON",
	    "-q\tprint only the second directory with its offset",
	    SELECT_HELP
	},
	.run = skew_main
};
