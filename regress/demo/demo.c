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
 * A small job server, to be traced:
 *
 *	utctl record -- demo [jobs [workers]]
 *
 * Workers take jobs from a bounded queue: count the letters of the words of
 * a line, find primes, raise a matrix to a power.  Each job makes four events,
 * and one more for each word; each worker two log messages, and main two more.
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

#define QUEUE	16
#define WORKERS	64
#define FOUND	16

struct job {
	uint64_t	 id;
	enum kind	 kind;
	unsigned int	 n;		/* which line, how many */
	uint32_t	 found[FOUND];
	size_t		 nfound;
};

static const struct {
	const char	*text;
	unsigned int	 letters;	/* so that the count can be checked */
} lines[] = {
	{ "a probe is one test and one call", 25 },
	{ "count what is lost", 15 },
	{ "the fast path fits a screen", 22 },
	{ "say no in public", 13 },
};
#define LINES	(sizeof(lines) / sizeof(lines[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static struct job queue[QUEUE];
static size_t head, queued;
static bool closed;
static unsigned long done[KINDS], wrong;

static void
submit(uint64_t id)
{
	struct job job = { 0 };

	job.id = id;
	job.kind = (enum kind)(id % KINDS);
	job.n = (unsigned int)(id / KINDS);
	pthread_mutex_lock(&lock);
	while (queued == QUEUE)
		pthread_cond_wait(&not_full, &lock);
	queue[(head + queued++) % QUEUE] = job;
	UT(job, submit, id, job.kind,
	    job.kind == WORDS ? lines[job.n % LINES].text : "", queued);
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

/* The next job, or false when there will be none. */
static bool
take(struct job *job)
{
	bool any;

	pthread_mutex_lock(&lock);
	while (queued == 0 && !closed)
		pthread_cond_wait(&not_empty, &lock);
	if ((any = queued > 0)) {
		*job = queue[head];
		head = (head + 1) % QUEUE;
		queued--;
		pthread_cond_signal(&not_full);
	}
	pthread_mutex_unlock(&lock);
	return any;
}

/* The length of each word. */
static bool
words(struct job *job)
{
	const size_t line = job->n % LINES;
	const char *p = lines[line].text;
	unsigned int letters = 0;

	while (*p != '\0' && job->nfound < FOUND) {
		const size_t len = strcspn(p, " ");

		UT(job, word, job->id, p, len);
		job->found[job->nfound++] = (uint32_t)len;
		letters += (unsigned int)len;
		p += len;
		p += strspn(p, " ");
	}
	return letters == lines[line].letters;
}

/* The first primes; the sixteenth is 53. */
static bool
primes(struct job *job)
{
	const size_t want = 1 + job->n % FOUND;
	uint32_t n;
	size_t i;

	for (n = 2; job->nfound < want; n++) {
		for (i = 0; i < job->nfound && n % job->found[i] != 0; i++)
			continue;
		if (i == job->nfound)
			job->found[job->nfound++] = n;
	}
	return want < FOUND || job->found[FOUND - 1] == 53;
}

/* Fibonacci's matrix, of which the determinant is 1 or -1, to a power. */
static bool
matrix(struct job *job)
{
	const unsigned int power = 1 + job->n % 40;
	uint32_t *m = job->found;	/* m[0] m[1], m[1] m[2] */
	unsigned int i;

	m[0] = m[1] = 1;
	m[2] = 0;
	job->nfound = 3;
	for (i = 1; i < power; i++) {
		m[2] = m[1];
		m[1] = m[0];
		m[0] = m[1] + m[2];
	}
	return m[0] * m[2] - m[1] * m[1] == (power % 2 ? UINT32_MAX : 1);
}

static void
run(struct job *job, int worker)
{
	static bool (*const how[KINDS])(struct job *) = {
		words, primes, matrix
	};
	uint32_t hash = 2166136261U;
	double sum = 0;
	bool right;
	size_t i;

	UT_SCOPE(job, run, job->id, worker);

	right = how[job->kind](job);
	for (i = 0; i < job->nfound; i++) {
		hash = (hash ^ job->found[i]) * 16777619U;
		sum += job->found[i];
	}
	UT(job, done, job->id, worker, job->kind, right,
	    sum / (double)job->nfound, job->found, job->nfound,
	    &hash, sizeof(hash));

	pthread_mutex_lock(&lock);
	done[job->kind]++;
	if (!right)
		wrong++;
	pthread_mutex_unlock(&lock);
}

static void *
work(void *arg)
{
	const int worker = *(const int *)arg;
	unsigned long n;
	struct job job;

	UT_LOG(UT_DEBUG_PROCESS, "worker %d starts", worker);
	for (n = 0; take(&job); n++)
		run(&job, worker);
	UT_LOG(UT_DEBUG_PROCESS, "worker %d ends, %lu jobs done", worker, n);
	return NULL;
}

int
main(int argc, char *argv[])
{
	unsigned long jobs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, id;
	int workers = argc > 2 ? atoi(argv[2]) : 4, i;
	pthread_t threads[WORKERS];
	int numbers[WORKERS];

	if (argc > 3 || workers < 1 || workers > WORKERS) {
		fprintf(stderr, "usage: demo [jobs [workers]]\n");
		return 1;
	}
	UT_LOG(UT_NOTICE, "%lu jobs for %d workers", jobs, workers);
	for (i = 0; i < workers; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, work, &numbers[i])) {
			fprintf(stderr, "demo: no thread\n");
			return 1;
		}
	}
	for (id = 0; id < jobs; id++)
		submit(id);
	pthread_mutex_lock(&lock);
	closed = true;
	pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < workers; i++)
		pthread_join(threads[i], NULL);

	if (done[WORDS] + done[PRIMES] + done[MATRIX] != jobs)
		wrong++;
	UT_LOG(wrong ? UT_ERR : UT_NOTICE, "done, %lu wrong", wrong);
	printf("%lu jobs: %lu words, %lu primes, %lu matrix, %lu wrong\n",
	    jobs, done[WORDS], done[PRIMES], done[MATRIX], wrong);
	return wrong != 0;
}
