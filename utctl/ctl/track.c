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
 * Which programs a session records.
 */

#include <sys/types.h>

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "list.h"

struct entry {
	uint32_t	 kind;		/* UT_TRACK_ */
	uint32_t	 number;
	const char	*glob;
};

struct tracked {
	uint32_t	 n;
	struct entry	 v[];		/* has room for all arguments */
};

/* A name, or a number that need not have a name. */
static uint32_t
parse_user(const char *s)
{
	const struct passwd *pw = getpwnam(s);
	uint32_t uid;

	if (pw != NULL)
		return (uint32_t)pw->pw_uid;
	if (parse_number(s, UINT32_MAX - 1, &uid) == -1)
		die("user '%s': unknown", s);
	return uid;
}

/* A number is that of a process or a user. */
void
tracked_print(const struct row *r)
{
	printf("    tracked: %s ", row_str(r, "kind"));
	if (strcmp(row_str(r, "kind"), "name") == 0)
		puts(row_str(r, "value"));
	else
		printf("%" PRIu64 "\n", row_num(r, "value"));
}

/* Write one command for all that the session tracks. */
void
tracked_save(FILE *f, const struct row *r)
{
	const struct row *c;
	const char *kind;
	int any = 0;

	for (c = r->child; (c = row_first(c, "tracked")) != NULL; c = c->next) {
		if (!any)
			put_word(f, "track -s ", row_str(r, "name"));
		any = 1;
		kind = row_str(c, "kind");
		if (strcmp(kind, "name") == 0)
			put_word(f, " -n ", row_str(c, "value"));
		else
			fprintf(f, " -%c %u", kind[0],
			    (unsigned int)row_num(c, "value"));
	}
	if (any)
		putc('\n', f);
}

/* Take an option: 1; 0 if it is none that names programs. */
static int
track_option(struct entry *e, int letter)
{
	e->number = 0;
	e->glob = "";
	switch (letter) {
	case 'p':
		e->kind = UT_TRACK_PID;
		e->number = parse_pid(optarg);
		return 1;
	case 'u':
		e->kind = UT_TRACK_UID;
		e->number = parse_user(optarg);
		return 1;
	case 'n':
		e->kind = UT_TRACK_NAME;
		check_program(e->glob = optarg);
		return 1;
	default:
		return 0;
	}
}

static int
track_ask(struct client *c, struct step *st)
{
	const struct tracked *t = st->own;
	struct ut_msg *m = client_begin(c, st->type);
	uint32_t i;

	ut_msg_str(m, st->session);
	ut_msg_u32(m, t->n);
	for (i = 0; i < t->n; i++) {
		ut_msg_u32(m, t->v[i].kind);
		ut_msg_u32(m, t->v[i].number);
		ut_msg_str(m, t->v[i].glob);
	}
	return step_say(c, st, client_request(c, NULL));
}

static int
track_parse(int argc, char **argv, struct step *st)
{
	struct tracked *t = step_own(st, sizeof(*t) +
	    (size_t)argc * sizeof(t->v[0]));
	int ch, all = 0;

	while ((ch = option(argc, argv)) != -1) {
		if (ch == 'a')
			all = 1;
		else if (track_option(&t->v[t->n], ch))
			t->n++;
		else if (!step_option(st, ch))
			return usage();
	}
	if (t->n > UT_TRACK_MAX)
		die("%s: more than %d of -p, -u and -n", argv[0],
		    UT_TRACK_MAX);
	if (optind != argc)
		die("%s: '%s' is no option: -n is before the name of a "
		    "program, -p before a process ID, -u before a user",
		    argv[0], argv[optind]);
	return all == (t->n == 0) ? 0 : usage_lacks(all ?
	    "-a: without -p, -u and -n" : "say what with -p, -u or -n");
}

#define TRACK_USAGE	"[-p pid] ... [-u user] ... [-n 'glob'] ..."
#define TRACK_HELP \
	SESSION_HELP, \
	"-p pid\tthis process", \
	"-u user\tprograms of this user"

const struct command cmd_track = {
	.name = "track", .page = "utctl-session",
	.line = "record only some programs",
	.usage = "[-s session] " TRACK_USAGE,
	.options = { TRACK_HELP, "-n glob\tprograms whose names match" },
	.type = UT_CTL_TRACK,
	.parse = track_parse, .ask = track_ask, .loads = 1
};

const struct command cmd_untrack = {
	.name = "untrack", .page = "utctl-session",
	.line = "no longer record only some programs",
	.usage = "[-s session] -a | " TRACK_USAGE,
	.options = {
	    TRACK_HELP, "-n glob\tprograms with this pattern",
	    "-a\trecord all programs again"
	},
	.type = UT_CTL_UNTRACK,
	.parse = track_parse, .ask = track_ask
};
