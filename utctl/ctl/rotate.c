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
 * Chunks of a session: the next one begins now, or from time to time.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"

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

static uint64_t
parse_bytes(const char *s)
{
	unsigned long long v;

	if (parse_size(s, &v) == -1)
		die("size '%s': not a number, perhaps with k or m", s);
	return v;
}

static int
rotate_ask(struct client *c, struct step *st)
{
	struct ut_msg *m = client_begin(c, st->type);

	ut_msg_str(m, st->session);
	if (st->type == UT_CTL_CHUNKS) {
		ut_msg_u32(m, st->chunks);
		ut_msg_u32(m, st->ms);
		ut_msg_u64(m, st->bytes);
		ut_msg_str(m, st->command != NULL ? st->command : "");
	}
	return step_say(c, st, client_request(c, NULL));
}

int
parse_rotate(int argc, char **argv, struct step *st)
{
	int ch;

	st->ask = rotate_ask;
	while ((ch = option(argc, argv, "+t:z:c:")) != -1) {
		if (ch == 't') {
			st->ms = parse_time(optarg);
			st->chunks |= UT_CHUNKS_MS;
		} else if (ch == 'z') {
			st->bytes = parse_bytes(optarg);
			st->chunks |= UT_CHUNKS_BYTES;
		} else if (ch == 'c') {
			if (strlen(optarg) > UT_COMMAND_MAX)
				die("command: longer than %d bytes",
				    UT_COMMAND_MAX);
			st->command = optarg;
			st->chunks |= UT_CHUNKS_COMMAND;
		} else {
			return usage();
		}
	}
	st->type = st->chunks != 0 ? UT_CTL_CHUNKS : UT_CTL_ROTATE;
	if (argc - optind > 1)
		return usage();
	if (argc > optind)
		check_session(st->session = argv[optind]);
	return 0;
}

int
cmd_rotate(int argc, char **argv)
{
	return step_run(argc, argv, parse_rotate);
}

static int
parse_clear(int argc, char **argv, struct step *st)
{
	return session_parse(argc, argv, st, UT_CTL_CLEAR);
}

int
cmd_clear(int argc, char **argv)
{
	return step_run(argc, argv, parse_clear);
}
