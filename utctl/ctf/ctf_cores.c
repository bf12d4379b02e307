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
 * queue.  The first process, which reads nothing, gives each of them the turn.
 * Who has the turn writes what is in its queue, and goes on without the queue
 * to the end of the slice.  The first process is sent damage, what is to be
 * summed up, and at the end of the slice the turn.
 *
 * Processes need no locks: whatever the reader keeps is each process's own.
 * One that finds the socket to the first process closed ends.
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

#include "../utctl.h"
#include "common/compat.h"
#include "cores.h"
#include "select.h"

#define SHARE	(1 << 20)	/* bytes for which a process pays */
#define QUEUE	(4 << 20)	/* bytes */

enum kind {
	OUTPUT,
	MESSAGE,
	DAMAGE,
	WARNING,
	GIVEN,
	PROGRAMS,			/* patterns: which were used? */
	THREADS,
	END,
	LAST
};

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

	while (!turn && (n = recv(sock, &byte, 1, wait ? 0 : MSG_DONTWAIT)) ==
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

/* In the turn: write the piece, and what is in it. */
static void
piece_write(const struct piece *h, const char *buf)
{
	if (h->kind == OUTPUT)
		cores->print(buf, h->n);
	else if (h->kind == MESSAGE) {
		progress_end();
		fprintf(stderr, "utctl: %.*s\n", (int)h->n, buf);
	} else {
		to_first(h, sizeof(*h));
		to_first(buf, h->n);
		turn = h->kind < END;
	}
}

/* Write the queue, as far as the turn comes, or with a wait all of it. */
static void
queue_write(int wait)
{
	struct piece h;

	while (first < fill && has_turn(wait)) {
		memcpy(&h, queue + first, sizeof(h));
		first += sizeof(h);
		piece_write(&h, queue + first);
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
	if (sizeof(h) + n > QUEUE ||
	    (kind == OUTPUT && fill == 0 && has_turn(0)))
		piece_write(&h, buf);
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

static void
put_used(enum kind kind, const struct patterns *ps)
{
	if (ps->n > 0)
		put(kind, 0, ps->v, ps->n * sizeof(*ps->v));
}

static void
put_end(const struct slices *sl, int64_t from, const struct reader *part)
{
	const struct select *sel = part->select;
	struct ended e;

	memset(&e, 0, sizeof(e));
	e.from = from;
	e.to = sl->to;
	e.last = sl->last;
	e.nevents = part->nevents;
	e.ndiscarded = part->ndiscarded;
	e.nlost = part->nlost;
	if (sel != NULL) {
		e.intime = sel->intime;
		e.ofthem = sel->ofthem;
		put_used(PROGRAMS, &sel->programs);
		put_used(THREADS, &sel->threads);
	}
	put(sl->last ? LAST : END, 0, &e, sizeof(e));
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
	char order;

	if ((queue = malloc(QUEUE)) == NULL)
		die_errno("malloc");
	ut_confine_reader(0);
	say_to(put_message);
	ctf_damage_to(put_damage);
	order = r->select == NULL || slices_order(r, k, n);
	to_first(&order, 1);
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

static void
take_used(struct patterns *ps, const struct pattern *v)
{
	size_t i;

	for (i = 0; i < ps->n; i++)
		ps->v[i].used |= v[i].used;
}

static int
take_end(struct reader *r, int64_t *from, const struct ended *e)
{
	if (e->from != *from)
		die("the trace was changed while it was read");
	*from = e->to + !e->last;
	reader_add(&r->nevents, e->nevents);
	reader_add(&r->ndiscarded, e->ndiscarded);
	reader_add(&r->nlost, e->nlost);
	if (r->select != NULL) {
		r->select->intime |= e->intime;
		r->select->ofthem |= e->ofthem;
	}
	return e->last;
}

/*
 * Give the process the turn, and take what comes of its slice.  1: it was the
 * last; -1: the process is gone.
 */
static int
take_slice(struct reader *r, const struct core *c, char *told, int64_t *from,
    void *arg)
{
	struct piece h;
	char *buf;
	int end = -1;

	(void)send(fileno(c->from), "", 1, MSG_NOSIGNAL);
	while (end == -1 && fread(&h, sizeof(h), 1, c->from) == 1) {
		if ((buf = malloc(h.n)) == NULL)
			die_errno("malloc");
		if (fread(buf, h.n, 1, c->from) != 1)
			return -1;
		if (h.kind == DAMAGE || h.kind == WARNING)
			take_damage(r, told, &h, buf);
		else if (h.kind == GIVEN)
			r->cores->take(arg, buf, h.n);
		else if (h.kind == PROGRAMS)
			take_used(&r->select->programs, (struct pattern *)buf);
		else if (h.kind == THREADS)
			take_used(&r->select->threads, (struct pattern *)buf);
		else
			end = take_end(r, from, (struct ended *)buf);
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

/* Start process k, which keeps no socket of the others; 0: it cannot be. */
static int
core_start(struct core *list, size_t k)
{
	int pair[2];
	size_t i;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return 0;
	if ((list[k].pid = fork()) == 0) {
		for (i = 0; i < k; i++)
			close(fileno(list[i].from));
		close(pair[0]);
		sock = pair[1];
		return 1;
	}
	close(pair[1]);
	if (list[k].pid == -1) {
		close(pair[0]);
		return 0;
	}
	if ((list[k].from = fdopen(pair[0], "r")) == NULL)
		die_errno("fdopen");
	return 1;
}

/* With how many processes are so many bytes to be read? */
static size_t
cores_n(const struct reader *r, uint64_t total)
{
	const long most = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = total == 0 ? 1 : r->cores->n;

	if (n == 0 && most > 0)
		n = total / SHARE < (uint64_t)most ? (size_t)(total / SHARE) :
		    (size_t)most;
	return n > CORES_MAX ? CORES_MAX : n;
}

/*
 * Start n processes, and take what they have read.  0: they cannot be had, or
 * one finds events that are not in the order of time, where they have to be.
 */
static int
cores_read(struct reader *r, size_t n, uint64_t size,
    const struct reader_ops *ops, void *arg)
{
	struct core *list;
	size_t i, k;
	int order;

	if ((list = calloc(n, sizeof(*list))) == NULL)
		die_errno("malloc");
	fflush(stdout);
	for (i = 0; i < n && core_start(list, i); i++)
		if (list[i].pid == 0)
			core_run(r, i, n, size, ops, arg);
	for (order = i == n, k = 0; order && k < n; k++)
		order = getc(list[k].from) == 1;
	if (order)
		take_all(r, list, n, arg);
	else
		cores_end(list, i);
	free(list);
	return order;
}

int
cores_run(struct reader *r, const struct reader_ops *ops, void *arg)
{
	uint64_t total = 0;
	size_t i, n;
	int done;

	if ((cores = r->cores) == NULL)
		return 0;
	for (i = 0; i < r->nstreams; i++)
		total += r->streams[i]->size;
	done = cores_n(r, total) > 1 && slices_can(r, &total) &&
	    (n = cores_n(r, total)) > 1 &&
	    cores_read(r, n, slices_size(r, total, n), ops, arg);
	ut_confine_reader(0);
	return done;
}
