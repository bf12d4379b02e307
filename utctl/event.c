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

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "level.h"
#include "utctl.h"

/* A name, also as the programmer writes it, or a number. */
static uint32_t
parse_level(const char *s)
{
	const char *name = s;
	unsigned long n;
	char *end;
	uint32_t i;

	if (strncasecmp(name, "UT_", 3) == 0)
		name += 3;
	else if (strncasecmp(name, "TRACE_", 6) == 0)
		name += 6;
	for (i = 0; i < NLEVELS; i++)
		if (strcasecmp(name, level_names[i]) == 0)
			return i;
	if (isdigit((unsigned char)s[0])) {
		n = strtoul(s, &end, 10);
		if (*end == '\0' && n < NLEVELS)
			return (uint32_t)n;
	}
	errx(1, "level '%s': neither a name like warning nor a number from 0 "
	    "to %d", clean(s), NLEVELS - 1);
}

int
client_enable(struct client *c, const char *session, const char *channel,
    const char *glob, uint32_t rule, uint32_t level)
{
	struct ut_msg *m = client_begin(c, UT_CTL_ENABLE);

	ut_msg_str(m, session);
	ut_msg_str(m, channel);
	ut_msg_str(m, glob);
	ut_msg_u32(m, rule);
	ut_msg_u32(m, level);
	return client_request(c, NULL);
}

static int
client_disable(struct client *c, const char *session, const char *channel,
    const char *glob)
{
	struct ut_msg *m = client_begin(c, UT_CTL_DISABLE);

	ut_msg_str(m, session);
	ut_msg_str(m, channel);
	ut_msg_str(m, glob);
	return client_request(c, NULL);
}

static int
event_command(int argc, char **argv, int enable)
{
	const char *session = "", *channel = "";
	uint32_t rule = UT_RULE_ALL, level = 0;
	struct client *c;
	int ch, i, r = 0;

	while ((ch = getopt(argc, argv, enable ? "+s:c:l:" : "+s:c:")) != -1) {
		switch (ch) {
		case 's':
			check_name("session", session = optarg);
			break;
		case 'c':
			check_name("channel", channel = optarg);
			break;
		case 'l':
			rule = UT_RULE_LEVEL;
			if (optarg[0] == '=') {
				rule = UT_RULE_ONLY;
				optarg++;
			}
			level = parse_level(optarg);
			break;
		default:
			return usage(argv[0]);
		}
	}
	if (optind == argc)
		return usage(argv[0]);
	if ((c = client_open(NULL, 0)) == NULL)
		return 1;
	for (i = optind; i < argc && r == 0; i++)
		r = client_say(c, enable ? client_enable(c, session, channel,
		    argv[i], rule, level) :
		    client_disable(c, session, channel, argv[i]));
	client_close(c);
	return r;
}

int
cmd_enable_event(int argc, char **argv)
{
	return event_command(argc, argv, 1);
}

int
cmd_disable_event(int argc, char **argv)
{
	return event_command(argc, argv, 0);
}
