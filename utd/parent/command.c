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
 * session.  It has nothing of ours, and goes on if we are killed; the next utd
 * runs it again for a chunk for which it was not seen to end.
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

#include "trace.h"

#define SHELL		"/bin/sh"
#define DIRECTORIES	"/usr/local/bin:/usr/bin:/bin:/usr/pkg/bin"
#define CHUNKS_MAX	1000	/* for which it has yet to be run */
#define LOGGED_MAX	1000	/* for which it failed */

extern char **environ;

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

static void	run(const struct session *, const char *)
		    __attribute__((noreturn));

/* In a process of its own, which becomes the command. */
static void
run(const struct session *s, const char *dir)
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
	execl(SHELL, "sh", "-c", s->command, "sh", dir, (char *)NULL);
	_exit(127);
}

/* Forget the first chunk. */
static void
chunk_over(struct session *s)
{
	struct chunk *c = s->chunks;

	state_chunk(s, c->name, false);
	s->chunks = c->next;
	s->nchunks--;
	free(c);
}

static void
again(void *arg)
{
	struct session *s = session_by_id((uint32_t)(uintptr_t)arg);

	if (s != NULL)
		command_next(s);
}

/* Run it for the first chunk, unless it runs. */
void
command_next(struct session *s)
{
	char dir[PATH_MAX + sizeof(s->chunks->name) + 16];

	if (s->command == NULL || s->chunks == NULL || s->runs != 0)
		return;
	snprintf(dir, sizeof(dir), "%s/archives/%s", s->dir, s->chunks->name);
	state_save();
	if ((s->runs = fork()) == 0)
		run(s, dir);
	if (s->runs != -1)
		return;
	session_warn(s, "command for a chunk: %s; it is run later",
	    strerror(errno));
	s->runs = 0;
	timer_set(&s->command_again, ROTATION_RETRY, again, id_arg(s->id));
}

/* Nothing keeps a session that is gone for everybody else. */
void
commands_over(struct session *s)
{
	if (s->lingers && (s->chunks == NULL || s->command == NULL) &&
	    s->runs == 0)
		session_free(s);
}

/* One warning is enough, but the log has the chunks that may have to be seen to. */
static void
command_failed(struct session *s, const char *how, int n)
{
	session_warn(s, "command for chunks: %s %d", how, n);
	if (s->nfailed++ < LOGGED_MAX)
		log_warnx("session %s: command for %s: %s %d", s->name,
		    s->chunks->name, how, n);
}

/* Then it is run for the next, if there is one. */
static void
command_ended(struct session *s, int status)
{
	s->runs = 0;
	if (WIFSIGNALED(status))
		command_failed(s, "killed by signal", WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		command_failed(s, "exit status", WEXITSTATUS(status));
	chunk_over(s);
	command_next(s);
	commands_over(s);
}

/* A process has ended. */
void
commands_reap(void)
{
	struct session *s, *next;
	int status;

	for (s = sessions; s != NULL; s = next) {
		next = s->next;
		if (s->runs > 0 && waitpid(s->runs, &status, WNOHANG) ==
		    s->runs)
			command_ended(s, status);
	}
}

/* It has yet to be run for the chunk of that name. */
void
command_wants(struct session *s, const char *name)
{
	struct chunk *c = xcalloc(1, sizeof(*c)), **p;

	snprintf(c->name, sizeof(c->name), "%s", name);
	for (p = &s->chunks; *p != NULL; p = &(*p)->next)
		continue;
	*p = c;
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

/* Forget the chunks for which it is not running; or did not, for another utd. */
static void
forget(struct session *s)
{
	struct chunk **p, *c;

	if ((p = &s->chunks)[0] != NULL && s->runs != 0)
		p = &s->chunks->next;
	while ((c = *p) != NULL) {
		state_chunk(s, c->name, false);
		*p = c->next;
		s->nchunks--;
		free(c);
	}
}

/* Another command, also for the chunks that wait; or "": none. */
void
command_set(struct session *s, const char *command)
{
	free(s->command);
	s->command = command[0] != '\0' ? xstrdup(command) : NULL;
	if (s->command == NULL)
		forget(s);
	state_changed(&s->saved);
	command_next(s);
}

/*
 * The session is gone for everybody else, and its name is free, but it stays as
 * long as there are chunks.  This is saved before its directory is forgotten.
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
	forget(s);
	s->lingers = false;
}
