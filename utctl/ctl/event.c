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
 * Which events are traced.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/event_name.h"
#include "expr/expr.h"
#include "list.h"

void
check_filter(const char *text)
{
	struct expr *e;
	char why[256];

	if ((e = expr_parse(text, why, sizeof(why))) == NULL)
		die("filter '%s': %s", text, why);
	expr_free(e);
}

int
rule_option(struct rule *r, int ch)
{
	switch (ch) {
	case 'f':
		if (r->filter != NULL)
			die("-f is given twice: && or || join filters");
		check_filter(r->filter = optarg);
		return 1;
	case 'l':
	case 'L':
		if (r->kind != UT_RULE_ALL)
			die("-l and -L: one level can be given");
		r->kind = ch == 'l' ? UT_RULE_LEVEL : UT_RULE_ONLY;
		r->level = parse_level(optarg);
		return 1;
	case 'x':
		r->except[r->nexcept++] = optarg;
		return 1;
	}
	return 0;
}

void
rule_print(const struct row *r)
{
	const struct row *c;
	const char *comma = "; not ";

	printf("        enabled: %s (level %s", row_str(r, "glob"),
	    row_str(r, "level"));
	for (c = r->child; (c = row_first(c, "exclusion")) != NULL;
	    c = c->next) {
		printf("%s%s", comma, row_str(c, "glob"));
		comma = ", ";
	}
	if (row_str(r, "filter")[0] != '\0')
		printf("; if %s", row_str(r, "filter"));
	printf(")\n");
}

int
rule_save(FILE *f, const char *session, const char *channel,
    const struct row *r)
{
	const struct member *kind = row_find(r, "level_kind");
	const char *level = level_name(row_num(r, "level_number"));
	const struct row *x;

	if (kind == NULL || kind->num >= UT_RULE_ANY || level == NULL) {
		say("event %s, level %s: the utd that runs is of another "
		    "version, and does not tell this utctl what that is",
		    row_str(r, "glob"), row_str(r, "level"));
		return -1;
	}
	put_word(f, "enable-event -s ", session);
	put_word(f, " -c ", channel);
	if (kind->num != UT_RULE_ALL)
		fprintf(f, " -%c %s", kind->num == UT_RULE_ONLY ? 'L' : 'l',
		    level);
	for (x = r->child; (x = row_first(x, "exclusion")) != NULL; x = x->next)
		put_word(f, " -x ", row_str(x, "glob"));
	if (row_str(r, "filter")[0] != '\0')
		put_word(f, " -f ", row_str(r, "filter"));
	put_word(f, " ", row_str(r, "glob"));
	putc('\n', f);
	return 0;
}

void
rule_check(const struct rule *r)
{
	size_t i, bytes = 0;

	if (r->nexcept > UT_EXCEPT_MAX)
		die("-x: %zu patterns, and there can be %d", r->nexcept,
		    UT_EXCEPT_MAX);
	for (i = 0; i < r->nexcept; i++) {
		check_glob(r->except[i]);
		bytes += strlen(r->except[i]);
	}
	if (bytes > UT_EXCEPT_BYTES)
		die("-x: patterns of %zu bytes together, and there can be %d",
		    bytes, UT_EXCEPT_BYTES);
}

/* UT_CTL_ENABLE or UT_CTL_DISABLE. */
int
client_rule(struct client *c, int type, const struct rule *r)
{
	struct ut_msg *m = client_begin(c, type);
	size_t i;

	ut_msg_str(m, r->session);
	ut_msg_str(m, r->channel);
	ut_msg_str(m, r->glob);
	ut_msg_u32(m, r->kind);
	ut_msg_u32(m, r->level);
	ut_msg_u32(m, (uint32_t)r->nexcept);
	for (i = 0; i < r->nexcept; i++)
		ut_msg_str(m, r->except[i]);
	ut_msg_str(m, r->filter != NULL ? r->filter : "");
	return client_request(c, NULL);
}

static int
rules_ask(struct client *c, struct step *st)
{
	struct rule *r = st->own;
	char **glob;
	int status = 0;

	r->session = st->session;
	r->channel = st->channel;
	for (glob = st->names; *glob != NULL && !client_gone(c); glob++) {
		r->glob = *glob;
		status |= step_say(c, st, client_rule(c, st->type, r));
	}
	return status;
}

static int
event_parse(int argc, char **argv, struct step *st)
{
	static char star[] = "*", *all[] = { star, NULL };
	struct rule *r = step_own(st, sizeof(*r) +
	    (size_t)argc * sizeof(*r->except));
	int ch, i, any = 0;

	r->kind = UT_RULE_ALL;
	r->except = (char **)(r + 1);	/* the room behind it */
	while ((ch = option(argc, argv)) != -1) {
		if (ch == 'a')
			any = 1;
		else if (!step_option(st, ch) && !rule_option(r, ch))
			return usage();
	}
	if (any != (optind == argc))
		return usage_lacks(any ? "-a and a pattern: one of them" :
		    "name an event, or -a for all");
	rule_check(r);
	for (i = optind; i < argc; i++)
		check_glob(argv[i]);
	/* Without options, all that there are with the pattern. */
	if (st->type == UT_CTL_DISABLE && r->kind == UT_RULE_ALL &&
	    r->nexcept == 0 && r->filter == NULL)
		r->kind = UT_RULE_ANY;
	st->names = any ? all : argv + optind;
	return 0;
}

#define EVENT_USAGE	"[-s session] [-c channel] " RULE_USAGE \
			" -a | 'glob' ..."
#define EVENT_HELP	SESSION_HELP, CHANNEL_HELP, RULE_HELP, "-a\tall events"

const struct command cmd_enable_event = {
	.name = "enable-event", .page = "utctl-session",
	.line = "record events, from now on",
	.usage = EVENT_USAGE, .options = { EVENT_HELP },
	.type = UT_CTL_ENABLE,
	.parse = event_parse, .ask = rules_ask, .loads = 1
};

const struct command cmd_disable_event = {
	.name = "disable-event", .page = "utctl-session",
	.line = "record events no more",
	.usage = EVENT_USAGE, .options = { EVENT_HELP },
	.type = UT_CTL_DISABLE,
	.parse = event_parse, .ask = rules_ask
};
