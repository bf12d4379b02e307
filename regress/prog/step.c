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
 * Runs a program again and again, and kills it after 1, 2, 3, ... instructions
 * of what it does between two marks, each a SIGUSR2 that its first thread
 * raises:
 *
 *	step [-l] [-b before] [-c while] [-i most] [-k kills]
 *	    [-w wait] command [argument ...]
 *
 * The thread that marks is stepped; with -l, the one that was made last before
 * it marked: libut's, which listens, or one of the program's.  A number, from 0
 * for the first, is the last argument of the command.
 *
 *	-b before	a shell command before each program
 *	-c while	a shell command once it has marked; with its end,
 *			instead of a mark, all is over; $1 is the number
 *	-i most		SIGUSR1 is sent after so many instructions at most, and
 *			each time after another number of them
 *	-k kills	about so many of them, evenly spread
 *	-w wait		they are not killed, but stopped, all until a shell
 *			command is over; then they go on to their end
 *
 * Prints how many were killed or stopped, and after how many instructions the
 * last one.  Where nothing can be stepped the status is 77.
 */

#include <stdio.h>

#if !(defined(__linux__) || defined(__NetBSD__)) || \
    !(defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))

int
main(void)
{
	fprintf(stderr, "step: not on this machine\n");
	return 77;
}

#else

#include <sys/types.h>
#include <sys/ptrace.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/socket.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK		SIGUSR2
#define TIMEOUT		60		/* seconds for one program */
#define OVER		40		/* so often too short: it is the end */

static const char *before, *meanwhile, *hold;
static unsigned long signals, signal_at, most;
static bool listener, begun;
static char number[24];

static pid_t victim, command;		/* 0: is no more */
static pid_t stepped;			/* the thread; 0: not yet */
static pid_t other;			/* the one that was made last */
static unsigned long steps;

/*
 * Each program that stays stopped has a process of its own, a keeper, which is
 * its parent: a wait walks over all children, and there is one for each
 * instruction.
 */
static struct keeper {
	pid_t	pid;
	int	fd;			/* a byte here lets its program go on */
} *keepers;
static size_t nkeepers;

static void resume(pid_t, pid_t, bool, int);

/*
 * The systems differ: on Linux each thread is traced by itself, and has a
 * number that wait tells.  On NetBSD all threads of a process stop together,
 * only the process has such a number, and no signal comes with a step; 6.99
 * loses a thread that is stepped, or a stop, if it is not the first thread's.
 */
#ifdef __linux__

#define WAIT_ALL	__WALL

static bool
trace_me(void)
{
	return ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

/* It tells of its threads, and ends with this program. */
static void
trace_options(void)
{
	if (ptrace(PTRACE_SETOPTIONS, victim, NULL, (void *)(intptr_t)
	    (PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) == -1)
		err(1, "ptrace");
}

static int
thread_go(pid_t pid, pid_t thread, bool one, int sig)
{
	(void)pid;
	return ptrace(one ? PTRACE_SINGLESTEP : PTRACE_CONT, thread, NULL,
	    (void *)(intptr_t)sig) == -1 ? -1 : 0;
}

/* Which thread it is that has stopped. */
static pid_t
thread_stopped(pid_t pid, int status)
{
	unsigned long made;

	if (status >> 16 == PTRACE_EVENT_CLONE &&
	    ptrace(PTRACE_GETEVENTMSG, pid, NULL, &made) == 0)
		other = (pid_t)made;
	return pid;
}

/* The other thread is stepped from here on; the one that marked goes on. */
static void
step_other(pid_t marked)
{
	resume(victim, marked, false, 0);
	if (syscall(SYS_tgkill, victim, stepped, SIGSTOP) == -1)
		err(1, "tgkill");
}

#else

#define WAIT_ALL	0

static bool
trace_me(void)
{
	return ptrace(PT_TRACE_ME, 0, NULL, 0) == 0;
}

static void
trace_options(void)
{
	if (signals != 0 || listener) {
		kill(victim, SIGKILL);
		warnx("-i and -l are not for this system");
		exit(77);
	}
}

static int
thread_go(pid_t pid, pid_t thread, bool one, int sig)
{
	if (one)
		return ptrace(PT_STEP, pid, (void *)1, thread);
	return ptrace(PT_CONTINUE, pid, (void *)1, sig);
}

static pid_t
thread_stopped(pid_t pid, int status)
{
	(void)pid;
	(void)status;
	return 1;
}

static void
step_other(pid_t marked)
{
	(void)marked;
}

#endif

/* Go on, by one instruction or not, unless it was killed meanwhile. */
static void
resume(pid_t pid, pid_t thread, bool one, int sig)
{
	if (thread_go(pid, thread, one, sig) == -1 && errno != ESRCH) {
		warn("ptrace");
		kill(victim, SIGKILL);
		exit(errno == EIO || errno == EPERM ? 77 : 1);
	}
}

static pid_t
shell(const char *text)
{
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", text, "sh", number,
		    (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* The program has begun: it stops as it executes the command. */
static void
victim_start(char *argv[])
{
	int status;

	steps = 0;
	stepped = other = 0;
	begun = false;
	if ((victim = fork()) == -1)
		err(1, "fork");
	if (victim == 0) {
		if (!trace_me()) {
			warn("ptrace");
			_exit(77);
		}
		execv(argv[0], argv);
		err(1, "%s", argv[0]);
	}
	if (waitpid(victim, &status, 0) == -1)
		err(1, "waitpid");
	if (!WIFSTOPPED(status))
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	trace_options();
	resume(victim, victim, false, 0);
}

/* Wait for anything; what has ended is no more. */
static pid_t
wait_any(int *status)
{
	pid_t pid;

	if ((pid = waitpid(-1, status, WAIT_ALL)) == -1)
		err(1, "waitpid");
	if (WIFSTOPPED(*status))
		return pid;
	if (pid == command) {
		command = 0;
		if (*status != 0)
			errx(1, "%s: status %d", meanwhile, *status);
	}
	if (pid == victim) {
		victim = 0;
		if (WIFSIGNALED(*status) && WTERMSIG(*status) != SIGKILL)
			errx(1, "%s: died of signal %d", number,
			    WTERMSIG(*status));
	}
	return pid;
}

static void
victim_kill(void)
{
	int status;

	if (victim != 0)
		kill(victim, SIGKILL);
	while (victim != 0 || command != 0)
		(void)wait_any(&status);
}

static void
go_on(pid_t pid, pid_t thread, int sig)
{
	if (sig == SIGTRAP || sig == SIGSTOP || sig == MARK)
		sig = 0;
	resume(pid, thread, false, sig);
}

/* Those that were stopped go on, one after the other, to the end. */
static void
release(void)
{
	int status;
	size_t i;

	if (hold != NULL && system(hold) != 0)
		errx(1, "%s: failed", hold);
	for (i = 0; i < nkeepers; i++) {
		if (write(keepers[i].fd, "", 1) != 1 ||
		    waitpid(keepers[i].pid, &status, 0) == -1)
			err(1, "a keeper");
		if (status != 0)
			errx(1, "a program that was stopped: status %d",
			    status);
		close(keepers[i].fd);
	}
}

/* It has marked: what follows is stepped. */
static void
begin(pid_t thread)
{
	if (!listener) {
		stepped = thread;
		resume(victim, thread, true, 0);
		return;
	}
	if ((stepped = other) == 0)
		errx(1, "no other thread");
	step_other(thread);
}

/* The stepped thread has stopped; true when it has gone far enough. */
static bool
step(int sig, unsigned long n)
{
	if (!begun && meanwhile != NULL)
		command = shell(meanwhile);
	begun = true;
	if (sig == SIGTRAP && ++steps == n)
		return true;
	if (sig == SIGTRAP || sig == SIGSTOP)
		sig = 0;
	if (steps == signal_at && sig == 0 && signals != 0)
		sig = SIGUSR1;
	resume(victim, stepped, true, sig);
	return false;
}

/* True if it came to an end after n instructions, false if it had fewer. */
static bool
end_after(unsigned long n)
{
	int status, sig;
	pid_t pid, thread;
	bool had = false;

	while (victim != 0) {
		pid = wait_any(&status);
		if (begun && meanwhile != NULL && command == 0)
			break;
		if (!WIFSTOPPED(status))
			continue;
		thread = thread_stopped(pid, status);
		sig = WSTOPSIG(status);
		if (sig == MARK) {
			if (stepped != 0)
				break;
			begin(thread);
		} else if (thread == stepped) {
			if ((had = step(sig, n)))
				break;
		} else {
			go_on(victim, thread, sig);
		}
	}
	if (stepped == 0)
		errx(1, "%s: no mark", number);
	if (!had || hold == NULL)
		victim_kill();
	return had;
}

/*
 * What a keeper does: says whether its program has come to n instructions, and
 * lets it go on when it is told to.  With step it ends, and the program too.
 */
static void
keep(char *argv[], unsigned long n, int fd)
{
	int status;
	pid_t pid;
	char had;

	alarm(TIMEOUT);
	victim_start(argv);
	had = end_after(n);
	alarm(0);
	if (write(fd, &had, 1) != 1 || !had || read(fd, &had, 1) != 1)
		_exit(0);
	alarm(TIMEOUT);
	go_on(victim, stepped, 0);
	while (victim != 0) {
		pid = wait_any(&status);
		if (WIFSTOPPED(status))
			go_on(victim, pid, WSTOPSIG(status));
	}
	_exit(status != 0);
}

/* As end_after, but the program stays stopped if it comes to an end there. */
static bool
keeper(char *argv[], unsigned long n)
{
	int fd[2];
	size_t i;
	pid_t pid;
	char had;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == -1)
		err(1, "socketpair");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		for (i = 0; i < nkeepers; i++)
			close(keepers[i].fd);
		close(fd[0]);
		keep(argv, n, fd[1]);
	}
	close(fd[1]);
	if (read(fd[0], &had, 1) != 1)
		errx(1, "%s: a keeper has failed", number);
	if (!had) {
		close(fd[0]);
		(void)waitpid(pid, NULL, 0);
		return false;
	}
	if ((keepers = realloc(keepers,
	    (nkeepers + 1) * sizeof(*keepers))) == NULL)
		err(1, "realloc");
	keepers[nkeepers].pid = pid;
	keepers[nkeepers++].fd = fd[0];
	return true;
}

static bool
run(char *argv[], unsigned long i, unsigned long n)
{
	int status;

	snprintf(number, sizeof(number), "%lu", i);
	if (signals != 0)
		signal_at = i * 7 % signals + 1;
	alarm(TIMEOUT);
	if (before != NULL && (waitpid(shell(before), &status, 0) == -1 ||
	    status != 0))
		errx(1, "%s: failed", before);
	if (hold != NULL && n != ULONG_MAX)
		return keeper(argv, n);
	victim_start(argv);
	return end_after(n);
}

static void
usage(void)
{
	errx(1, "step [-l] [-b before] [-c while] [-i most] [-k kills] "
	    "[-w wait] command [argument ...]");
}

static void
options(int argc, char *argv[])
{
	int c;

	while ((c = getopt(argc, argv, "+lb:c:i:k:w:")) != -1) {
		if (c == 'l')
			listener = true;
		else if (c == 'b')
			before = optarg;
		else if (c == 'c')
			meanwhile = optarg;
		else if (c == 'i')
			signals = strtoul(optarg, NULL, 10);
		else if (c == 'k')
			most = strtoul(optarg, NULL, 10);
		else if (c == 'w')
			hold = optarg;
		else
			usage();
	}
}

/*
 * A program that finds more and more of the others stopped, or a machine that
 * is busy, has longer to go than the first one had: the strides get longer.
 */
static bool
too_many(unsigned long ends)
{
	return most != 0 && ends >= most && (ends - most) % (most / 4 + 1) == 0;
}

/*
 * With -k, SEED in the environment says which ones.  Where a signal comes
 * changes how long it takes.
 */
static void
run_all(char *argv[])
{
	const char *seed = getenv("SEED");
	unsigned long i = 0, n, ends = 0, last = 0;
	double stride = 1, at = 1;
	int over = 0;

	if (most != 0) {
		(void)run(argv, i++, ULONG_MAX);
		if (steps > most)
			stride = (double)steps / (double)most;
		srandom(seed != NULL ? (unsigned int)strtoul(seed, NULL, 10) :
		    (unsigned int)getpid());
		at += (double)((unsigned long)random() % (unsigned long)stride);
	}
	for (; over < (signals != 0 ? OVER : 1); at += stride) {
		n = (unsigned long)at;
		if (run(argv, i++, n)) {
			ends++;
			last = n;
			over = 0;
			if (too_many(ends))
				stride *= 2;
		} else {
			over++;
		}
	}
	alarm(TIMEOUT);
	release();
	printf("%lu %lu\n", ends, last);
}

int
main(int argc, char *argv[])
{
	char **args;
	int i, n;

	options(argc, argv);
	if ((n = argc - optind) < 1)
		usage();
	if ((args = calloc((size_t)n + 2, sizeof(*args))) == NULL)
		err(1, "calloc");
	for (i = 0; i < n; i++)
		args[i] = argv[optind + i];
	args[n] = number;
	run_all(args);
	return 0;
}

#endif
