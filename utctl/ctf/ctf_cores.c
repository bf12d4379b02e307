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
 * Processes that read slices of traces: see cores.h.
 *
 * Each of n processes reads every n-th slice, and puts what comes of it into a
 * queue.  They give each other the turn, in a ring.  Who has the turn writes
 * what is in its queue, goes on without the queue to the end of the slice, and
 * gives the turn to the next one.  The first process, which reads nothing, is
 * sent damage, and what is to be summed up.
 *
 * Processes need no locks: whatever the reader keeps is each process's own.
 * One that finds a socket to the others closed ends.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "common/compat.h"
#include "cores.h"
#include "select.h"

#define SHARE	(1 << 20)	/* bytes for which a process pays */
#define SLICE	(256 << 10)	/* bytes; more, if there are many streams */
#define LEAST	(4 << 10)	/* bytes of a slice of a short trace */
#define PARTS	8		/* slices of such a trace, for each process */
#define STREAM	(16 << 10)	/* bytes of a slice, for each stream */
#define QUEUE	(4 << 20)	/* bytes */

enum kind { OUTPUT, MESSAGE, DAMAGE, WARNING, GIVEN, END, LAST };

/* The head of what is in the queue, and in the socket. */
struct piece {
	enum kind	 kind;
	size_t		 n;		/* bytes */
	uint64_t	 number;	/* DAMAGE: ctf_damage_once()'s */
};

/* A slice was read. */
struct ended {
	int64_t			 from, to;
	int			 last;
	int			 intime, ofthem;	/* select's */
	unsigned long long	 nevents, ndiscarded, nlost;
};

struct core {
	pid_t	 pid;
	FILE	*from;
};

/* In a process that reads. */
static const struct reader_cores *cores;
static int	 sock;		/* to the first process */
static int	 before, behind;	/* to those before and behind it */
static char	*queue;
static size_t	 first, fill;	/* bytes of it */
static int	 turn;

/*
 * A process that reads.
 */

/* Has the turn come, or does it, if that is to be waited for? */
static int
has_turn(int wait)
{
	char byte;
	ssize_t n = -1;

	while (!turn && (n = recv(before, &byte, 1, wait ? 0 : MSG_DONTWAIT)) ==
	    -1 && errno == EINTR)
		continue;
	if (turn || n == 1)
		return turn = 1;
	if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
		_exit(1);
	return 0;
}

static void
to_first(const void *buf, size_t n)
{
	const char *p = buf;
	ssize_t k;

	for (; n > 0; p += k, n -= (size_t)k) {
		k = send(sock, p, n, MSG_NOSIGNAL);
		if (k == -1 && errno == EINTR)
			k = 0;
		else if (k == -1)
			_exit(1);
	}
}

/* In the turn: write output. */
static void
piece_write(enum kind kind, const char *buf, size_t n)
{
	if (kind == OUTPUT)
		cores->print(buf, n);
	else
		fprintf(stderr, "utctl: %.*s\n", (int)n, buf);
}

/* The bytes of pieces that go to the first process, up to an end. */
static size_t
pieces_sent(enum kind *last)
{
	struct piece h;
	size_t n = 0;

	*last = GIVEN;
	while (*last < END && first + n < fill) {
		memcpy(&h, queue + first + n, sizeof(h));
		if (h.kind == OUTPUT || h.kind == MESSAGE)
			break;
		*last = h.kind;
		n += sizeof(h) + h.n;
	}
	return n;
}

/* Write the queue, as far as the turn comes, or with a wait all of it. */
static void
queue_write(int wait)
{
	enum kind last;
	struct piece h;
	size_t n;

	while (first < fill && has_turn(wait)) {
		if ((n = pieces_sent(&last)) > 0) {
			to_first(queue + first, n);
			first += n;
			if (last == END) {
				turn = 0;
				(void)send(behind, &turn, 1, MSG_NOSIGNAL);
			}
			continue;
		}
		memcpy(&h, queue + first, sizeof(h));
		first += sizeof(h);
		piece_write(h.kind, queue + first, h.n);
		first += h.n;
	}
	if (first > 0)
		memmove(queue, queue + first, fill - first);
	fill -= first;
	first = 0;
}

/* All but output goes through the queue, unless it is larger than that. */
static void
put(enum kind kind, uint64_t number, const void *buf, size_t n)
{
	struct piece h;

	memset(&h, 0, sizeof(h));
	h.kind = kind;
	h.n = n;
	h.number = number;
	if (kind == OUTPUT)
		queue_write(0);
	if (sizeof(h) + n > QUEUE - fill) {
		queue_write(1);
		(void)has_turn(1);
	}
	if (sizeof(h) + n > QUEUE) {
		to_first(&h, sizeof(h));
		to_first(buf, n);
	} else if (kind == OUTPUT && fill == 0 && has_turn(0))
		piece_write(kind, buf, n);
	else {
		memcpy(queue + fill, &h, sizeof(h));
		memcpy(queue + fill + sizeof(h), buf, n);
		fill += sizeof(h) + n;
	}
	if (kind >= END)
		queue_write(0);
}

void
cores_print(const char *s, size_t n)
{
	put(OUTPUT, 0, s, n);
}

void
cores_give(const void *buf, size_t n)
{
	put(GIVEN, 0, buf, n);
}

static void
put_message(const char *line)
{
	put(MESSAGE, 0, line, strlen(line));
}

static void
put_damage(uint64_t number, int damage, const char *line)
{
	put(damage ? DAMAGE : WARNING, number, line, strlen(line) + 1);
}

/* Which patterns of -p and -t were used is told with each slice. */
static size_t
patterns_n(const struct select *sel)
{
	return sel == NULL ? 0 : sel->programs.n + sel->threads.n;
}

static struct pattern *
pattern_at(const struct select *sel, size_t i)
{
	return i < sel->programs.n ? &sel->programs.v[i] :
	    &sel->threads.v[i - sel->programs.n];
}

static void
put_end(const struct slices *sl, int64_t from, const struct reader *part)
{
	const struct select *sel = part->select;
	const size_t n = patterns_n(sel);
	struct ended *e;
	char *used;
	size_t i;

	if ((e = calloc(1, sizeof(*e) + n)) == NULL)
		die_errno("malloc");
	used = (char *)(e + 1);
	e->from = from;
	e->to = sl->to;
	e->last = sl->last;
	e->intime = sel != NULL && sel->intime;
	e->ofthem = sel != NULL && sel->ofthem;
	e->nevents = part->nevents;
	e->ndiscarded = part->ndiscarded;
	e->nlost = part->nlost;
	for (i = 0; i < n; i++)
		used[i] = pattern_at(sel, i)->used != 0;
	put(sl->last ? LAST : END, 0, e, sizeof(*e) + n);
	free(e);
}

/* Read every n-th slice; never returns. */
static void
core_run(const struct reader *r, size_t k, size_t n, uint64_t size,
    const struct reader_ops *ops, void *arg)
{
	struct slices sl;
	struct reader part;
	int64_t from;
	size_t i;

	if ((queue = malloc(QUEUE)) == NULL)
		die_errno("malloc");
	ut_confine_reader(0);
	say_to(put_message);
	ctf_damage_to(put_damage);
	if (cores->begin != NULL)
		cores->begin();
	slices_open(&sl, r, size, cores->sums ? n : 0);
	for (i = 0; !sl.last; i = (i + 1) % n) {
		if (i != k) {
			slice_pass(&sl);
			continue;
		}
		from = sl.from;
		slice_read(&sl, &part, ops, arg);
		cores->end(arg);
		put_end(&sl, from, &part);
	}
	queue_write(1);
	_exit(0);
}

/*
 * The first process.
 */

static void
cores_end(const struct core *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		(void)kill(list[i].pid, SIGKILL);
		while (waitpid(list[i].pid, NULL, 0) == -1 && errno == EINTR)
			continue;
		fclose(list[i].from);
	}
}

/* End with a process that cannot go on: as it did, if it said why. */
static void
core_lost(const struct core *list, size_t n, const struct core *c)
{
	int status;
	size_t i;

	for (i = 0; i < n; i++)
		if (&list[i] != c)
			(void)kill(list[i].pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) == -1)
		if (errno != EINTR)
			die_errno("waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		exit(WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
		(void)raise(SIGPIPE);
	if (WIFSIGNALED(status))
		die("a process that reads was killed by signal %d: not all of "
		    "it was read", WTERMSIG(status));
	die("a process that reads has ended: not all of it was read");
}

static void
take_damage(struct reader *r, char *told, const struct piece *h,
    const char *line)
{
	if (h->number > 3 * r->nfound || (h->number != 0 && told[h->number]))
		return;
	told[h->number] = 1;
	ctf_damage_line(h->kind == DAMAGE, line);
}

static int
take_end(struct reader *r, int64_t *from, const struct ended *e, size_t n)
{
	const char *used = (const char *)(e + 1);
	size_t i;

	if (n != sizeof(*e) + patterns_n(r->select) || e->from != *from)
		die("the trace was changed while it was read");
	*from = e->to + !e->last;
	reader_add(&r->nevents, e->nevents);
	reader_add(&r->ndiscarded, e->ndiscarded);
	reader_add(&r->nlost, e->nlost);
	if (r->select != NULL) {
		r->select->intime |= e->intime;
		r->select->ofthem |= e->ofthem;
	}
	for (i = 0; i < patterns_n(r->select); i++)
		pattern_at(r->select, i)->used |= used[i];
	return e->last;
}

/* Take what comes of a slice: 1: it was the last; -1: the process is gone. */
static int
take_slice(struct reader *r, const struct core *c, char *told, int64_t *from,
    void *arg)
{
	struct piece h;
	char *buf;
	int end = -1;

	while (end == -1 && fread(&h, sizeof(h), 1, c->from) == 1) {
		if ((buf = malloc(h.n)) == NULL)
			die_errno("malloc");
		if (fread(buf, h.n, 1, c->from) != 1)
			return -1;
		if (h.kind == DAMAGE || h.kind == WARNING)
			take_damage(r, told, &h, buf);
		else if (h.kind == GIVEN)
			r->cores->take(arg, buf, h.n);
		else
			end = take_end(r, from, (struct ended *)buf, h.n);
		free(buf);
	}
	return end;
}

static void
take_all(struct reader *r, const struct core *list, size_t n, void *arg)
{
	char *told = calloc(3 * r->nfound + 1, 1);
	int64_t from = INT64_MIN;
	size_t i = 0;
	int last;

	if (told == NULL)
		die_errno("malloc");
	while ((last = take_slice(r, &list[i], told, &from, arg)) == 0)
		i = (i + 1) % n;
	if (last == -1)
		core_lost(list, n, &list[i]);
	free(told);
	cores_end(list, n);
}

/*
 * Start process k of n, which is in the ring behind the one of link[0]: that
 * becomes its own.  Each keeps of the ring what is its own.  0: it cannot be.
 */
static int
core_start(struct core *list, size_t k, size_t n, int ring, int *link)
{
	int next[2] = { -1, ring }, pair[2];
	size_t i;

	if ((k + 1 < n && socketpair(AF_UNIX, SOCK_STREAM, 0, next) == -1) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return 0;
	if ((list[k].pid = fork()) == 0) {
		for (i = 0; i < k; i++)
			close(fileno(list[i].from));
		close(pair[0]);
		if (k + 1 < n) {
			close(next[0]);
			close(ring);
		}
		sock = pair[1];
		before = *link;
		behind = next[1];
		if (k + 1 == n)		/* all are there: the first begins */
			(void)send(behind, &turn, 1, MSG_NOSIGNAL);
		return 1;
	}
	close(pair[1]);
	close(*link);
	close(next[1]);
	*link = next[0];
	if (list[k].pid == -1)
		return 0;
	if ((list[k].from = fdopen(pair[0], "r")) == NULL)
		die_errno("fdopen");
	return 1;
}

/*
 * How much would a slice be, for so many processes?  Each slice looks into all
 * streams, and most packets are of two slices.
 */
static uint64_t
slice_size(const struct reader *r, uint64_t total, size_t n)
{
	uint64_t size = total / n / PARTS;

	if (r->cores->sums)
		return total / n + 1;
	if (size > SLICE)
		size = SLICE;
	if (size < LEAST)
		size = LEAST;
	return size < STREAM * r->nstreams ? STREAM * r->nstreams : size;
}

/* Names need modules, which events before have told. */
static int
has_names(const struct ctf_trace *tr)
{
	const struct ctf_type *t;
	size_t i;

	for (t = tr->types; t != NULL; t = t->next)
		for (i = 0; i < t->nfields; i++)
			if (t->fields[i].address != ADDRESS_NONE)
				return 1;
	return 0;
}

/* Can the time of an event be before that of its packet? */
static int
goes_back(const struct ctf_sclass *sc)
{
	return sc->header != NULL && (sc->headtime.type == NULL ||
	    sc->headtime.type->bits == 64);
}

/*
 * Can a packet be read without those before?  Yes if it tells all of its time,
 * and the file has no holes, of which is told where windows happen to be.  If
 * events are selected, times must not run backwards: see ctf_slices.c.
 */
static int
can_part(const struct reader *r)
{
	const struct ctf_sclass *sc;
	const struct ctf_trace *tr;
	size_t i;

	for (tr = r->traces; tr != NULL; tr = tr->next) {
		if (tr->cpus != NULL || (r->names != NULL && has_names(tr)))
			return 0;
		for (sc = tr->sclasses; sc != NULL; sc = sc->next)
			if (sc->beginbits != 64 ||
			    (r->select != NULL && goes_back(sc)))
				return 0;
	}
	for (i = 0; i < r->nstreams; i++)
		if (ctf_window_holes(r->streams[i]))
			return 0;
	return r->select == NULL || (!r->select->count_given &&
	    slices_in_order(r));
}

/* With how many processes are so many bytes to be read? */
static size_t
cores_n(const struct reader *r, uint64_t total)
{
	const long most = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = r->cores->n;

	if (n == 0 && most > 0)
		n = total / SHARE < (uint64_t)most ? (size_t)(total / SHARE) :
		    (size_t)most;
	return n > CORES_MAX ? CORES_MAX : n;
}

/* Start n processes, and take what they have read; 0: they cannot be had. */
static int
cores_read(struct reader *r, size_t n, uint64_t size,
    const struct reader_ops *ops, void *arg)
{
	struct core *list;
	int ring[2];
	size_t i = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ring) == -1)
		return 0;
	if ((list = calloc(n, sizeof(*list))) == NULL)
		die_errno("malloc");
	fflush(stdout);
	while (i < n && core_start(list, i, n, ring[1], &ring[0])) {
		if (list[i].pid == 0)
			core_run(r, i, n, size, ops, arg);
		i++;
	}
	if (i == n)
		take_all(r, list, n, arg);
	else
		cores_end(list, i);
	free(list);
	return i == n;
}

static void
note_nothing(void *arg, struct ctf_stream *s)
{
	(void)arg;
	(void)s;
}

static void
lose_nothing(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	(void)s;
}

/* Read all for nothing but its damage, in order. */
static void
damage_again(const struct reader *r)
{
	static const struct reader_ops ops = { note_nothing, lose_nothing,
	    lose_nothing, NULL, NULL, NULL, NULL };
	struct reader again;

	reader_again(r, &again);
	reader_merge(&again, &ops, NULL);
	free(again.streams);
}

int
cores_run(struct reader *r, const struct reader_ops *ops, void *arg)
{
	const unsigned long lines = ctf_damage_lines();
	uint64_t total = 0;
	size_t i, n = 1;

	if ((cores = r->cores) == NULL)
		return 0;
	for (i = 0; i < r->nstreams; i++)
		total += r->streams[i]->size;
	if (total > 0)
		n = cores_n(r, total);
	i = n < 2 || !can_part(r) ? 0 : (size_t)cores_read(r, n,
	    slice_size(r, total, n), ops, arg);
	ut_confine_reader(0);
	if (i == 0)
		return 0;
	if (r->select != NULL && ctf_damage_lines() != lines) {
		ctf_damage_forget(lines);
		damage_again(r);
	}
	return 1;
}
