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
 * Channels of a session, and what their events say besides their fields.
 */

#include <unistd.h>

#include "../utctl.h"
#include "common/context.h"

int
client_channel(struct client *c, int type, const char *session,
    const char *channel, const struct attrs *attrs)
{
	struct ut_msg *m = client_begin(c, type);

	ut_msg_str(m, session);
	ut_msg_str(m, channel);
	if (type == UT_CTL_CHANNEL)
		attrs_put(m, attrs);
	return client_request(c, NULL);
}

static int
channel_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_channel(c, st->type, st->session,
	    st->channel, st->own));
}

static int
channel_parse(int argc, char **argv, struct step *st)
{
	struct attrs *attrs = step_own(st, sizeof(*attrs));
	int ch;

	while ((ch = option(argc, argv)) != -1)
		if (!step_option(st, ch) && !attr_option(attrs, ch))
			return usage();
	if (argc - optind != 1)
		return usage_lacks("name one channel");
	check_name("channel", st->channel = argv[optind]);
	check_attrs(attrs);
	return 0;
}

const struct command cmd_enable_channel = {
	.name = "enable-channel", .page = "utctl-session",
	.line = "make a channel, with buffers of its own",
	.usage = "[-s session] channel",
	.options = { SESSION_HELP }, .attrs = ATTR_ENABLE,
	.type = UT_CTL_CHANNEL,
	.parse = channel_parse, .ask = channel_ask, .loads = 1
};

const struct command cmd_disable_channel = {
	.name = "disable-channel", .page = "utctl-session",
	.line = "record nothing into a channel",
	.usage = "[-s session] channel",
	.options = { SESSION_HELP },
	.type = UT_CTL_CHOFF,
	.parse = channel_parse, .ask = channel_ask, .loads = 1
};

const struct command cmd_remove_channel = {
	.name = "remove-channel", .page = "utctl-session",
	.line = "write the buffers of a channel, and free them",
	.usage = "[-s session] channel",
	.options = { SESSION_HELP },
	.type = UT_CTL_CHREMOVE,
	.parse = channel_parse, .ask = channel_ask
};

static const char *
known_context(size_t i)
{
	return i == CONTEXT_STACK ? "stack[/DEPTH]" :
	    i < CONTEXT_OWN ? context_table[i].name :
	    i == CONTEXT_OWN ? CONTEXT_APP "NAME" : NULL;
}

/* The names end with NULL. */
int
client_context(struct client *c, const char *session, const char *channel,
    char *const *names)
{
	struct ut_msg *m = client_begin(c, UT_CTL_CONTEXT);
	uint32_t n = 0;

	while (names[n] != NULL)
		n++;
	ut_msg_str(m, session);
	ut_msg_str(m, channel);
	ut_msg_u32(m, n);
	for (n = 0; names[n] != NULL; n++)
		ut_msg_str(m, names[n]);
	return client_request(c, NULL);
}

static int
context_ask(struct client *c, struct step *st)
{
	return step_say(c, st, client_context(c, st->session, st->channel,
	    st->names));
}

static int
context_parse(int argc, char **argv, struct step *st)
{
	int ch, i;

	while ((ch = option(argc, argv)) != -1)
		if (!step_option(st, ch))
			return usage();
	if (optind == argc)
		return usage_lacks("name a context");
	for (i = optind; i < argc; i++)
		if (context_kind(argv[i]) == -1)
			die("context '%s': unknown: there are %s", argv[i],
			    names_text(known_context));
	if (argc - optind > (int)CONTEXT_MAX)
		die("%s: more than %u contexts", argv[0], CONTEXT_MAX);
	st->names = argv + optind;
	return 0;
}

const struct command cmd_add_context = {
	.name = "add-context", .page = "utctl-session",
	.line = "record the processor, the caller and so on with events",
	.usage = "[-s session] [-c channel] name ...",
	.options = { SESSION_HELP, CHANNEL_HELP },
	.type = UT_CTL_CONTEXT,
	.parse = context_parse, .ask = context_ask, .loads = 1
};
