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
 * Programs that use SIGPROF, the CPU, and calls that a signal may interrupt:
 * libut-cpu.so is to change none of that.
 *
 *	cpus [MODE [NUMBER]]
 */

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile unsigned long sum;
static volatile int calls;
static volatile int over;
static char *self;

/* Some microseconds of work, in two functions. */
static void __attribute__((noinline))
three(void)
{
	int i;

	for (i = 0; i < 10000; i++)
		sum = sum * 3 + 1;
}

static void __attribute__((noinline))
one(void)
{
	int i;

	for (i = 0; i < 10000; i++)
		sum = sum * 3 + 1;
}

static long
cpu_ms(int who)
{
	struct rusage r;

	getrusage(who, &r);
	return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000L +
	    (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1000;
}

static int64_t
thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/*
 * Three times as often in one function as in the other, by chance: ticks could
 * be in step with what is regular.  Returns the share of the time that three()
 * took: the processor may run the same loop faster in one place than in another.
 */
static double __attribute__((noinline))
burn(long ms)
{
	const int64_t begin = thread_ns();
	int64_t now = begin, next, threes = 0, ones = 0;
	uint32_t x = 1;

	do {
		x = x * 1103515245 + 12345;
		if (x >> 30 != 0)
			three();
		else
			one();
		next = thread_ns();
		*(x >> 30 != 0 ? &threes : &ones) += next - now;
		now = next;
	} while (now - begin < ms * INT64_C(1000000));
	return (double)threes / (double)(threes + ones);
}

static void
check(int holds, const char *what)
{
	if (!holds) {
		printf("not: %s\n", what);
		exit(1);
	}
}

static void
count(int sig)
{
	(void)sig;
	calls++;
}

static void *
thread(void *ms)
{
	burn((long)ms);
	return NULL;
}

static int
thread_c11(void *ms)
{
	burn((long)ms);
	return 0;
}

static void *
spin(void *arg)
{
	sigset_t set;

	if (arg != NULL) {		/* blocks it from time to time */
		sigemptyset(&set);
		sigaddset(&set, SIGPROF);
	}
	while (!over) {
		if (arg != NULL)
			pthread_sigmask(SIG_BLOCK, &set, NULL);
		three();
		if (arg != NULL)
			pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	return NULL;
}

/* The CPU time of threads of each kind, and of children, in ms. */
static void
kinds(long ms)
{
	pthread_attr_t little;
	pthread_t a, b;
	thrd_t c;

	burn(ms);
	pthread_attr_init(&little);
	check(pthread_attr_setstacksize(&little, 16384) == 0, "a small stack");
	check(pthread_create(&a, &little, thread, (void *)ms) == 0, "thread");
	check(pthread_create(&b, NULL, thread, (void *)ms) == 0, "thread");
	check(thrd_create(&c, thread_c11, (void *)ms) == thrd_success, "C11");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	thrd_join(c, NULL);
	fflush(stdout);
	if (fork() == 0) {
		burn(ms);
		check(pthread_create(&a, NULL, thread, (void *)ms) == 0,
		    "thread of a child");
		pthread_join(a, NULL);
		_exit(0);
	}
	wait(NULL);
	printf("%ld\n", cpu_ms(RUSAGE_SELF) + cpu_ms(RUSAGE_CHILDREN));
}

/* A handler gets the program's signals, and no other. */
static void
handler(long n)
{
	const struct itimerval it = { { 0, 10000 }, { 0, 10000 } };
	const struct itimerval none = { { 0, 0 }, { 0, 0 } };
	struct sigaction sa, old;
	pthread_t t[4];
	long i;

	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, spin, i % 2 != 0 ? &i : NULL);
	burn(100);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = count;
	check(sigaction(SIGPROF, &sa, &old) == 0, "sigaction");
	check(old.sa_handler == SIG_DFL && old.sa_flags == 0, "no other");
	burn(n);
	check(calls == 0, "no signal of others");
	raise(SIGPROF);
	check(calls == 1, "a signal of its own");
	setitimer(ITIMER_PROF, &it, NULL);
	burn(n);
	setitimer(ITIMER_PROF, &none, NULL);
	check(calls > 2, "a timer of its own");
	check(signal(SIGPROF, SIG_DFL) == count, "its handler");
	over = 1;
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

/* A program sees the actions that it has set; the default one changes nothing. */
static void
query(long n)
{
	struct sigaction sa, old;

	burn(n);
	memset(&sa, 0, sizeof(sa));
	sa.sa_flags = SA_RESTART;
	sigaddset(&sa.sa_mask, SIGUSR1);
	check(sigaction(SIGPROF, &sa, &old) == 0, "sigaction");
	check(old.sa_handler == SIG_DFL && old.sa_flags == 0, "default");
	check(sigaction(SIGPROF, NULL, &old) == 0, "sigaction");
	check(old.sa_handler == SIG_DFL && (old.sa_flags & SA_RESTART) != 0 &&
	    sigismember(&old.sa_mask, SIGUSR1) == 1, "what was set");
	check(signal(SIGPROF, SIG_DFL) == SIG_DFL, "signal");
	burn(n);
}

/* Each way of waiting for it; the first one that is asked for comes first. */
static void
waits(long which)
{
	const struct timespec now = { 0, 0 };
	struct signalfd_siginfo fdinfo;
	siginfo_t info;
	sigset_t set;
	int sig, fd;

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	burn(100);			/* is pending, if there is a timer */
	if (which == 0) {
		check(sigtimedwait(&set, &info, &now) == -1 && errno == EAGAIN,
		    "nothing pending");
	} else if (which == 1) {
		fd = signalfd(-1, &set, SFD_NONBLOCK);
		check(read(fd, &fdinfo, sizeof(fdinfo)) == -1, "fd is empty");
	}
	kill(getpid(), SIGPROF);
	if (which == 2) {
		check(sigwait(&set, &sig) == 0 && sig == SIGPROF, "sigwait");
	} else {
		check(sigwaitinfo(&set, &info) == SIGPROF &&
		    info.si_code == SI_USER, "sigwaitinfo");
	}
	burn(100);
	check(sigtimedwait(&set, &info, &now) == -1, "nothing pending now");
}

/* Threads that never see it. */
static void *
deaf(void *ms)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	burn((long)ms);
	return NULL;
}

/* One that still runs at the end. */
static void
deaf_one(long ms)
{
	const struct timespec ts = { 0, 1000000 };
	pthread_t t;

	check(pthread_create(&t, NULL, deaf, (void *)(10 * ms)) == 0, "thread");
	while (cpu_ms(RUSAGE_SELF) < ms)
		nanosleep(&ts, NULL);
}

static void
blocks(long ms)
{
	pthread_t t;

	check(pthread_create(&t, NULL, deaf, (void *)ms) == 0, "thread");
	pthread_join(t, NULL);
}

/* A program ends by the signal by which it would end without us. */
static void
die(long by_timer)
{
	const struct itimerval it = { { 0, 10000 }, { 0, 10000 } };

	burn(50);
	if (by_timer)
		setitimer(ITIMER_PROF, &it, NULL);
	else
		kill(getpid(), SIGPROF);
	burn(1000);
	check(0, "dead");
}

/* How many calls that SA_RESTART does not reach were interrupted? */
static void
interrupted(long n)
{
	const struct timespec ts = { 0, 20000 };
	struct timeval tv = { 0, 1000 };
	struct timespec until;
	int pair[2], eintr[4] = { 0 };
	char c;
	sem_t sem;
	long i;

	sem_init(&sem, 0, 0);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	for (i = 0; i < n; i++) {
		three();
		eintr[0] += nanosleep(&ts, NULL) == -1 && errno == EINTR;
		eintr[1] += poll(NULL, 0, i % 8 == 0) == -1 && errno == EINTR;
		clock_gettime(CLOCK_REALTIME, &until);
		eintr[2] += sem_timedwait(&sem, &until) == -1 && errno == EINTR;
		if (i % 8 == 0)
			eintr[3] += recv(pair[0], &c, 1, 0) == -1 &&
			    errno == EINTR;
	}
	printf("nanosleep %d, poll %d, sem_timedwait %d, recv %d\n", eintr[0],
	    eintr[1], eintr[2], eintr[3]);
	check(eintr[0] + eintr[1] + eintr[2] + eintr[3] == 0, "no EINTR");
}

static void
await(pid_t pid, const char *what)
{
	int status;

	check(pid != -1 && waitpid(pid, &status, 0) == pid, what);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		printf("%s: status %#x\n", what, (unsigned int)status);
		exit(1);
	}
}

/* Programs are started in each way while threads run, and none is ended. */
static void
execs(long n)
{
	char *argv[] = { self, "nothing", NULL };
	pthread_t t[2];
	sigset_t set;
	pid_t pid;
	long i;

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	pthread_create(&t[0], NULL, spin, NULL);
	pthread_create(&t[1], NULL, spin, &set);
	for (i = 0; i < n; i++) {
		if (i % 2 != 0)
			pthread_sigmask(SIG_BLOCK, &set, NULL);
		three();
		if ((pid = fork()) == 0) {
			pthread_create(&t[0], NULL, spin, NULL);
			burn(i % 7);
			execve(self, argv, environ);
			_exit(1);
		}
		await(pid, "fork");
		if ((pid = vfork()) == 0) {
			execve(self, argv, environ);
			_exit(1);
		}
		await(pid, "vfork");
		check(posix_spawn(&pid, self, NULL, NULL, argv, environ) == 0,
		    "posix_spawn");
		await(pid, "spawn");
		check(system("exit 0") == 0, "system");
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	over = 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

/* Programs become each other by execve(2), n times. */
static void
chain(long n)
{
	char left[24];

	burn(n % 5);
	snprintf(left, sizeof(left), "%ld", n - 1);
	if (n > 0)
		execl(self, self, "chain", left, (char *)0);
}

static void *
nothing_at_all(void *arg)
{
	return arg;
}

static void
births(long n)
{
	pthread_t t;

	while (n-- > 0) {
		check(pthread_create(&t, NULL, nothing_at_all, NULL) == 0,
		    "thread");
		pthread_join(t, NULL);
	}
}

static void
work(long ms)
{
	const double share = burn(ms);

	printf("%ld %.4f\n", cpu_ms(RUSAGE_SELF), share);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char	*name;
		void		(*run)(long);
	} modes[] = {
		{ "work", work }, { "kinds", kinds }, { "handler", handler },
		{ "query", query }, { "waits", waits }, { "die", die },
		{ "blocks", blocks }, { "deaf", deaf_one },
		{ "interrupted", interrupted }, { "execs", execs },
		{ "chain", chain }, { "births", births }
	};
	size_t i;

	self = argv[0];
	for (i = 0; argc > 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			modes[i].run(atol(argv[2]));
	return 0;
}
