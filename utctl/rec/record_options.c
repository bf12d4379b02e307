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
 * The options of utctl record, and which of them go together.
 */

#include <sys/types.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/context.h"
#include "common/event_name.h"
#include "../when.h"
#include "record.h"
#include "ut_abi.h"
#define UT_NO_EVENTS
#include "ut.h"

#define CHANNEL		"channel0"
#define EVERY		"*"
#define FOLLOW_MS	100		/* flush interval of -F */
#define FUNCTIONS	16		/* globs of -c that libut-func takes */
#define FUNCTION_NAMES	1023		/* bytes of these, with commas */

/* Is it said what is recorded?  0, or -1. */
static int
check_subject(const struct record *r)
{
	if (r->argv != NULL || r->npids > 0 || r->limit != -1)
		return 0;
	say("record: name a command, a process with -p, or a time with -T");
	return -1;
}

static void
check_options(const struct record *r)
{
	if (r->keeps && r->follow)
		die("-S and -F: nothing is written while the command runs");
	if (r->out.replace && r->out.given == NULL)
		die("-r: name the trace that is replaced with -o");
	if (r->keeps && r->attrs.v[ATTR_MODE] == UT_MODE_BLOCK)
		die("-S and -m block: nobody would make room for who waits");
	if (r->argv != NULL && r->npids > 0)
		die("-p and a command: record what runs, or run it");
	if (r->argv != NULL && r->keeps && r->limit != -1)
		die("-S and -T: a command fails at its end, not after a time");
	if (r->argv == NULL && r->preload != NULL)
		die("-w: only a command that is run can get a wrapper");
	if ((r->chosen != NULL || r->nested) &&
	    !wrapper_in(r->preload, "func"))
		die("-c, -D and -M choose functions of -w func");
	if (r->npids > UT_TRACK_MAX)
		die("more than %d of -p", UT_TRACK_MAX);
}

/* Is the event, which is one of a wrapper, among those that are recorded? */
static int
is_asked(const struct record *r, const char *event)
{
	const struct rule *rule = &r->rule;
	size_t i;

	if (rule->kind == UT_RULE_ONLY ? rule->level != UT_DEBUG_FUNCTION :
	    rule->kind == UT_RULE_LEVEL && rule->level < UT_DEBUG_FUNCTION)
		return 0;
	for (i = 0; i < rule->nexcept; i++)
		if (event_matches(rule->except[i], event))
			return 0;
	for (i = 0; i < r->nglobs; i++)
		if (event_matches(r->globs[i], event))
			return 1;
	return 0;
}

/* Warn of wrappers whose events are not recorded. */
static void
check_wrappers(const struct record *r)
{
	const struct wrapper *w;
	const char *const *events;
	size_t i;

	for (w = wrappers; w->name != NULL; w++) {
		events = wrapper_events(w);
		for (i = 0; i < 2 && events[i] != NULL; i++)
			if (wrapper_in(r->preload, w->name) &&
			    !is_asked(r, events[i])) {
				say("warning: -w %s, but -e, -x, -l or -L "
				    "leave out its %s", w->name, events[i]);
				return;
			}
	}
}

static void
add_pid(struct record *r, const char *s)
{
	const pid_t pid = (pid_t)parse_pid(s);
	size_t i;

	for (i = 0; i < r->npids; i++)
		if (r->pids[i].pid == pid)
			return;
	r->pids[r->npids++].pid = pid;
}

static int64_t
parse_limit(const char *s)
{
	unsigned long long ms;

	if (parse_ms(s, &ms) == -1 || ms == 0 || ms > INT32_MAX)
		die("time '%s': not 1ms to %dm, in seconds or with ms, s, m "
		    "or h", s, INT32_MAX / 60000);
	return (int64_t)ms;
}

/* -g, or -G and a depth: the context for call stacks. */
static void
add_stack(struct record *r, int ch)
{
	static char usual[] = "stack";

	if (ch == 'G') {
		r->contexts[0] = format("%s/%s", usual, optarg);
		if (context_depth(r->contexts[0]) == 0)
			die("depth '%s': not a number from 1 to %u", optarg,
			    CONTEXT_DEEPEST);
	} else if (r->contexts[0] == NULL) {
		r->contexts[0] = usual;
	}
}

/* Choose functions of -w func: the command gets our environment. */
static void
choose_option(struct record *r, int ch)
{
	uint32_t levels;
	int64_t ns;

	if (ch == 'c') {
		if (*optarg == '\0' || strchr(optarg, ',') != NULL)
			die("-c '%s': not one glob of functions' names",
			    optarg);
		r->chosen = r->chosen == NULL ? format("%s", optarg) :
		    format("%s,%s", r->chosen, optarg);
		if (++r->nchosen > FUNCTIONS)
			die("more than %d of -c", FUNCTIONS);
		if (strlen(r->chosen) > FUNCTION_NAMES)
			die("-c: the globs have more than %d bytes in all",
			    FUNCTION_NAMES);
		setenv("UT_FUNC_NAMES", r->chosen, 1);
	} else if (ch == 'D') {
		if (parse_number(optarg, INT32_MAX, &levels) == -1 ||
		    levels == 0)
			die("-D '%s': not a number of levels from 1", optarg);
		setenv("UT_FUNC_DEPTH", optarg, 1);
		r->nested = 1;
	} else {
		if (when_length(optarg, &ns) == -1 || ns <= 0)
			die("-M '%s': not a duration, as 20us, 1ms or 0.5s",
			    optarg);
		setenv("UT_FUNC_LEAST", format("%" PRId64, ns), 1);
		r->nested = 1;
	}
}

static void
options_init(struct record *r, int argc)
{
	r->rule.session = r->session;
	r->rule.channel = CHANNEL;
	r->limit = r->until = -1;
	r->rule.kind = UT_RULE_ALL;
	r->rule.except = calloc((size_t)argc, sizeof(*r->rule.except));
	r->globs = calloc((size_t)argc, sizeof(*r->globs));
	r->pids = calloc((size_t)argc, sizeof(*r->pids));
	if (r->rule.except == NULL || r->globs == NULL || r->pids == NULL)
		die_errno("malloc");
}

static void
attr_usual(struct record *r, size_t i, int with)
{
	const struct attr *a = &attr_table[i];

	r->attrs.v[i] = with ? a->record.with : a->record.usual;
}

int
record_options(struct record *r, int argc, char **argv)
{
	static char every[] = EVERY, stack_deepest[] = "stack/128";
	int ch, mode = 0, clock = 0;

	options_init(r, argc);
	while ((ch = option_first(argc, argv)) != -1) {
		switch (ch) {
		case 'c':
		case 'D':
		case 'M':
			choose_option(r, ch);
			break;
		case 'F':
			r->follow = 1;
			break;
		case 'S':
			r->keeps = 1;
			break;
		case 'g':
		case 'G':
			add_stack(r, ch);
			break;
		case 'o':
			r->out.given = optarg;
			break;
		case 'r':
			r->out.replace = 1;
			break;
		case 'e':
			check_glob(r->globs[r->nglobs++] = optarg);
			break;
		case 'p':
			add_pid(r, optarg);
			break;
		case 'T':
			r->limit = parse_limit(optarg);
			break;
		case 'w':
			r->preload = wrapper_add(r->preload, optarg);
			break;
		default:
			mode |= ch == 'm';
			clock |= ch == 'k';
			if (!rule_option(&r->rule, ch) &&
			    !attr_option(&r->attrs, ch))
				return -1;
		}
	}
	/* A profile is a tree: without the outermost frames it has no root. */
	if (r->contexts[0] == NULL && wrapper_in(r->preload, "cpu"))
		r->contexts[0] = stack_deepest;
	/* Times that -F has printed cannot be refined. */
	if (!clock)
		attr_usual(r, ATTR_CLOCK, r->follow);
	if (r->follow)
		r->attrs.v[ATTR_FLUSH] = FOLLOW_MS;
	/* One lost event of a wrapper makes all later figures doubtful. */
	if (!mode)
		attr_usual(r, ATTR_MODE, r->preload != NULL && !r->keeps);
	rule_check(&r->rule);
	check_attrs(&r->attrs);
	r->argv = argc == optind ? NULL : argv + optind;
	check_options(r);
	if (r->nglobs == 0)
		r->globs[r->nglobs++] = every;
	check_wrappers(r);
	return check_subject(r);
}
