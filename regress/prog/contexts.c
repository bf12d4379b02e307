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
 * Events whose fields have what their contexts are to say.  Commands are lines
 * on standard input, each answered by a line: see below.
 */

#include <sys/mman.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(contexts, said, UT_INFO, UT_UINT(u), UT_UINT(g), UT_UINT(eu),
    UT_UINT(eg), UT_INT(err), UT_U64(request), UT_PTR(from), UT_INT(depth));
UT_EVENT(contexts, inside, UT_INFO, UT_INT(depth));
UT_EVENT(contexts, text, UT_INFO, UT_STR(word), UT_INT(n));
UT_EVENT(plain, array, UT_INFO, UT_ARRAY(uint64_t, a, 8));

static uint64_t request;
static const void *nothing, *volatile array;
static int traces, signals, jumps, exits;
static volatile sig_atomic_t handled;
static sigjmp_buf out;

static uint64_t
get_request(void)
{
	errno = EDOM;			/* nobody is to see that */
	if (traces)
		UT(contexts, inside, 1);
	if (signals)
		raise(SIGUSR1);
	if (jumps)
		siglongjmp(out, 1);
	if (exits)
		pthread_exit(NULL);
	return request;
}

static uint64_t
get_other(void)
{
	return 1;
}

static void
handle(int sig)
{
	(void)sig;
	handled++;
	UT(contexts, inside, 1);
}

static void
fault(int sig)
{
	(void)sig;
	UT(contexts, inside, 1);
	siglongjmp(out, 1);
}

/* In an event that reads this, SIGSEGV comes in the middle. */
static const void *
unreadable(void)
{
	struct sigaction sa;
	const void *p = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANON,
	    -1, 0);

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = fault;
	if (p == MAP_FAILED || sigaction(SIGSEGV, &sa, NULL) == -1 ||
	    sigaction(SIGBUS, &sa, NULL) == -1)
		exit(1);
	return p;
}

static void __attribute__((noinline))
say(int err)
{
	if (array != NULL) {
		UT(plain, array, array);
		return;
	}
	errno = err;
	UT(contexts, said, getuid(), getgid(), geteuid(), getegid(), err,
	    request, (const void *)say, 0);
	if (errno != err) {
		printf("errno is %d, not %d\n", errno, err);
		exit(1);
	}
}

/* The handler leaves an event, as the next one, just as deep, finds. */
static void
crash(void)
{
	static const uint64_t readable[8];

	array = nothing;
	if (sigsetjmp(out, 1) == 0)
		say(0);
	array = readable;
	say(0);
	array = NULL;
}

/*
 * As if the listener had just made the region known that wants the caller, and
 * were about to make that known, too.
 */
static void
soon(int n)
{
	struct ut_event *e = &ut__contexts__said;
	const uint32_t on = e->on;

	if ((e->on & UINT32_C(0xffff)) == 0)
		exit(1);
	e->on = UINT32_C(1) << 16;		/* several listen */
	say(n);
	e->on = on;
}

static void
repeat(int n)
{
	for (; n > 0; n--) {
		request++;
		say(n % 2 == 0 ? ENOENT : 0);
		UT(contexts, text, n % 2 == 0 ? "even" : "odd", n);
	}
}

/*
 * Its events are enough for two sub-buffers, and it has a name in each.  The
 * consumer finds that out when it rings, and when the channel is flushed.
 */
static void *
named(void *arg)
{
	const struct timespec nap = { 0, 500000000 };

#ifdef __linux__
	(void)pthread_setname_np(pthread_self(), "first \"name\"");
#endif
	repeat(2);
	nanosleep(&nap, NULL);
	repeat(150);
#ifdef __linux__
	(void)pthread_setname_np(pthread_self(), "second");
#endif
	repeat(2);
	nanosleep(&nap, NULL);
	repeat(150);
	return arg;
}

static void *
thread(void *arg)
{
	say((int)(uintptr_t)arg);
	return NULL;
}

static void *
crashing(void *arg)
{
	crash();
	return arg;
}

/* So many threads, one after the other. */
static void
threads(void *(*run)(void *), int n)
{
	pthread_t t;

	for (; n > 0; n--)
		if (pthread_create(&t, NULL, run,
		    (void *)(uintptr_t)n) != 0 || pthread_join(t, NULL) != 0)
			exit(1);
}

/* As many contexts as a program may have, with request_id. */
static void
most(void)
{
	char name[32];
	int i;

	for (i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "own%d", i);
		if (ut_context(name, get_other) == (i < 255 ? -1 : 0))
			exit(1);
	}
	if (errno != ENOMEM || ut_context("own0", NULL) == -1 ||
	    ut_context("own0", get_other) == -1)
		exit(1);
}

/* Contexts that cannot be. */
static void
wrong(void)
{
	static const char *const names[] = { "", "1st", "a-b", "a:b",
	    "a_name_that_is_as_long_as_no_name_of_a_context_may_be_123456789" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ut_context(names[i], get_request) != -1 || errno != EINVAL)
			exit(1);
	if (ut_context(NULL, get_request) != -1 || errno != EINVAL)
		exit(1);
	if (ut_context("request_id", get_request) != 0 ||
	    ut_context("request_id", get_other) != -1 || errno != EEXIST)
		exit(1);
}

static void
obey(const char *word, int n)
{
	if (strcmp(word, "know") == 0) {
		if (ut_context("request_id", get_request) == -1)
			exit(1);
	} else if (strcmp(word, "forget") == 0) {
		if (ut_context("request_id", NULL) == -1)
			exit(1);
		request = 0;
	} else if (strcmp(word, "request") == 0)
		request = (uint64_t)n;
	else if (strcmp(word, "euid") == 0) {
		if (setegid((gid_t)n) == -1 || seteuid((uid_t)n) == -1)
			exit(1);
	} else if (strcmp(word, "say") == 0)
		say(n);
	else if (strcmp(word, "repeat") == 0)
		repeat(n);
	else if (strcmp(word, "threads") == 0)
		threads(thread, n);
	else if (strcmp(word, "named") == 0)
		threads(named, n);
	else if (strcmp(word, "traces") == 0)
		traces = n;
	else if (strcmp(word, "signals") == 0)
		signals = n;
	else if (strcmp(word, "jump") == 0) {
		jumps = 1;
		if (sigsetjmp(out, 1) == 0)
			say(n);
		jumps = 0;
	} else if (strcmp(word, "crash") == 0)
		crash();
	else if (strcmp(word, "soon") == 0) {
		raise(SIGUSR1);
		soon(n);
	} else if (strcmp(word, "exits") == 0) {
		exits = 1;
		threads(thread, n);
		exits = 0;
	} else if (strcmp(word, "crashes") == 0)
		threads(crashing, n);
	else if (strcmp(word, "traced") == 0)
		UT(contexts, inside, n);
	else if (strcmp(word, "most") == 0)
		most();
	else if (strcmp(word, "wrong") == 0)
		wrong();
	else if (strcmp(word, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(word, "log") == 0)
		UT_LOG(UT_INFO, "%d", n);
}

int
main(void)
{
	char word[32];
	int n;

	signal(SIGUSR1, handle);
	nothing = unreadable();
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%31s %d", word, &n) == 2) {
		obey(word, n);
		printf("%s\n", UT_ON(contexts, said) ? "on" : "off");
	}
	return 0;
}
