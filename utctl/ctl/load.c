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
 * Sessions from text: commands of utctl, one a line.  All are checked before
 * the first is carried out.  A command is about a session that the same text
 * creates, so that to undo all is to destroy these sessions.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../map.h"
#include "../utctl.h"

#define TEXT_MAX	(4u << 20)	/* bytes */

/* A command, in the order of the text. */
struct line {
	unsigned int	 number;
	char		**argv;
	struct step	 step;
	struct line	*create;	/* the line that creates its session */
	int		 bare;		/* the directory did not exist */
	struct line	*next;
	struct line	*older;		/* the creating line before it */
};

struct load {
	const char	*file;
	char		*text;
	size_t		 len;
	struct line	*first, **end;
	struct line	*last;		/* the last line that creates */
	struct line	*made;		/* the last one carried out */
	struct map	 named;		/* lines that create, by the name */
};

static volatile sig_atomic_t caught;

/* The second signal, also if it is another one, ends utctl at once. */
static void
catch(int sig)
{
	if (caught != 0) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	caught = sig;
}

static void
signals_defer(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sigemptyset(&sa.sa_mask);
	sa.sa_handler = catch;
	sa.sa_flags = SA_RESTART;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
}

/* Read all of it, and put a NUL behind. */
static void
text_read(struct load *l, FILE *f)
{
	size_t room = 4096, n;

	l->text = NULL;
	do {
		room *= 2;
		if ((l->text = realloc(l->text, room + 1)) == NULL)
			die_errno("malloc");
		n = fread(l->text + l->len, 1, room - l->len, f);
		if (memchr(l->text + l->len, '\0', n) != NULL)
			die("%s: not a text: it has a NUL", l->file);
		l->len += n;
		if (l->len > TEXT_MAX)
			die("%s: larger than %u bytes", l->file, TEXT_MAX);
	} while (l->len == room);
	if (ferror(f))
		die_errno("%s", l->file);
	l->text[l->len] = '\0';
}

/* Find the session that the command is about, or add the one it creates. */
static void
session_of(struct load *l, struct line *line)
{
	const char *name = line->step.session;
	const uint64_t key = map_bytes(0, name, strlen(name));
	const int create = line->step.type == UT_CTL_CREATE;
	struct line *p = name[0] != '\0' ? map_get(&l->named, key) : l->last;

	if (create && name[0] != '\0' && p != NULL)
		die("session %s is created in line %u already", name,
		    p->number);
	if (create) {
		if (name[0] != '\0')
			map_put(&l->named, key, line);
		line->older = l->last;
		p = l->last = line;
	} else if (p == NULL)
		die(name[0] != '\0' ? "no line above creates session %s" :
		    "no line above creates a session%s", name);
	line->create = p;
}

/* Refuse forms of commands that act at once, which no undo takes back. */
static void
form_check(const struct step *st)
{
	if (st->type == UT_CTL_ROTATE)
		die("rotate can be loaded only with options");
	if (st->type == UT_CTL_SNAPSHOT)
		die("snapshot can be loaded only with -k");
	if (st->type == UT_CTL_UNTRIGGER)
		die("trigger -r cannot be loaded");
}

static void
line_check(struct load *l, struct line *line, int argc)
{
	const struct command *c = command_find(line->argv[0]);

	if (c == NULL && strcmp(line->argv[0], "utctl") == 0)
		die("leave out utctl: a line begins with the command");
	if (c == NULL)
		die("unknown command '%s'", line->argv[0]);
	if (!c->loads)
		die("%s: only %s can be loaded", c->name,
		    names_text(command_loaded));
	optind = 1;
	utctl_command = c;
	step_init(&line->step, c);
	if (c->parse(argc, line->argv, &line->step) != 0)
		exit(1);
	if (line->step.session == NULL)
		die("%s: without -a: name the session, or none", c->name);
	form_check(&line->step);
	line->step.quiet = 1;
	session_of(l, line);
	l->end = &line->next;
}

/* Most lines are short: what is not needed is given back. */
static void
line_read(struct load *l, char *text, unsigned int number)
{
	struct line *line = calloc(1, sizeof(*line));
	const char *why;
	int argc;

	if (line == NULL)
		die_errno("malloc");
	*l->end = line;
	line->number = number;
	line->argv = calloc(strlen(text) / 2 + 2, sizeof(*line->argv));
	if (line->argv == NULL)
		die_errno("malloc");
	if ((argc = split(text, line->argv, &why)) == -1)
		die("%s", why);
	if (argc > 0) {
		line_check(l, line, argc);
		return;
	}
	*l->end = NULL;
	free(line->argv);
	free(line);
}

/* Read and check all; whatever is wrong ends utctl. */
static void
check(struct load *l)
{
	char *s, *end;
	unsigned int n = 0;

	for (s = l->text; s < l->text + l->len; s = end + 1) {
		end = s + strcspn(s, "\n");
		*end = '\0';
		say_place(l->file, ++n);
		if (end > s && end[-1] == '\r')
			die("the line ends with a carriage return: remove it");
		line_read(l, s, n);
	}
	say_place(NULL, 0);
}

/* Remove a directory that start may have begun to fill. */
static void
dir_undo(const char *dir)
{
	char *ust = format("%s/ust", dir);

	remove_dir(ust, 0);
	remove_dir(dir, 0);
	free(ust);
}

/*
 * Destroy the sessions that were created, the last one first, as if they had
 * never been there; directories that have got a trace stay.
 */
static void
undo(struct load *l, struct client *c)
{
	struct line *p;
	struct ut_msg *m;

	for (p = l->made; p != NULL; p = p->older) {
		if (!client_gone(c)) {
			m = client_begin(c, UT_CTL_DESTROY);
			ut_msg_str(m, p->step.made);
			ut_msg_u32(m, 1);
			if (client_request(c, NULL) == 0) {
				if (p->bare)
					dir_undo(p->step.dir);
				continue;
			}
		}
		say("session %s is left", p->step.made);
	}
}

/* Carry one out: the exit status. */
static int
line_ask(struct load *l, struct line *line, struct client *c)
{
	struct step *st = &line->step;
	int status;

	say_place(l->file, line->number);
	if (st->type == UT_CTL_CREATE)
		line->bare = st->dir == NULL || (st->dir[0] != '\0' &&
		    access(st->dir, F_OK) == -1 && errno == ENOENT);
	else
		st->session = line->create->step.made;
	status = st->command->ask(c, st);
	if (st->type == UT_CTL_CREATE && st->made != NULL)
		l->made = line;
	if (status == 0 && caught != 0) {
		say("interrupted");
		status = 1;
	}
	say_place(NULL, 0);
	return status;
}

/* Only what came of it is told: sessions, and how they were started. */
static void
tell(const struct load *l)
{
	const struct line *p;
	char *text;

	for (p = l->first; p != NULL; p = p->next) {
		if (p->step.type == UT_CTL_CREATE)
			session_created(&p->step);
		if (p->step.type != UT_CTL_START || p->step.answer == NULL)
			continue;
		puts(text = clean(p->step.answer));
		free(text);
	}
}

static int
carry_out(struct load *l)
{
	struct client *c;
	struct line *p;
	int status = 0;

	if (l->first == NULL)
		return 0;
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	signals_defer();
	for (p = l->first; p != NULL && status == 0; p = p->next)
		status = line_ask(l, p, c);
	if (status == 0)
		tell(l);
	else
		undo(l, c);
	client_close(c);
	if (caught != 0) {
		signal(caught, SIG_DFL);
		raise(caught);
	}
	return status;
}

static void
load_free(struct load *l)
{
	struct line *p;

	while ((p = l->first) != NULL) {
		l->first = p->next;
		step_free(&p->step);
		free(p->argv);
		free(p);
	}
	map_free(&l->named);
	free(l->text);
}

static int
load_main(int argc, char **argv)
{
	struct load l;
	FILE *f = stdin;
	int ch, check_only = 0, status;

	while ((ch = option(argc, argv)) != -1) {
		if (ch != 'n')
			return usage();
		check_only = 1;
	}
	if (argc - optind > 1)
		return usage_lacks("name one file");
	memset(&l, 0, sizeof(l));
	l.end = &l.first;
	l.file = argc > optind ? argv[optind] : "stdin";
	if (argc > optind && (f = fopen(l.file, "re")) == NULL) {
		say_errno("%s", l.file);
		return 1;
	}
	text_read(&l, f);
	if (f != stdin)
		fclose(f);
	check(&l);
	status = check_only ? 0 : carry_out(&l);
	load_free(&l);
	return status;
}

const struct command cmd_load = {
	.name = "load", .page = "utctl-session",
	.line = "make sessions from the commands that save prints",
	.usage = "[-n] [file]",
	.options = { "-n\tonly check them" },
	.run = load_main
};
