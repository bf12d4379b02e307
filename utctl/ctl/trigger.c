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
 * What is done in a session when programs record an event.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"

#define SPACE		" \t\n"

/* The second word of the argument, if there is any, is a command. */
static const struct action {
	const char	*name;
	uint32_t	 type;		/* UT_TRIGGER_ */
	int		 command;
	const char	*what;
} actions[] = {
	{ "snapshot", UT_TRIGGER_SNAPSHOT, 0, "snapshot" },
	{ "stop", UT_TRIGGER_STOP, 0, "stop" },
	{ "rotate", UT_TRIGGER_ROTATE, 0, "rotate" },
	{ "exec", UT_TRIGGER_EXEC, 1, "'exec command'" },
};

#define NACTIONS	(sizeof(actions) / sizeof(actions[0]))

static void	no_action(const char *) __attribute__((noreturn));

static void
no_action(const char *s)
{
	char known[128] = "";
	size_t i, n = 0;

	for (i = 0; i < NACTIONS; i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s",
		    i == 0 ? "" : i == NACTIONS - 1 ? " and " : ", ",
		    actions[i].what);
	die("action '%s': none of %s", s, known);
}

/* Sets the action and its command. */
static void
parse_action(struct step *st, const char *s)
{
	const size_t n = strcspn(s, SPACE);
	const char *rest = s + n + strspn(s + n, SPACE);
	const struct action *a = actions;

	while (a < actions + NACTIONS && (strncmp(a->name, s, n) != 0 ||
	    a->name[n] != '\0'))
		a++;
	if (a == actions + NACTIONS || (!a->command && rest[0] != '\0'))
		no_action(s);
	if (a->command && rest[0] == '\0')
		die("action '%s': a command must follow in the same argument: "
		    "-a '%s command'", s, a->name);
	if (strlen(rest) > UT_COMMAND_MAX)
		die("command: longer than %d bytes", UT_COMMAND_MAX);
	st->action = a->type;
	st->command = rest;
}

static uint32_t
parse_count(const char *what, const char *s)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(s, &end, 10);
	if (!isdigit((unsigned char)s[0]) || errno != 0 || *end != '\0' ||
	    n == 0 || n > UINT32_MAX)
		die("%s '%s': not a number from 1 to %" PRIu32, what, s,
		    UINT32_MAX);
	return (uint32_t)n;
}

static int
trigger_ask(struct client *c, struct step *st)
{
	struct ut_msg *m = client_begin(c, st->type);

	ut_msg_str(m, st->session);
	if (st->type == UT_CTL_UNTRIGGER) {
		ut_msg_u32(m, st->count);
	} else {
		ut_msg_u32(m, st->action);
		ut_msg_u32(m, st->count);
		ut_msg_str(m, st->command);
		ut_msg_str(m, st->rule.glob);
		ut_msg_u32(m, UT_RULE_ALL);
		ut_msg_u32(m, 0);
		ut_msg_u32(m, 0);
		ut_msg_str(m, st->rule.filter != NULL ? st->rule.filter : "");
	}
	return step_say(c, st, client_request(c, NULL));
}

/* Take an option: 1; 0 if it is none that makes a trigger. */
static int
trigger_option(const char *command, struct step *st, int letter)
{
	switch (letter) {
	case 'e':
		if (st->rule.glob != NULL)
			die("%s: -e is given twice", command);
		check_glob(st->rule.glob = optarg);
		return 1;
	case 'f':
		if (st->rule.filter != NULL)
			die("%s: -f is given twice: && or || join filters",
			    command);
		check_filter(st->rule.filter = optarg);
		return 1;
	case 'n':
		st->count = parse_count("count", optarg);
		return 1;
	case 'a':
		if (st->action != 0)
			die("%s: -a is given twice", command);
		parse_action(st, optarg);
		return 1;
	default:
		return 0;
	}
}

int
parse_trigger(int argc, char **argv, struct step *st)
{
	uint32_t number = 0;
	int ch, any = 0;

	st->ask = trigger_ask;
	while ((ch = option(argc, argv, "+e:f:n:a:r:")) != -1) {
		if (ch == 'r')
			number = parse_count("trigger", optarg);
		else if (trigger_option(argv[0], st, ch))
			any = 1;
		else
			return usage();
	}
	if (argc - optind > 1 || any == (number != 0) ||
	    (any && (st->rule.glob == NULL || st->action == 0)))
		return usage();
	if (argc > optind)
		check_session(st->session = argv[optind]);
	st->type = any ? UT_CTL_TRIGGER : UT_CTL_UNTRIGGER;
	if (!any)
		st->count = number;
	return 0;
}

int
cmd_trigger(int argc, char **argv)
{
	return step_run(argc, argv, parse_trigger);
}
