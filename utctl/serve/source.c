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
 * The session that is served, and its files.
 *
 * Viewers merge streams by time, and give up when an event comes that is before
 * one they have printed.  So they are told up to which date all is in the
 * files.  That is known from utd's answers: before it lists a session, the
 * consumers write all that is committed.  The date is that of the question
 * before the last one: what a thread had begun to record by then is committed
 * now, and what a look has missed, because the session renamed a directory, is
 * found.  While a consumer, or utd, does not answer, the date stays as it is;
 * but not for long because of a consumer, which a user may have stopped.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../regular.h"
#include "../utctl.h"
#include "../show/live.h"
#include "common/compat.h"
#include "source.h"

#define ASK		500		/* ms between two questions, at least */
#define COSTLY		20		/* times as long as it took, ... */
#define SELDOM		2000		/* ... but no more ms */
#define PATIENCE	10000		/* ms for a consumer: it may be hung */
#define NS_MS		INT64_C(1000000)
#define MARGIN		(200 * NS_MS)	/* beside the time between questions */
/* The class of streams that has clock readings: viewers need no such files. */
#define POINTS		"\nstream {\n\tid = 4294967295;\n"
#define POINTS_END	"\n};\n"

struct source source;

static struct live	 live;
static struct watch	 watch;
static struct map	 streams;	/* by their indexes + 1 */
static struct map	 bytrace;	/* metas, by the traces' addresses */
static struct meta	*metas;
static int64_t		 next;		/* ms: when utd is asked again */
static int64_t		 sent;		/* ns: the question; 0: no answer */
/* Date in ns: becomes source.upto when files were searched again. */
static int64_t		 upto;
static int64_t		 end;		/* ms: when all is written; or 0 */
/* ms: since when a consumer does not answer; 0: all of them answer. */
static int64_t		 late;
static int		 away;		/* utd is gone, and the user was told */
static void		(*again)(const struct ctf_trace *,
			    const struct ctf_trace *);

static int64_t
monotonic(void)
{
	struct timespec ts;

	ut_clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * Metadata.
 */

/*
 * Take out the class of streams for clock readings.  It comes first, so viewers
 * would take its clock for that of all other streams.
 */
static void
meta_cut(struct meta *m)
{
	char *from = strstr(m->text, POINTS), *to;

	if (from == NULL || (to = strstr(from, POINTS_END)) == NULL)
		return;
	to += strlen(POINTS_END);
	memmove(from, to, m->len - (size_t)(to - m->text) + 1);
	m->len -= (size_t)(to - from);
}

/* The bytes of whole blocks: the last line of one is not indented. */
static size_t
whole_blocks(const char *text, size_t n)
{
	size_t i, line = 0, whole = 0;

	for (i = 0; i < n; i++) {
		if (text[i] != '\n')
			continue;
		if (i > line && text[i - 1] == ';' && text[line] != '\t' &&
		    text[line] != ' ')
			whole = i + 1;
		line = i + 1;
	}
	return whole;
}

/*
 * Take the blocks that came since, up to where the trace was read to: more may
 * be there, and not be whole.  Those that were taken before, viewers have.
 */
static void
meta_read(struct meta *m)
{
	const int first = m->read == 0;
	const struct ctf_trace *tr = m->trace;
	struct stat st;
	size_t n;
	int fd;

	if (tr->size <= m->read || tr->size > CTF_METAMAX ||
	    (fd = regular_open(AT_FDCWD, tr->file, O_NOFOLLOW, &st)) == -1)
		return;
	n = (size_t)(tr->size - m->read);
	m->text = xrealloc(m->text, m->len + n + 1);
	if (st.st_ino == tr->ino && st.st_dev == tr->dev &&
	    pread(fd, m->text + m->len, n, m->read) == (ssize_t)n) {
		n = whole_blocks(m->text + m->len, n);
		m->len += n;
		m->read += (off_t)n;
	}
	m->text[m->len] = '\0';
	close(fd);
	if (first)
		meta_cut(m);
}

static int
is_same(const struct ctf_trace *a, const struct ctf_trace *b)
{
	return a == b || (a != NULL && strcmp(a->file, b->file) == 0 &&
	    a->hasuuid && b->hasuuid &&
	    memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0);
}

/* The trace is new, or comes in the place of the one from the same file. */
static void
note_trace(struct ctf_trace *tr)
{
	static uint64_t last;
	struct meta *m;

	for (m = metas; m != NULL && !is_same(m->trace, tr);)
		m = m->next;
	if (m == NULL) {
		m = xcalloc(1, sizeof(*m));
		m->number = ++last;
		m->next = metas;
		metas = m;
	} else if (m->trace != tr)
		again(m->trace, tr);
	m->trace = tr;
	meta_read(m);
}

/* Forget traces that were removed, and what no viewer has of them. */
static void
forget_metas(void)
{
	struct meta **mp = &metas, *m;
	struct map here = { .v = NULL };
	struct ctf_trace *tr;

	for (tr = source.files.traces; tr != NULL; tr = tr->next)
		map_put(&here, (uintptr_t)tr, tr);
	while ((m = *mp) != NULL) {
		if (m->trace != NULL &&
		    map_get(&here, (uintptr_t)m->trace) == NULL) {
			again(m->trace, NULL);
			m->trace = NULL;
		}
		if (m->trace != NULL || m->users > 0) {
			mp = &m->next;
			continue;
		}
		*mp = m->next;
		free(m->text);
		free(m);
	}
	map_free(&here);
}

/* Viewers take the clock of the first class of streams that has one. */
const struct ctf_clock *
source_clock(const struct ctf_trace *tr)
{
	const struct ctf_sclass *sc, *first = NULL;

	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		if (sc->clock != NULL && sc->id != UINT32_MAX &&
		    (first == NULL || sc->line < first->line))
			first = sc;
	return first == NULL ? NULL : first->clock;
}

uint64_t
source_cycles(const struct ctf_clock *cl, int64_t ns)
{
	const int64_t zero = ctf_ns(cl, 0);
	const uint64_t freq = cl == NULL ? 1000000000 : cl->freq;
	uint64_t left, n;

	if (ns <= zero || freq > UINT64_C(1) << 34)
		return 0;
	left = (uint64_t)ns - (uint64_t)zero;
	n = left / 1000000000 * freq + left % 1000000000 * freq / 1000000000;
	while (n > 0 && ctf_ns(cl, n) > ns)
		n--;
	return n;
}

/*
 * The session.
 */

/* Is a consumer late, and may it be so for some time more? */
static int
is_waited_for(const struct row *s)
{
	if (row_num(s, "late") == 0)
		late = 0;
	else if (late == 0)
		late = ut_msg_now();
	return late != 0 && ut_msg_now() - late < PATIENCE;
}

/* utd has answered: all events are in the files up to when? */
static void
answered(const struct row *s, int64_t asked)
{
	if (away)
		say("utd is back");
	away = 0;
	if (is_waited_for(s))
		asked = 0;
	else if (sent != 0)
		upto = strtoll(row_str(s, "offset_ns"), NULL, 10) + sent -
		    MARGIN;
	sent = asked;
	if (strcmp(row_str(s, "state"), "active") != 0 &&
	    row_num(s, "begun") != 0)
		end = ut_msg_now() + follow_hold(s) / NS_MS;
}

/* The next look searches for new files, too. */
static void
ask(void)
{
	const int64_t asked = monotonic();
	const struct row *s;
	enum live_is is;

	is = live_ask(&live, &s);
	watch.next = 0;
	if (is == LIVE_HERE) {
		answered(s, asked);
		return;
	}
	sent = 0;
	if (is != LIVE_AWAY)
		end = ut_msg_now() + ASK;
	else if (!away && !live.own) {
		away = 1;
		say("utd is gone: waiting for it");
	}
}

static uint64_t
row_key(const struct ctf_stream *s, const struct meta *m)
{
	const uint64_t key[] = { m->number, s->row,
	    (uint64_t)s->hasinstance, s->hasinstance ? s->instance : s->index };

	return map_bytes(0, key, sizeof(key));
}

static int
file_cmp(const void *va, const void *vb)
{
	const struct source_file *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->s->begin < b->s->begin ? -1 : a->s->begin > b->s->begin;
}

static void
index_file(struct ctf_stream *s)
{
	struct meta *m = map_get(&bytrace, (uintptr_t)s->trace);

	map_put(&streams, s->index + 1, s);
	if (!s->placed || m == NULL || m->len == 0)
		return;
	source.list = xgrow(source.list, source.n, &source.cap,
	    sizeof(*source.list));
	source.list[source.n++] = (struct source_file){ row_key(s, m), m, s };
	source.state = map_bytes(source.state, &s->index, sizeof(s->index));
}

/* Note which files there are. */
static void
index_files(void)
{
	struct reader *r = &source.files;
	struct meta *m;
	size_t i;

	map_free(&streams);
	map_free(&bytrace);
	for (m = metas; m != NULL; m = m->next)
		if (m->trace != NULL)
			map_put(&bytrace, (uintptr_t)m->trace, m);
	source.n = 0;
	source.state = 1;
	for (i = 0; i < r->nidle; i++)
		index_file(r->idle[i]);
	if (source.n > 1)
		qsort(source.list, source.n, sizeof(*source.list), file_cmp);
}

struct ctf_stream *
source_stream(size_t index)
{
	return map_get(&streams, index + 1);
}

const struct source_file *
source_after(uint64_t key, int64_t begin)
{
	size_t lo = 0, hi = source.n, mid;
	const struct source_file *f;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		f = &source.list[mid];
		if (f->key < key || (f->key == key && f->s->begin <= begin))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < source.n && source.list[lo].key == key ?
	    &source.list[lo] : NULL;
}

static void
look(void)
{
	static const struct reader_ops ops = { .trace = note_trace };

	follow_look(&source.files, &watch, &ops);
	forget_metas();
	index_files();
	if (upto > source.upto)
		source.upto = upto;
}

void
source_look(int wanted)
{
	const int64_t now = ut_msg_now();
	const int asks = end == 0 && now >= next;
	int64_t took;

	if (source.ended)
		return;
	if (asks)
		ask();
	if (end != 0 && now >= end) {
		watch.next = 0;
		wanted = 1;
		source.ended = 1;
	}
	if (wanted)
		look();
	if (!asks)
		return;
	source.searches += wanted;
	took = COSTLY * (ut_msg_now() - now);
	next = ut_msg_now() + ASK + (took < SELDOM ? took : SELDOM);
}

void
source_open(const char *dir, void (*fn)(const struct ctf_trace *,
    const struct ctf_trace *))
{
	const struct row *s;

	memset(&source, 0, sizeof(source));
	memset(&live, 0, sizeof(live));
	memset(&watch, 0, sizeof(watch));
	next = sent = end = late = 0;
	upto = INT64_MIN;
	again = fn;
	live.dir = dir;
	source.files.follow = watch.lists = 1;
	source.upto = INT64_MIN;
	reader_count(&source.files);
	if (live_ask(&live, &s) != LIVE_HERE && dir == NULL)
		die("nothing of yours is recorded now: name a session");
	if (s == NULL)
		die("%s: no session of yours writes it now", dir);
	if (strcmp(row_str(s, "state"), "active") != 0 &&
	    row_num(s, "begun") != 0)
		die("session %s is stopped: utctl view reads it",
		    row_str(s, "name"));
	if (row_num(s, "keeps") != 0)
		die("session %s keeps its events in memory: a snapshot of it "
		    "can be viewed", row_str(s, "name"));
	source.name = format("%s", row_str(s, "name"));
	live.dir = watch.dir = source.dir = format("%s", row_str(s, "dir"));
}

void
source_close(void)
{
	struct meta *m;

	live_close(&live);
	while ((m = metas) != NULL) {
		metas = m->next;
		free(m->text);
		free(m);
	}
	map_free(&streams);
	map_free(&bytrace);
	free(source.list);
	reader_free(&source.files);
	free(source.name);
	free(source.dir);
}
