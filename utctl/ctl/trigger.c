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
 * Triggers: actions in a session when programs record an event.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"

#define SPACE		" \t\n"

void
trigger_print(const struct row *r)
{
	const uint64_t n = row_num(r, "count"), acted = row_num(r, "acted");
	const uint64_t matches = row_num(r, "matches");
	const uint64_t later = row_num(r, "later_ms");

	printf("    trigger %" PRIu64 ": ", row_num(r, "number"));
	if (n == 0)
		printf("first %s", row_str(r, "glob"));
	else
		printf("each %" PRIu64 " %s", n, row_str(r, "glob"));
	if (row_str(r, "filter")[0] != '\0')
		printf(" (if %s)", row_str(r, "filter"));
	if (later != 0)
		printf(": after %" PRIu64 "ms", later);
	printf(": %s", row_str(r, "action"));
	if (row_str(r, "command")[0] != '\0')
		printf(" %s", row_str(r, "command"));
	printf("; %s, %" PRIu64 " match%s, acted %" PRIu64 " time%s\n",
	    row_str(r, "state"), matches, matches == 1 ? "" : "es", acted,
	    acted == 1 ? "" : "s");
}

/* Write a command, or a comment if it is another user's: see save.c. */
void
trigger_save(FILE *f, const struct row *r, const char *session, int foreign)
{
	const char *action = row_str(r, "action");
	const char *command = row_str(r, "command");
	char *both;

	put_word(f, foreign ? "# trigger -e " : "trigger -e ",
	    row_str(r, "glob"));
	if (row_str(r, "filter")[0] != '\0')
		put_word(f, " -f ", row_str(r, "filter"));
	if (row_num(r, "count") != 0)
		fprintf(f, " -n %" PRIu64, row_num(r, "count"));
	if (row_num(r, "later_ms") != 0)
		fprintf(f, " -w %" PRIu64 "ms", row_num(r, "later_ms"));
	both = format("%s%s%s", action, command[0] != '\0' ? " " : "",
	    command);
	put_word(f, " -a ", both);
	free(both);
	put_word(f, " ", session);
	putc('\n', f);
}

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

struct trigger {
	uint32_t	 action;	/* UT_TRIGGER_; 0: not given */
	uint32_t	 count;		/* -n, 0: once; or the ID to remove */
	uint32_t	 later;		/* ms from a match to the action */
	const char	*command;
	const char	*glob;
	const char	*filter;
};

static const char *
action_name(size_t i)
{
	return i < NACTIONS ? actions[i].what : NULL;
}

static void
parse_action(struct trigger *t, const char *s)
{
	const size_t n = strcspn(s, SPACE);
	const char *rest = s + n + strspn(s + n, SPACE);
	const struct action *a = actions;

	while (a < actions + NACTIONS && (strncmp(a->name, s, n) != 0 ||
	    a->name[n] != '\0'))
		a++;
	if (a == actions + NACTIONS || (!a->command && rest[0] != '\0'))
		die("action '%s': none of %s", s, names_text(action_name));
	if (a->command && rest[0] == '\0')
		die("action '%s': a command must follow in the same argument: "
		    "-a '%s command'", s, a->name);
	t->action = a->type;
	t->command = check_command(rest);
}

static uint32_t
parse_count(const char *what, const char *s)
{
	uint32_t n;

	if (parse_number(s, UINT32_MAX, &n) == -1 || n == 0)
		die("%s '%s': not a number from 1 to %" PRIu32, what, s,
		    UINT32_MAX);
	return n;
}

static uint32_t
parse_later(const char *s)
{
	unsigned long long ms;

	if (parse_ms(s, &ms) == -1 || ms > UT_TRIGGER_LATER)
		die("time '%s': not 0 to %dh, in seconds or with ms, s, m or "
		    "h", s, UT_TRIGGER_LATER / 3600000);
	return (uint32_t)ms;
}

static int
trigger_ask(struct client *c, struct step *st)
{
	const struct trigger *t = st->own;
	struct ut_msg *m = client_begin(c, st->type);

	ut_msg_str(m, st->session);
	if (st->type == UT_CTL_UNTRIGGER) {
		ut_msg_u32(m, t->count);
	} else {
		ut_msg_u32(m, t->action);
		ut_msg_u32(m, t->count);
		ut_msg_str(m, t->command);
		ut_msg_str(m, t->glob);
		ut_msg_u32(m, UT_RULE_ALL);
		ut_msg_u32(m, 0);
		ut_msg_u32(m, 0);
		ut_msg_str(m, t->filter != NULL ? t->filter : "");
		ut_msg_u32(m, t->later);
	}
	return step_say(c, st, client_request(c, NULL));
}

/* Take an option: 1; 0 if it is none that makes a trigger. */
static int
trigger_option(const char *command, struct trigger *t, int letter)
{
	switch (letter) {
	case 'e':
		if (t->glob != NULL)
			die("%s: -e is given twice", command);
		check_glob(t->glob = optarg);
		return 1;
	case 'f':
		if (t->filter != NULL)
			die("%s: -f is given twice: && or || join filters",
			    command);
		check_filter(t->filter = optarg);
		return 1;
	case 'n':
		t->count = parse_count("count", optarg);
		return 1;
	case 'w':
		t->later = parse_later(optarg);
		return 1;
	case 'a':
		if (t->action != 0)
			die("%s: -a is given twice", command);
		parse_action(t, optarg);
		return 1;
	default:
		return 0;
	}
}

static int
trigger_parse(int argc, char **argv, struct step *st)
{
	struct trigger *t = step_own(st, sizeof(*t));
	uint32_t number = 0;
	int ch, any = 0;

	while ((ch = option(argc, argv)) != -1) {
		if (ch == 'r')
			number = parse_count("trigger", optarg);
		else if (trigger_option(argv[0], t, ch))
			any = 1;
		else
			return usage();
	}
	if (any && number != 0)
		return usage_lacks("-r: without other options");
	if (number == 0 && (t->glob == NULL || t->action == 0))
		return usage_lacks("name an event with -e and an action with "
		    "-a, or a trigger with -r");
	if (!any) {
		st->type = UT_CTL_UNTRIGGER;
		t->count = number;
	}
	return step_session(argc, argv, st);
}

const struct command cmd_trigger = {
	.name = "trigger", .page = "utctl-session",
	.line = "do something when an event is recorded",
	.usage = "-r number | -e 'glob' [-f filter] [-n count] [-w time] "
	    "-a snapshot | stop | rotate | 'exec command' [session]",
	.options = {
	    "-e glob\tthe event", "-f filter\tonly if this is true",
	    "-n count\teach time that there were so many (default: once)",
	    "-w time\tact so long after a match",
	    "-a action\tsnapshot, stop, rotate or 'exec command'",
	    "-r number\tremove this trigger"
	},
	.type = UT_CTL_TRIGGER,
	.parse = trigger_parse, .ask = trigger_ask, .loads = 1
};
