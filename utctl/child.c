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
 * Programs that utctl starts and waits for, and the signals meanwhile.  A
 * process of root's utctl becomes another user, so that the system refuses what
 * that user may not do.
 */

#include <sys/types.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/compat.h"
#include "common/msg.h"
#include "regular.h"
#include "utctl.h"

#define PATIENCE	10000		/* ms for a connection */
#define MOST		300000		/* ms that users can keep us waiting */
#define SLICE		50		/* ms between looks */

/*
 * The signals that must not end utctl before it has cleaned up.  They are
 * blocked but while it waits for something that may take long.
 */
static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
#define NSIGNALS	(sizeof(signals) / sizeof(signals[0]))

static struct sigaction	 old_action[NSIGNALS], old_pipe;
static sigset_t		 old_mask;
static sigset_t		 wait_mask;	/* without those signals */
static sigset_t		 our_mask;	/* with them */

static void
signal_caught(int sig)
{
	/* A signal to end overrides a key that was hit before. */
	if (sig == SIGTERM || sig == SIGHUP ||
	    (sig != SIGCHLD && client_interrupted() == 0))
		client_interrupt(sig);
}

void
signals_catch(void)
{
	struct sigaction sa;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = signal_caught;
	sigemptyset(&sa.sa_mask);
	sigprocmask(SIG_SETMASK, NULL, &old_mask);
	wait_mask = our_mask = old_mask;
	for (i = 0; i < NSIGNALS; i++) {
		sigaddset(&our_mask, signals[i]);
		sigdelset(&wait_mask, signals[i]);
	}
	sigprocmask(SIG_SETMASK, &our_mask, NULL);
	/* Ignore SIGPIPE: a closed pipe is no reason to leave things behind. */
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, &old_pipe);
	sa.sa_handler = signal_caught;
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old_action[i]);
		/* Signals that nohup(1) has ignored stay ignored. */
		if (old_action[i].sa_handler != SIG_IGN ||
		    signals[i] == SIGCHLD)
			sigaction(signals[i], &sa, NULL);
	}
}

/*
 * Is there a file of that name in PATH?  execvp(3) says EACCES also when it
 * may not look into a directory of PATH and finds nothing in the others.
 */
static int
somewhere(const char *name)
{
	char *path = path_find(name, F_OK);

	free(path);
	return path != NULL || strchr(name, '/') != NULL ||
	    getenv("PATH") == NULL;
}

/* In the child: signals are as utctl found them, or as prepare() wants. */
static int
execute(char **argv, void (*prepare)(const void *), const void *arg)
{
	size_t i;

	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old_action[i], NULL);
	sigaction(SIGPIPE, &old_pipe, NULL);
	prepare(arg);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	execvp(argv[0], argv);
	return errno == EACCES && !somewhere(argv[0]) ? ENOENT : errno;
}

/* Start a program: its pid, or -1 with the errno that exec(2) gave. */
pid_t
child_spawn(char **argv, void (*prepare)(const void *), const void *arg)
{
	int fds[2], error = 0;
	pid_t pid;

	if (pipe(fds) == -1)
		return -1;
	if ((pid = fork()) == 0) {
		close(fds[0]);
		fcntl(fds[1], F_SETFD, FD_CLOEXEC);
		error = execute(argv, prepare, arg);
		while (write(fds[1], &error, sizeof(error)) == -1 &&
		    errno == EINTR)
			continue;
		_exit(127);
	}
	if (pid == -1)
		error = errno;
	close(fds[1]);
	while (read(fds[0], &error, sizeof(error)) == -1 && errno == EINTR)
		continue;
	close(fds[0]);
	if (error == 0)
		return pid;
	if (pid != -1)
		waitpid(pid, NULL, 0);
	errno = error;
	return -1;
}

/*
 * Sleep until a signal comes, or for so many ms (-1: no limit); 1 if fd can be
 * read.
 */
static int
nap(int fd, int64_t ms)
{
	struct timespec ts;
	fd_set set;

	ts.tv_sec = (time_t)(ms / 1000);
	ts.tv_nsec = (long)(ms % 1000 * 1000000);

	FD_ZERO(&set);
	if (fd >= 0 && fd < (int)FD_SETSIZE)
		FD_SET(fd, &set);
	else
		fd = -1;
	return pselect(fd + 1, &set, NULL, NULL, ms == -1 ? NULL : &ts,
	    &wait_mask) == 1;
}

/* Sleep like nap(); *last becomes the signal, if one came that ends us. */
int
wait_signal(int fd, int ms, int *last)
{
	const int readable = nap(fd, ms);
	const int sig = client_interrupted();

	if (sig != 0)
		*last = sig;
	client_interrupt(0);
	return readable;
}

/*
 * Wait for a child, passing on what asks utctl to end; *last is the last
 * signal that came meanwhile, if any; *killed, if that is given, the signal
 * that ended it, or 0.  Returns what the shell would, or -1 if there is
 * something to read before it ends, or that time has come.
 */
int
child_await(pid_t pid, int fd, int64_t until, int *last, int *killed)
{
	int64_t left = -1;
	int sig, status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (until != -1 && (left = until - ut_msg_now()) <= 0)
			return -1;
		if (nap(fd, left))
			return -1;
		if ((sig = client_interrupted()) == 0)
			continue;
		client_interrupt(0);
		*last = sig;
		if (sig == SIGTERM || sig == SIGHUP)
			kill(pid, sig);
	}
	if (killed != NULL)
		*killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status);
}

/* Let the signals through while that function works. */
int
interruptible(int (*function)(void *), void *arg)
{
	int result;

	sigprocmask(SIG_SETMASK, &wait_mask, NULL);
	result = function(arg);
	sigprocmask(SIG_SETMASK, &our_mask, NULL);
	return result;
}

/* One deadline for all that a job has users do: single ones would add up. */
int64_t
as_user_deadline(void)
{
	return ut_msg_now() + MOST;
}

/*
 * Call a function, which returns 0 or an errno, as that user; this is returned.
 * The process is killed when a signal asks utctl to end, or the time is over.
 */
int
as_user(uid_t uid, gid_t gid, int (*function)(void *), void *arg,
    int64_t deadline)
{
	pid_t pid;
	int sig = 0, status;

	if (ut_msg_now() >= deadline)
		return ETIMEDOUT;
	if ((pid = fork()) == 0) {
		_exit(ut_become(uid, gid) == -1 ? errno : function(arg));
	}
	if (pid == -1)
		return errno;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		/* The signal of its end may be over, if none is blocked. */
		(void)wait_signal(-1, SLICE, &sig);
		if (sig != 0 || ut_msg_now() >= deadline)
			kill(pid, SIGKILL);
	}
	if (sig != 0)
		client_interrupt(sig);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    sig != 0 ? EINTR : ETIMEDOUT;
}

struct connecting {
	const char	*dir;
	int		 fd;		/* for the socket that is connected */
	struct ut_msg	 m;
};

static int
connect_there(void *arg)
{
	struct connecting *c = arg;
	const int64_t deadline = ut_msg_now() + PATIENCE;
	const int s = ut_msg_connect(c->dir, deadline);

	if (s == -1)
		return errno;
	ut_msg_init(&c->m, 0, 0, 0);
	ut_msg_fd(&c->m, s);
	return ut_msg_send(c->fd, &c->m, deadline) == -1 ? errno : 0;
}

/*
 * A socket connected to utd in that directory, or -1 with errno.  The user has
 * put there what is there: it may be a link to a socket to which only root can
 * connect.
 */
int
connect_as(uid_t uid, gid_t gid, const char *dir)
{
	static struct connecting c;
	int pair[2], s = -1, error;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return -1;
	c.dir = dir;
	c.fd = pair[1];
	error = ut_nonblock(pair[0]) == -1 || ut_nonblock(pair[1]) == -1 ?
	    errno : as_user(uid, gid, connect_there, &c, as_user_deadline());
	close(pair[1]);
	ut_msg_init(&c.m, 0, 0, 0);
	if (error == 0 && (ut_msg_recv(pair[0], &c.m, ut_msg_now()) == -1 ||
	    (s = ut_msg_get_fd(&c.m)) == -1))
		error = errno;
	close(pair[0]);
	errno = error;
	return s;
}
