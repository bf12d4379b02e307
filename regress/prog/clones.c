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
 * Children that run no atfork handler: clones how events.  They trace as
 * writer 1 of seq:tick, for seqcheck, beside their parent, writer 0, and
 * after its end, until SIGUSR1 makes them execute this program, as writer 3.
 * How is
 *
 *	clone	by a system call that the C library does not know of
 *	_Fork	by the function, where there is one
 *	vfork	the child traces in a thread that has traced, where it is taken
 *		for its parent; as writer 6 in one that has not, where writer 5
 *		does so later; and as writers 8 and 7 in the next such, which
 *		has what that one had
 *
 * Prints the pid of the child, with vfork its own, and the numbers of the two
 * threads.  Ends with 77 where that cannot be, or where a child has all of its
 * parent's memory, the library's too.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#if (defined(MADV_WIPEONFORK) || defined(INHERIT_ZERO) || \
    defined(MAP_INHERIT_ZERO)) && !defined(UT_POSIX)
#define WIPED	1		/* a child finds memory wiped */
#else
#define WIPED	0
#endif

extern pid_t _Fork(void) __attribute__((weak));

static uint64_t nevents;
static char *self;
static volatile sig_atomic_t told;

static void
handler(int sig)
{
	(void)sig;
	told = 1;
}

/* The next events of a writer. */
static void
tick(uint32_t writer, uint64_t *n, uint64_t times)
{
	while (times-- > 0) {
		++*n;
		UT(seq, tick, writer, *n, "", (*n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
}

static pid_t
clone_child(void)
{
#if defined(SYS_clone)
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#elif defined(SYS_fork) && !defined(__OpenBSD__)
	return (pid_t)syscall(SYS_fork);
#else
	exit(77);
#endif
}

/* Without the descriptors of its parent, whose end is seen so. */
static void
child(void)
{
	char w[] = "3", n[24];
	char *argv[] = { self, "exec", n, w, NULL };
	uint64_t i = 0;
	int fd;

	snprintf(n, sizeof(n), "%" PRIu64, nevents);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	alarm(60);
	tick(1, &i, 1);
	printf("%ld\n", (long)getpid());
	fflush(stdout);
	while (!told)
		tick(1, &i, 100);
	execv(self, argv);
	_exit(127);
}

/* A child that is a copy of its parent: as threads that trace go on. */
static int
copies(pid_t (*make)(void))
{
	struct sigaction sa;
	uint64_t n = 0;
	pid_t pid;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sigaction(SIGUSR1, &sa, NULL);
	tick(0, &n, nevents);
	if ((pid = make()) == -1)
		err(1, "child");
	if (pid == 0)
		child();
	tick(0, &n, nevents);
	usleep(100000);
	tick(0, &n, nevents);
	return 0;
}

static void
vfork_one(uint32_t writer, uint64_t *n)
{
	volatile pid_t pid;
	int status;

	if ((pid = vfork()) == 0) {
		tick(writer, n, nevents);
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0)
		err(1, "vfork");
}

static long
thread_number(void)
{
#if defined(SYS_gettid)
	return syscall(SYS_gettid);
#else
	return 0;
#endif
}

static long numbers[2];

static void *
newcomer(void *arg)
{
	const uint32_t writer = arg == NULL ? 5 : 7;
	uint64_t mine = 0, childs = 0;

	numbers[arg != NULL] = thread_number();
	vfork_one(writer + 1, &childs);
	tick(writer, &mine, nevents);
	return arg;
}

static int
shares(void)
{
	pthread_t thread;
	uint64_t n = 0;
	int i;

	tick(0, &n, nevents);
	vfork_one(0, &n);
	tick(0, &n, nevents);
	for (i = 0; i < 2; i++) {
		if (pthread_create(&thread, NULL, newcomer,
		    i == 0 ? NULL : &thread) != 0)
			errx(1, "pthread_create");
		pthread_join(thread, NULL);
	}
	vfork_one(0, &n);
	printf("%ld %ld %ld\n", (long)getpid(), numbers[0], numbers[1]);
	return 0;
}

int
main(int argc, char *argv[])
{
	uint64_t n = 0;

	if (argc < 3)
		errx(1, "clones clone | _Fork | vfork events");
	self = argv[0];
	nevents = strtoull(argv[2], NULL, 10);
	if (argc > 3)
		tick((uint32_t)atoi(argv[3]), &n, nevents);
	else if (strcmp(argv[1], "vfork") == 0)
		return shares();
	else if (!WIPED)
		return 77;
	else if (strcmp(argv[1], "clone") == 0)
		return copies(clone_child);
	else if (_Fork == NULL)
		return 77;
	else
		return copies(_Fork);
	return 0;
}
