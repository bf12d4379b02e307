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
 * The command that a session has for its chunks: it is run for each that has
 * its place below archives/, one after the other, as the user who owns the
 * session.  The next utd runs it again for a chunk for which it was not seen to
 * end.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "../store/trace.h"
#include "../talk/user.h"

#define CHUNKS_MAX	1000	/* for which it has yet to be run */
#define LOGGED_MAX	1000	/* for which it failed */

static void	command_ended(uint32_t, int);

/* Forget a chunk of the list. */
void
chunk_over(struct session *s, struct chunk *c)
{
	state_chunk(s, c->name, false);
	LIST_DEL(struct chunk, &s->chunks, c, next);
	s->nchunks--;
	free(c);
}

/* Run the session's command for the first chunk. */
static void
command_run(void *arg)
{
	struct session *s = arg;
	char dir[PATH_MAX + sizeof(s->chunks->name) + 16];
	const char *const args[JOB_ARGS] = { dir };

	if (s->command == NULL || s->chunks == NULL)
		return;
	snprintf(dir, sizeof(dir), "%s/archives/%s", s->dir, s->chunks->name);
	if ((s->runs = job_run(s, s->command, args, command_ended,
	    s->id)) != -1)
		return;
	session_warn(s, "command for a chunk: %s; it is run later",
	    strerror(errno));
	s->runs = 0;
	timer_set(&s->command_again, ROTATION_RETRY, command_run, s);
}

/* Run the command at its turn, unless it runs or its turn is taken already. */
void
command_next(struct session *s)
{
	int ms;

	if (s->command == NULL || s->chunks == NULL || s->runs != 0 ||
	    s->command_again.when != 0)
		return;
	if ((ms = job_delay(s)) > 0)
		timer_set(&s->command_again, ms, command_run, s);
	else
		command_run(s);
}

/* Nothing keeps a session that is gone for everybody else. */
void
commands_over(struct session *s)
{
	if (s->lingers && (s->chunks == NULL || s->command == NULL) &&
	    s->runs == 0) {
		session_free(s);
		clients_left();
	}
}

/*
 * The command for the first chunk has ended: run it for the next.  The session
 * shows one warning; the log names each chunk for which it failed.
 */
static void
command_ended(uint32_t id, int status)
{
	struct session *s = session_by_id(id);
	char why[64];

	if (s == NULL)
		return;
	s->runs = 0;
	if (job_failed(status, why, sizeof(why))) {
		session_warn(s, "command for chunks: %s", why);
		if (s->nfailed++ < LOGGED_MAX)
			log_warnx("session %s: command for %s: %s", s->name,
			    s->chunks->name, why);
	}
	chunk_over(s, s->chunks);
	command_next(s);
	commands_over(s);
}

/* Add a chunk for which the command has yet to be run. */
void
command_wants(struct session *s, const char *name)
{
	struct chunk *c = xcalloc(1, sizeof(*c));

	snprintf(c->name, sizeof(c->name), "%s", name);
	LIST_ADD(struct chunk, &s->chunks, c, next);
	s->nchunks++;
}

void
command_add(struct session *s, const char *name)
{
	if (s->command == NULL)
		return;
	if (s->nchunks >= CHUNKS_MAX) {
		session_warn(s, "command for chunks: not run for all: %u wait "
		    "for it", s->nchunks);
		return;
	}
	command_wants(s, name);
	state_chunk(s, name, true);
	command_next(s);
}

/* Drop the waiting chunks, but not the first if its command is running. */
static void
chunks_drop(struct session *s)
{
	struct chunk **p = &s->chunks;

	if (*p != NULL && s->runs != 0)
		p = &(*p)->next;
	while (*p != NULL)
		chunk_over(s, *p);
}

/* Another command, also for the chunks that wait; or "": none. */
void
command_set(struct session *s, const char *command)
{
	free(s->command);
	s->command = command[0] != '\0' ? xstrdup(command) : NULL;
	if (s->command == NULL)
		chunks_drop(s);
	state_changed(&s->saved);
	command_next(s);
}

/*
 * Destroyed, the session stays in memory and in the journal while the command
 * has chunks left, but its name is free.  This is saved before session_forget()
 * gives up the directory.
 */
void
command_lingers(struct session *s)
{
	s->lingers = s->chunks != NULL;
	state_changed(&s->saved);
}

/* utd ends: what runs goes on. */
void
command_forget(struct session *s)
{
	if (s->nchunks > (s->runs != 0 ? 1u : 0u))
		log_warnx("session %s: the command was not run for the last %u "
		    "chunks", s->name, s->nchunks - (s->runs != 0 ? 1u : 0u));
	s->runs = 0;
	chunks_drop(s);
	s->lingers = false;
}

/*
 * Commands that are run for a session: a command line of sh(1), as the user who
 * owns the session.  A command has nothing of ours, and goes on if we are
 * killed.
 */

#define JOBS		20u		/* begun in a second for one user */
#define SHARE		4		/* times JOBS, for all strangers */
#define SHELL		"/bin/sh"
#define DIRECTORIES	"/usr/local/bin:/usr/bin:/bin:/usr/pkg/bin"

struct job {
	pid_t		 pid;
	job_cb		*ended;
	uint32_t	 id;		/* first argument of ended */
	struct job	*next;
};

extern char **environ;

static struct job *jobs;

/* Take a turn, of `rate' a second: returns the ms until it comes. */
static int64_t
job_turn(int64_t *at, int64_t now, unsigned int rate)
{
	int64_t wait;

	if (*at < now - 1000)
		*at = now - 1000;	/* so many may begin at once */
	wait = *at - now;
	*at += 1000 / rate;
	return wait > 0 ? wait : 0;
}

/*
 * Take the turn of one more command of the session's user: after so many ms it
 * may be run.  To start a process takes long if we are large, and nobody else
 * is served meanwhile: commands that one user wants run all the time wait.
 */
int
job_delay(struct session *s)
{
	static int64_t strangers_at;
	const int64_t now = ut_msg_now();
	int64_t wait = job_turn(&s->user->job_at, now, JOBS), all;

	if (user_is_stranger(s->uid)) {
		all = job_turn(&strangers_at, now, SHARE * JOBS);
		wait = wait > all ? wait : all;
	}
	if (wait > 0)
		session_warn(s, "commands wait: at most %u of a user begin in "
		    "a second", JOBS);
	return (int)wait;
}

/* Another user's command gets nothing of our environment. */
static void
clean_environment(uid_t uid)
{
	static char *none[] = { NULL };
	const struct passwd *pw = getpwuid(uid);

	environ = none;
	(void)setenv("PATH", DIRECTORIES, 1);
	(void)setenv("SHELL", SHELL, 1);
	(void)setenv("HOME", pw != NULL ? pw->pw_dir : "/", 1);
	if (pw != NULL) {
		(void)setenv("LOGNAME", pw->pw_name, 1);
		(void)setenv("USER", pw->pw_name, 1);
	}
}

static void	job_exec(const struct session *, char **)
		    __attribute__((noreturn));

/* In a process of its own, which becomes the command. */
static void
job_exec(const struct session *s, char **argv)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
	    SIGCHLD, SIGPIPE, SIGUSR1, SIGXFSZ };
	size_t i;
	int fd;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
	(void)setsid();
	if ((fd = open("/dev/null", O_RDWR)) == -1 || dup2(fd, 0) == -1 ||
	    dup2(fd, 1) == -1 || dup2(fd, 2) == -1)
		_exit(126);
	ut_closefrom(3);
	if (become(s->uid, s->gid))
		clean_environment(s->uid);
	if (chdir("/") == -1)
		_exit(126);
	execv(SHELL, argv);
	_exit(127);
}

/*
 * Run it with these arguments, $1 and so on.  When it has ended, the function
 * is called.  -1: it cannot be run now.
 */
pid_t
job_run(const struct session *s, const char *command,
    const char *const args[JOB_ARGS], job_cb *ended, uint32_t id)
{
	struct job *j = xcalloc(1, sizeof(*j));
	char *argv[JOB_ARGS + 5], **p = argv;
	int i;

	*p++ = (char *)(uintptr_t)"sh";
	*p++ = (char *)(uintptr_t)"-c";
	*p++ = (char *)(uintptr_t)command;
	*p++ = (char *)(uintptr_t)"sh";
	for (i = 0; i < JOB_ARGS && args[i] != NULL; i++)
		*p++ = (char *)(uintptr_t)args[i];
	*p = NULL;
	state_save();			/* the next utd knows of it */
	if ((j->pid = fork()) == 0)
		job_exec(s, argv);
	if (j->pid == -1) {
		free(j);
		return -1;
	}
	j->ended = ended;
	j->id = id;
	j->next = jobs;
	jobs = j;
	return j->pid;
}

/* A process has ended. */
void
jobs_reap(void)
{
	struct job *j, **p = &jobs;
	int status;

	while ((j = *p) != NULL) {
		if (waitpid(j->pid, &status, WNOHANG) != j->pid) {
			p = &j->next;
			continue;
		}
		*p = j->next;
		j->ended(j->id, status);
		free(j);
		p = &jobs;		/* others may have come */
	}
}

/* How it failed, if it did. */
bool
job_failed(int status, char *why, size_t n)
{
	if (WIFSIGNALED(status))
		snprintf(why, n, "killed by signal %d", WTERMSIG(status));
	else
		snprintf(why, n, "exit status %d", WEXITSTATUS(status));
	return status != 0;
}
