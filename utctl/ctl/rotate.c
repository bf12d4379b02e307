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
 * Chunks, which end now or from time to time while a session goes on, and
 * snapshots, which are traces of what the buffers hold.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "list.h"

/* How to cut the session into chunks from now on. */
struct chunks {
	uint32_t	 given;		/* UT_CHUNKS_: which are set */
	uint32_t	 ms;
	uint64_t	 bytes;
	const char	*command;
	uint32_t	 keep;		/* the newest; 0: all */
};

/* A time in ms: seconds, or with ms, s, m or h; 0 is none. */
static uint32_t
parse_time(const char *s)
{
	unsigned long long v;

	if (parse_ms(s, &v) == -1)
		die("time '%s': not a number of seconds, or one with ms, s, m "
		    "or h", s);
	if (v > INT32_MAX)
		die("time '%s': more than %d seconds", s, INT32_MAX / 1000);
	if (v != 0 && v < UT_CHUNK_MS)
		die("time '%s': less than %d ms", s, UT_CHUNK_MS);
	return (uint32_t)v;
}

static uint32_t
parse_keep(const char *s)
{
	uint32_t n;

	if (parse_number(s, UINT32_MAX - 1, &n) == -1)
		die("number '%s': of the parts that are kept, 1 to %u; or 0: "
		    "all", s, UINT32_MAX - 1);
	return n;
}

/* Print when the session is rotated, and the command that runs then. */
void
rotation_print(const struct row *r)
{
	const uint64_t ms = row_num(r, "rotate_ms");
	const uint64_t bytes = row_num(r, "rotate_bytes");
	const uint64_t keep = row_num(r, "rotate_keep");
	const uint64_t n = row_num(r, "chunks");

	if (n == 0 && keep == 0 && ms == 0 && bytes == 0 &&
	    row_str(r, "rotate_command")[0] == '\0')
		return;
	printf("    rotated: %" PRIu64 " chunk%s", n, n == 1 ? "" : "s");
	if (ms != 0)
		printf(ms % 1000 == 0 ? ", every %" PRIu64 " s" :
		    ", every %" PRIu64 " ms", ms % 1000 == 0 ? ms / 1000 : ms);
	if (bytes != 0)
		printf(", at %" PRIu64 " bytes", bytes);
	if (keep != 0)
		printf(", the newest %" PRIu64 " kept", keep);
	if (row_str(r, "rotate_command")[0] != '\0')
		printf(", for each: %s", row_str(r, "rotate_command"));
	putchar('\n');
}

static void
put_rotated(FILE *f, const struct row *r, const char *command)
{
	if (command[0] != '\0')
		put_word(f, " -c ", command);
	put_word(f, " ", row_str(r, "name"));
	putc('\n', f);
}

/* Write when the session rotates itself: a command, perhaps a comment, too. */
void
rotation_save(FILE *f, const struct row *r, int foreign)
{
	const uint64_t ms = row_num(r, "rotate_ms");
	const uint64_t bytes = row_num(r, "rotate_bytes");
	const uint64_t keep = row_num(r, "rotate_keep");
	const char *command = row_str(r, "rotate_command");

	if (row_num(r, "snapshots_keep") != 0) {
		fprintf(f, "snapshot -k %" PRIu64,
		    row_num(r, "snapshots_keep"));
		put_rotated(f, r, "");
	}
	if (ms != 0 || bytes != 0 || keep != 0 ||
	    (command[0] != '\0' && !foreign)) {
		fputs("rotate", f);
		if (ms != 0)
			fprintf(f, " -t %" PRIu64 "ms", ms);
		if (bytes != 0)
			fprintf(f, " -z %" PRIu64, bytes);
		if (keep != 0)
			fprintf(f, " -k %" PRIu64, keep);
		put_rotated(f, r, foreign ? "" : command);
	}
	if (foreign) {
		fputs("# rotate", f);
		put_rotated(f, r, command);
	}
}

static int
rotate_ask(struct client *c, struct step *st)
{
	const struct chunks *k = st->own;
	struct ut_msg *m = client_begin(c, st->type);

	ut_msg_str(m, st->session);
	if (st->type == UT_CTL_CHUNKS) {
		ut_msg_u32(m, k->given);
		ut_msg_u32(m, k->ms);
		ut_msg_u64(m, k->bytes);
		ut_msg_str(m, k->command != NULL ? k->command : "");
		ut_msg_u32(m, k->keep);
	}
	return step_say(c, st, client_request(c, NULL));
}

static int
rotate_parse(int argc, char **argv, struct step *st)
{
	struct chunks *k = step_own(st, sizeof(*k));
	int ch;

	while ((ch = option(argc, argv)) != -1) {
		if (ch == 't') {
			k->ms = parse_time(optarg);
			k->given |= UT_CHUNKS_MS;
		} else if (ch == 'z') {
			k->bytes = parse_bytes(optarg);
			k->given |= UT_CHUNKS_BYTES;
		} else if (ch == 'k') {
			k->keep = parse_keep(optarg);
			k->given |= UT_CHUNKS_KEEP;
		} else if (ch == 'c') {
			k->command = check_command(optarg);
			k->given |= UT_CHUNKS_COMMAND;
		} else {
			return usage();
		}
	}
	if (k->given != 0)
		st->type = UT_CTL_CHUNKS;
	return step_session(argc, argv, st);
}

const struct command cmd_rotate = {
	.name = "rotate", .page = "utctl-session",
	.line = "end a part of the trace, and begin the next",
	.usage = "[-t time] [-z size] [-k count] [-c command] [session]",
	.options = {
	    "-t time\tfrom now on after this time; 0: no more",
	    "-z size\tfrom now on at this size; 0: no more",
	    "-k count\tkeep only the newest parts; 0: all",
	    "-c command\trun it for each part, whose directory is $1"
	},
	.type = UT_CTL_ROTATE,
	.parse = rotate_parse, .ask = rotate_ask, .loads = 1
};

/* NULL is the default.  utd's answer, and a row "snapshot", say where it is. */
int
client_snapshot(struct client *c, const char *session, const char *dir,
    const char *name, const char *command, struct row **rows)
{
	struct ut_msg *m = client_begin(c, UT_CTL_SNAPSHOT);

	ut_msg_str(m, session);
	ut_msg_str(m, dir != NULL ? dir : "");
	ut_msg_str(m, name != NULL ? name : "");
	ut_msg_str(m, command != NULL ? command : "");
	return client_request(c, rows);
}

/* The name of a snapshot in snapshots/, and the command that it runs. */
struct shot {
	struct chunks	 chunks;	/* how many are kept, if given */
	const char	*name;		/* NULL: the default */
	const char	*command;	/* NULL: none */
};

static int
snapshot_ask(struct client *c, struct step *st)
{
	const struct shot *shot = st->own;

	if (st->type == UT_CTL_CHUNKS)
		return rotate_ask(c, st);
	return step_say(c, st, client_snapshot(c, st->session, st->dir,
	    shot->name, shot->command, NULL));
}

static int
snapshot_parse(int argc, char **argv, struct step *st)
{
	struct shot *shot = step_own(st, sizeof(*shot));
	int ch;

	while ((ch = option(argc, argv)) != -1) {
		if (ch == 'o') {
			free(st->dir);
			st->dir = absolute(optarg);
		} else if (ch == 'n') {
			check_name("snapshot", shot->name = optarg);
		} else if (ch == 'k') {
			shot->chunks.keep = parse_keep(optarg);
			shot->chunks.given = UT_CHUNKS_SHOTS;
			st->type = UT_CTL_CHUNKS;
		} else if (ch == 'c') {
			shot->command = check_command(optarg);
		} else {
			return usage();
		}
	}
	if (st->dir != NULL && shot->name != NULL)
		return usage_lacks("-n and -o: one of them");
	return shot->chunks.given != 0 && (st->dir != NULL ||
	    shot->name != NULL || shot->command != NULL) ?
	    usage_lacks("-k: alone, it takes none") :
	    step_session(argc, argv, st);
}

const struct command cmd_snapshot = {
	.name = "snapshot", .page = "utctl-session",
	.line = "write what is in the buffers now as a trace",
	.usage = "[-k count | [-o dir | -n name] [-c command]] [session]",
	.options = {
	    "-o dir\twhere it goes (default: snapshots/ of the session)",
	    "-n name\tits name in snapshots/",
	    "-k count\ttake none; keep the newest from now on; 0: all",
	    "-c command\trun it then; the directory is $1"
	},
	.type = UT_CTL_SNAPSHOT,
	.parse = snapshot_parse, .ask = snapshot_ask, .loads = 1
};
