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

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "../utctl.h"

/* A number in decimal, up to that one: 0, or -1. */
static int
parse_number(const char *s, unsigned long max, uint32_t *v)
{
	unsigned long n;
	char *end;

	if (!isdigit((unsigned char)s[0]))
		return -1;
	errno = 0;
	n = strtoul(s, &end, 10);
	if (errno != 0 || *end != '\0' || n > max)
		return -1;
	*v = (uint32_t)n;
	return 0;
}

uint32_t
parse_pid(const char *s)
{
	uint32_t pid;

	if (parse_number(s, INT32_MAX, &pid) == -1 || pid == 0)
		die("process ID '%s': not a number from 1 to %d", s, INT32_MAX);
	return pid;
}

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

/* UT_CTL_TRACK or UT_CTL_UNTRACK. */
static int
client_track(struct client *c, int type, const char *session,
    const struct entry *entries, uint32_t n)
{
	struct ut_msg *m = client_begin(c, type);
	uint32_t i;

	ut_msg_str(m, session);
	ut_msg_u32(m, n);
	for (i = 0; i < n; i++) {
		ut_msg_u32(m, entries[i].kind);
		ut_msg_u32(m, entries[i].number);
		ut_msg_str(m, entries[i].glob);
	}
	return client_request(c, NULL);
}

static int
track_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_track(c, st->type, st->session,
	    st->entries, st->nentries));
}

static int
track_parse(int argc, char **argv, struct step *st, int type,
    const char *known)
{
	int ch, all = 0;

	st->type = type;
	st->ask = track_ask;
	if ((st->entries = calloc((size_t)argc, sizeof(*st->entries))) == NULL)
		die_errno("malloc");
	while ((ch = option(argc, argv, known)) != -1) {
		if (ch == 'a')
			all = 1;
		else if (ch == 's')
			check_session(st->session = optarg);
		else if (track_option(&st->entries[st->nentries], ch))
			st->nentries++;
		else
			return usage();
	}
	if (st->nentries > UT_TRACK_MAX)
		die("%s: more than %d of -p, -u and -n", argv[0],
		    UT_TRACK_MAX);
	if (optind != argc)
		die("%s: '%s' is no option: -n is before the name of a "
		    "program, -p before a process ID, -u before a user",
		    argv[0], argv[optind]);
	if (all != (st->nentries == 0))
		return usage();
	return 0;
}

int
parse_track(int argc, char **argv, struct step *st)
{
	return track_parse(argc, argv, st, UT_CTL_TRACK, "+s:p:u:n:");
}

static int
parse_untrack(int argc, char **argv, struct step *st)
{
	return track_parse(argc, argv, st, UT_CTL_UNTRACK, "+as:p:u:n:");
}

int
cmd_track(int argc, char **argv)
{
	return step_run(argc, argv, parse_track);
}

int
cmd_untrack(int argc, char **argv)
{
	return step_run(argc, argv, parse_untrack);
}
