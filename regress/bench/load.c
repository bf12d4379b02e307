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
 * What traces, and measures what that costs: see load.h for the events.
 *
 *	load [-b bursts] [-e event] [-n events] [-p ms] [-t threads] burst
 *		Each thread has so many events in a burst, and the next one
 *		when the clock comes to a multiple of so many milliseconds,
 *		so that threads and processes trace at the same time and
 *		the tracer has none to drain in between.  Nanoseconds for
 *		each event, the median of the bursts of all threads, how
 *		many events there were, and nanoseconds again: p10, p99 and
 *		p99.9.
 *	load off
 *		An event that is not enabled, beyond the loop around it: ns.
 *	load [-e event] [-s ms] [-r rate] [-t threads] rate
 *		So many events a second, shared by the threads, in a burst
 *		each millisecond: the rate that came of it, and events, and
 *		nanoseconds for each event of a burst: p10, p50 and p99.
 *	load [-b threads] [-e event] thread
 *		Threads one after the other, with one event and without one
 *		in turn, so many of each.  What the event takes, in ns, by
 *		the tenth percentiles of both; events; and ns for a thread
 *		without one, the median.
 *	load [-b events] [-e event] cold
 *		One event after everything was pushed out of the caches, as
 *		in a program that traces now and then: ns, beyond the same
 *		without an event.
 *	load [-b bursts] [-e event] [-n events] fresh
 *		So many events in a burst each millisecond, after one event
 *		of the thread: ns for each of the last burst, and events.
 *		With one burst, in a session that is new, this is what the
 *		first touch of memory costs.
 *	load [-e event] [-n events] count
 *		Just so many events, or the event that is not enabled.
 *	load on
 *		Wait until load:one is enabled, but at most 10 seconds, and
 *		print the time, in milliseconds of CLOCK_MONOTONIC.
 *	load sleep
 *		One load:one and then nothing, until its input ends.
 */

#include <sys/types.h>

#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burst.h"
#include "load.h"

#define MAXTHREADS	1024
#define CACHES		(64 << 20)	/* more than they hold */

struct thread {
	pthread_t	 id;
	double		 ns[MAXBURSTS];
	double		 rate;
	long		 events;
	long		 nbursts;	/* that ns has */
};

static struct thread *threads;
static uint8_t bytes[NBYTES];
static void (*trace)(long);
static long nthreads = 1, nbursts = 20, nevents = 50000;
static long period = 30, seconds_ms = 1000;
static double rate = 1e6;

static void
trace_none(long n)
{
	long i;

	for (i = 0; i < n; i++) {
		FENCE(i);
		EV_NONE();
	}
}

static void
trace_one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		EV_ONE(i);
	}
}

static void
trace_mix(long n)
{
	const char *s = STRING;
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		FENCE(s);
		EV_MIX((uint64_t)i, (uint32_t)i, s, (double)i);
	}
}

static void
trace_bytes(long n)
{
	long i;

	for (i = 0; i < n; i++) {
		FENCE(i);
		EV_BYTES(bytes);
	}
}

static void __attribute__((noinline))
trace_off(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		EV_OFF(i);
	}
}

static void __attribute__((noinline))
trace_nothing(long n)
{
	int i;

	for (i = 0; i < (int)n; i++)
		FENCE(i);
}

static const struct {
	const char	*name;
	void		(*run)(long);
} events[] = {
	{ "none", trace_none },
	{ "one", trace_one },
	{ "mix", trace_mix },
	{ "bytes", trace_bytes },
	{ "off", trace_off },
	{ "nothing", trace_nothing }
};

static void
event_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (strcmp(events[i].name, name) == 0)
			trace = events[i].run;
	if (trace == NULL)
		errx(1, "no event %s", name);
}

static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return v[n / 2];
}

static void
run_threads(void *(*run)(void *))
{
	long i;

	for (i = 1; i < nthreads; i++)
		if (pthread_create(&threads[i].id, NULL, run,
		    &threads[i]) != 0)
			errx(1, "pthread_create");
	run(&threads[0]);
	for (i = 1; i < nthreads; i++)
		pthread_join(threads[i].id, NULL);
}

static void *
burst(void *arg)
{
	struct thread *th = arg;

	th->events = bursts_run(trace, nbursts, nevents, period, th->ns);
	return NULL;
}

static void
do_burst(void)
{
	double *all;
	long i, total = 0;

	if ((all = calloc((size_t)(nthreads * nbursts), sizeof(*all))) == NULL)
		err(1, "calloc");
	run_threads(burst);
	for (i = 0; i < nthreads; i++) {
		memcpy(all + i * nbursts, threads[i].ns,
		    (size_t)nbursts * sizeof(*all));
		total += threads[i].events;
	}
	bursts_print(all, nthreads * nbursts, total);
}

static void
do_off(void)
{
	static double without[MAXBURSTS], with[MAXBURSTS];
	double t;
	long i;

	for (i = 0; i < nbursts; i++) {
		t = now();
		trace_nothing(2000000);
		without[i] = (now() - t) / 2e6;
		t = now();
		trace_off(2000000);
		with[i] = (now() - t) / 2e6;
	}
	printf("%.3f 0\n", median(with, (size_t)nbursts) -
	    median(without, (size_t)nbursts));
}

/* Read and write more than the caches hold. */
static void
push_out(void)
{
	static unsigned char *all;
	size_t i;

	if (all == NULL && (all = calloc(1, CACHES)) == NULL)
		err(1, "calloc");
	for (i = 0; i < CACHES; i += 64)
		all[i]++;
}

static double
cold(void (*run)(long))
{
	static double ns[MAXBURSTS];
	double t;
	long i;

	for (i = -WARM; i < nbursts; i++) {
		push_out();
		t = now();
		run(1);
		t = now() - t;
		if (i >= 0)
			ns[i] = t;
	}
	return median(ns, (size_t)nbursts);
}

static void
do_cold(void)
{
	printf("%.0f %ld\n", cold(trace) - cold(trace_nothing),
	    nbursts + WARM);
}

static void
do_fresh(void)
{
	double t = 0;
	long i;

	trace(1);
	for (i = 0; i < nbursts; i++) {
		sleep_until(now() + 1e6);
		t = now();
		trace(nevents);
		t = now() - t;
	}
	printf("%.2f %ld\n", t / (double)nevents, nbursts * nevents + 1);
}

/* What falls due by the time, however late the thread is. */
static void *
pace(void *arg)
{
	struct thread *th = arg;
	const double mine = rate / (double)nthreads / 1e9;
	const double start = now(), end = start + (double)seconds_ms * 1e6;
	double t;
	long due, n, done = 0;

	while ((t = now()) < end) {
		due = (long)((t - start) * mine);
		/* Not all at once after the scheduler left it out. */
		n = due - done;
		if (n > (long)(mine * 4e6))
			n = (long)(mine * 4e6);
		if (n > 0)
			trace(n);
		if (n > 0 && th->nbursts < MAXBURSTS)
			th->ns[th->nbursts++] = (now() - t) / (double)n;
		done += n;
		if (due - done < (long)(mine * 1e6))
			sleep_until(t + 1e6);
	}
	th->events = done;
	th->rate = (double)done / (now() - start) * 1e9;
	return NULL;
}

static void
do_rate(void)
{
	double *all, sum = 0;
	long i, n = 0, total = 0;

	if ((all = calloc((size_t)nthreads * MAXBURSTS, sizeof(*all))) == NULL)
		err(1, "calloc");
	run_threads(pace);
	for (i = 0; i < nthreads; i++) {
		sum += threads[i].rate;
		total += threads[i].events;
		memcpy(all + n, threads[i].ns,
		    (size_t)threads[i].nbursts * sizeof(*all));
		n += threads[i].nbursts;
	}
	qsort(all, (size_t)n, sizeof(*all), compare);
	printf("%.0f %ld %.2f %.2f %.2f\n", sum, total, all[n / 10],
	    all[n / 2], all[n * 99 / 100]);
}

static void *
once(void *arg)
{
	trace(1);
	return arg;
}

static void *
never(void *arg)
{
	return arg;
}

/* ns from where a thread is made until it has ended. */
static double
thread_run(void *(*run)(void *))
{
	const double t = now();
	pthread_t id;

	if (pthread_create(&id, NULL, run, NULL) != 0 ||
	    pthread_join(id, NULL) != 0)
		errx(1, "threads");
	return now() - t;
}

static void
do_thread(void)
{
	static double with[MAXBURSTS], without[MAXBURSTS];
	double each;
	long i;

	for (i = 0; i < nbursts; i++) {
		with[i] = thread_run(once);
		without[i] = thread_run(never);
	}
	each = median(without, (size_t)nbursts);
	(void)median(with, (size_t)nbursts);
	printf("%.0f %ld %.0f\n", with[nbursts / 10] - without[nbursts / 10],
	    nbursts, each);
}

static void
do_count(void)
{
	trace(nevents);
}

static void
do_on(void)
{
	const struct timespec nap = { 0, 50000 };
	const double end = now() + 10e9;

	printf("ready\n");
	fflush(stdout);
	while (!EV_ONE_ON()) {
		if (now() > end)
			errx(1, "load:one is not enabled");
		nanosleep(&nap, NULL);
	}
	printf("%.3f\n", now() / 1e6);
}

static void
do_sleep(void)
{
	trace_one(1);
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
}

static const struct {
	const char	*name;
	void		(*run)(void);
} modes[] = {
	{ "burst", do_burst },
	{ "off", do_off },
	{ "rate", do_rate },
	{ "cold", do_cold },
	{ "fresh", do_fresh },
	{ "thread", do_thread },
	{ "count", do_count },
	{ "on", do_on },
	{ "sleep", do_sleep }
};

int
main(int argc, char *argv[])
{
	size_t i;
	int c;

	while ((c = getopt(argc, argv, "b:e:n:p:r:s:t:")) != -1) {
		switch (c) {
		case 'b':
			nbursts = atol(optarg);
			break;
		case 'e':
			event_find(optarg);
			break;
		case 'n':
			nevents = atol(optarg);
			break;
		case 'p':
			period = atol(optarg);
			break;
		case 'r':
			rate = atof(optarg);
			break;
		case 's':
			seconds_ms = atol(optarg);
			break;
		case 't':
			nthreads = atol(optarg);
			break;
		default:
			return 1;
		}
	}
	if (argc - optind != 1 || nbursts < 1 || nbursts > MAXBURSTS ||
	    nthreads < 1 || nthreads > MAXTHREADS)
		errx(1, "load [option ...] mode");
	if ((threads = calloc((size_t)nthreads, sizeof(*threads))) == NULL)
		err(1, "calloc");
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(modes[i].name, argv[optind]) != 0)
			continue;
		if (trace == NULL)
			event_find("one");
		modes[i].run();
		return 0;
	}
	errx(1, "no mode %s", argv[optind]);
}
