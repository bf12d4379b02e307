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
 * A program that ends right after its last event: ends writer events how.
 * The events are seq:tick, for seqcheck.
 */

#include <sys/resource.h>

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

static uint32_t writer;
static uint64_t nevents;

static void
tick(void)
{
	uint64_t n;

	for (n = 1; n <= nevents; n++)
		UT(seq, tick, writer, n, "", (n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
}

static void *
in_thread(void *arg)
{
	tick();
	raise(SIGKILL);
	return arg;
}

static void
die(char *argv[], const char *how)
{
	volatile int *nothing = NULL;

	if (strcmp(how, "exit") == 0)
		exit(0);
	else if (strcmp(how, "_exit") == 0)
		_exit(0);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "segv") == 0)
		*nothing = 1;
	else if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	else if (strcmp(how, "exec") == 0)
		execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
	else if (strcmp(how, "again") == 0)	/* as the next writer */
		execl(argv[0], argv[0], argv[4], argv[2], "kill",
		    (char *)NULL);
	errx(1, "%s?", how);
}

int
main(int argc, char *argv[])
{
	const struct rlimit none = { 0, 0 };
	pthread_t thread;

	if (argc < 4)
		errx(1, "ends writer events how");
	setrlimit(RLIMIT_CORE, &none);
	writer = (uint32_t)strtoul(argv[1], NULL, 10);
	nevents = strtoull(argv[2], NULL, 10);
	if (strcmp(argv[3], "return") == 0) {
		tick();
		return 0;
	}
	if (strcmp(argv[3], "thread") == 0) {
		pthread_create(&thread, NULL, in_thread, NULL);
		for (;;)
			pause();
	}
	tick();
	die(argv, argv[3]);
	return 0;
}
