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
 * What utd answers to utctl.  The first byte of the input is the command, the
 * second whether HELLO is answered as it ought to be; then come messages: u8
 * type, u8 a, u8 b, u8 length of the body, the body.  A type that is none is
 * for bytes as they are.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/common/compat.h"
#include "../../utctl/utctl.h"
#include "fuzz.h"

static const struct call {
	const struct command *command;
	const char *args[4];
} commands[] = {
	{ &cmd_list,		{ "list" } },
	{ &cmd_list,		{ "list", "s" } },
	{ &cmd_list,		{ "list", "-j", "s" } },
	{ &cmd_events,		{ "events" } },
	{ &cmd_events,		{ "events", "-j" } },
	{ &cmd_create,		{ "create", "-o/tmp", "s" } },
	{ &cmd_stop,		{ "stop", "s" } },
	{ &cmd_enable_event,	{ "enable-event", "a*", "b*" } },
	{ &cmd_status,		{ "status" } },
	{ &cmd_status,		{ "status", "-j" } },
	{ &cmd_destroy,		{ "destroy", "-a" } },
	{ &cmd_save,		{ "save" } },
	{ &cmd_save,		{ "save", "s" } },
	{ &cmd_save,		{ "save", "s", "t" } },
	{ &cmd_start,		{ "start" } },
	{ &cmd_destroy,		{ "destroy", "s" } },
};

static struct input in;
static struct ut_msg m;

int	 __wrap_ut_msg_connect(const char *, int64_t);
void	 __wrap_ut_confine_reader(int);
int	 __wrap_ut_peer(int, uid_t *, gid_t *, pid_t *);

/* The reader of traces is not called, and gives nothing up. */
void
__wrap_ut_confine_reader(int writes)
{
	(void)writes;
}

static void
tell(int s, const void *p, size_t n)
{
	(void)send(s, p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void
say_message(int s)
{
	static const uint16_t types[] = {
		UT_CTL_ROW, UT_CTL_ROW, UT_CTL_OK, UT_CTL_ERR, UT_CTL_PROGRESS
	};
	struct ut_msghdr h;
	const uint8_t *body;
	const uint8_t type = input_u8(&in);
	size_t n;

	memset(&h, 0, sizeof(h));
	h.a = input_u8(&in);
	h.b = input_u8(&in);
	n = input_some(&in, input_u8(&in), &body);
	if (type < sizeof(types) / sizeof(types[0])) {
		h.type = types[type];
		h.len = (uint32_t)(sizeof(h) + n);
		tell(s, &h, sizeof(h));
	}
	tell(s, body, n);
}

/* All that utd will ever say is there already. */
int
__wrap_ut_msg_connect(const char *dir, int64_t deadline)
{
	const int room = 1 << 20;
	int pair[2];

	(void)dir;
	(void)deadline;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 ||
	    ut_nonblock(pair[0]) == -1)
		fuzz_die("socketpair");
	(void)setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (input_u8(&in) % 8 != 0) {
		ut_msg_init(&m, UT_CTL_OK, UT_MSG_VERSION, 0);
		ut_msg_str(&m, "");
		(void)ut_msg_send(pair[1], &m, -1);
	}
	while (in.n > 0)
		say_message(pair[1]);
	(void)shutdown(pair[1], SHUT_WR);
	/* What utctl says is of no interest; the other end stays open. */
	if (dup2(pair[1], 200) == -1)
		fuzz_die("dup2");
	close(pair[1]);
	return pair[0];
}

int
__wrap_ut_peer(int s, uid_t *uid, gid_t *gid, pid_t *pid)
{
	(void)s;
	*uid = geteuid();
	*gid = getegid();
	*pid = getpid();
	return 0;
}

static void
begin(void)
{
	static int begun;
	int fd;

	if (begun)
		return;
	begun = 1;
	if ((fd = open("/dev/null", O_WRONLY)) == -1 || dup2(fd, 1) == -1)
		fuzz_die("set-up");
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct call *c;
	char text[4][16], *argv[5];
	int i;

	begin();
	in.p = data;
	in.n = size;
	c = &commands[input_u8(&in) % (sizeof(commands) / sizeof(*commands))];
	for (i = 0; i < 4 && c->args[i] != NULL; i++) {
		snprintf(text[i], sizeof(text[i]), "%s", c->args[i]);
		argv[i] = text[i];
	}
	argv[i] = NULL;
#ifdef __GLIBC__
	optind = 0;
#else
	optind = 1;
#endif
	(void)step_run(c->command, i, argv);
	close(200);
	return 0;
}
