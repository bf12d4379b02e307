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
 * What the events of channels say besides their fields.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/context.h"

static void
check_context(const char *name)
{
	char known[128] = "";
	size_t n = 0;
	int i;

	if (context_kind(name) != -1)
		return;
	for (i = 0; i < CONTEXT_OWN; i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s, ",
		    context_table[i].name);
	die("context '%s': unknown: there are %sand %sNAME", name, known,
	    CONTEXT_APP);
}

static int
context_ask(struct client *c, struct step *st)
{
	struct ut_msg *m = client_begin(c, st->type);
	uint32_t n = 0;

	while (st->names[n] != NULL)
		n++;
	ut_msg_str(m, st->session);
	ut_msg_str(m, st->channel);
	ut_msg_u32(m, n);
	for (n = 0; st->names[n] != NULL; n++)
		ut_msg_str(m, st->names[n]);
	return step_say(c, st, client_request(c, NULL));
}

int
parse_add_context(int argc, char **argv, struct step *st)
{
	int ch, i;

	st->type = UT_CTL_CONTEXT;
	st->ask = context_ask;
	while ((ch = option(argc, argv, "+s:c:")) != -1) {
		if (ch == 's')
			check_session(st->session = optarg);
		else if (ch == 'c')
			check_name("channel", st->channel = optarg);
		else
			return usage();
	}
	if (optind == argc)
		return usage();
	for (i = optind; i < argc; i++)
		check_context(argv[i]);
	if (argc - optind > (int)CONTEXT_MAX)
		die("%s: more than %u contexts", argv[0], CONTEXT_MAX);
	st->names = argv + optind;
	return 0;
}

int
cmd_add_context(int argc, char **argv)
{
	return step_run(argc, argv, parse_add_context);
}
