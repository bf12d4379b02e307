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
 * of what it does between two marks, each a SIGUSR2 that it raises:
 *
 *	step [-l] [-b before] [-c while] [-i most] [-k kills]
 *	    command [argument ...]
 *
 * The thread that marks is stepped; with -l, the one that the program had
 * when it marked, libut's, which listens.  A number, from 0 for the first, is
 * the last argument of the command.
 *
 *	-b before	a shell command before each program
 *	-c while	a shell command once it has marked; with its end,
 *			instead of a mark, all is over; $1 is the number
 *	-i most		SIGUSR1 is sent after so many instructions at most, and
 *			each time after another number of them
 *	-k kills	so many of them, evenly spread
 *
 * Prints how many were killed, and after how many instructions the last one.
 * Where nothing can be stepped the status is 77.
 */

#include <stdio.h>

#if !defined(__linux__) || \
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
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MARK		SIGUSR2
#define TIMEOUT		60		/* seconds for one program */
#define OVER		40		/* so often too short: it is the end */
#define OPTIONS		(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)

static const char *before, *meanwhile;
static unsigned long signals, signal_at;
static bool listener, begun;
static char number[24];

static pid_t victim, command;		/* 0: is no more */
static pid_t stepped;			/* the thread; 0: not yet */
static unsigned long other;		/* the one that was made last */
static unsigned long steps;

/* Go on, unless it was killed meanwhile. */
static void
resume(int how, pid_t tid, int sig)
{
	if (ptrace(how, tid, NULL, (void *)(intptr_t)sig) == -1 &&
	    errno != ESRCH) {
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
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == -1) {
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
	if (ptrace(PTRACE_SETOPTIONS, victim, NULL,
	    (void *)(intptr_t)OPTIONS) == -1)
		err(1, "ptrace");
	resume(PTRACE_CONT, victim, 0);
}

/* Wait for anything; what has ended is no more. */
static pid_t
wait_any(int *status)
{
	pid_t pid;

	if ((pid = waitpid(-1, status, __WALL)) == -1)
		err(1, "waitpid");
	if (WIFSTOPPED(*status))
		return pid;
	if (pid == command) {
		command = 0;
		if (*status != 0)
			errx(1, "%s: status %d", meanwhile, *status);
	}
	if (pid == victim)
		victim = 0;
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

/* It has marked: what follows is stepped. */
static void
begin(pid_t tid)
{
	if (!listener) {
		stepped = tid;
		resume(PTRACE_SINGLESTEP, tid, 0);
		return;
	}
	if ((stepped = (pid_t)other) == 0)
		errx(1, "no other thread");
	resume(PTRACE_CONT, tid, 0);
	if (syscall(SYS_tgkill, victim, stepped, SIGSTOP) == -1)
		err(1, "tgkill");
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
	resume(PTRACE_SINGLESTEP, stepped, sig);
	return false;
}

/* True if it was killed after n instructions, false if it had not so many. */
static bool
kill_after(unsigned long n)
{
	int status, sig;
	pid_t tid;
	bool had = false;

	while (victim != 0) {
		tid = wait_any(&status);
		if (begun && meanwhile != NULL && command == 0)
			break;
		if (!WIFSTOPPED(status))
			continue;
		if (status >> 16 == PTRACE_EVENT_CLONE)
			(void)ptrace(PTRACE_GETEVENTMSG, tid, NULL, &other);
		sig = WSTOPSIG(status);
		if (sig == MARK) {
			if (stepped != 0)
				break;
			begin(tid);
		} else if (tid == stepped) {
			if ((had = step(sig, n)))
				break;
		} else {
			resume(PTRACE_CONT, tid, sig == SIGTRAP ||
			    sig == SIGSTOP ? 0 : sig);
		}
	}
	if (stepped == 0)
		errx(1, "%s: no mark", number);
	victim_kill();
	return had;
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
	victim_start(argv);
	return kill_after(n);
}

int
main(int argc, char *argv[])
{
	unsigned long kills = 0, i = 0, n = 1, last = 0, stride = 1;
	char **args;
	int c, over = 0;

	while ((c = getopt(argc, argv, "+lb:c:i:k:")) != -1) {
		if (c == 'l')
			listener = true;
		else if (c == 'b')
			before = optarg;
		else if (c == 'c')
			meanwhile = optarg;
		else if (c == 'i')
			signals = strtoul(optarg, NULL, 10);
		else if (c == 'k')
			kills = strtoul(optarg, NULL, 10);
		else
			return 1;
	}
	if (argc - optind < 1 || argc - optind > 16)
		errx(1, "step [-l] [-b before] [-c while] [-i most] "
		    "[-k kills] command [argument ...]");
	args = calloc((size_t)(argc - optind) + 2, sizeof(*args));
	if (args == NULL)
		err(1, "calloc");
	for (c = 0; c < argc - optind; c++)
		args[c] = argv[optind + c];
	args[c] = number;
	if (kills != 0) {
		(void)run(args, i++, UINT32_MAX);
		stride = steps / kills + 1;
		/* Another time, other ones. */
		srandom((unsigned int)(time(NULL) ^ getpid()));
		n += (unsigned long)random() % stride;
	}
	/* Where the signal comes changes how long it takes. */
	for (kills = 0; over < (signals != 0 ? OVER : 1); i++, n += stride) {
		if (run(args, i, n)) {
			kills++;
			last = n;
			over = 0;
		} else {
			over++;
		}
	}
	printf("%lu %lu\n", kills, last);
	return 0;
}

#endif
