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
 * Something in the place of utd: fakeutd dir version.  It answers every
 * hello with that version and hangs up, or with version 0 only hangs up.
 * Prints a line for each connection: the type of the first message.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"

static void
answer(int s, uint32_t version)
{
	static const unsigned char body[8] = { 1 };
	struct ut_msghdr in, out;
	unsigned char buf[sizeof(out) + sizeof(body)];

	if (recv(s, &in, sizeof(in), MSG_WAITALL) != sizeof(in))
		return;
	printf("%d\n", in.type);
	if (version == 0)
		return;
	memset(&out, 0, sizeof(out));
	out.type = in.type == UT_CTL_HELLO ? UT_CTL_OK : UT_MSG_WELCOME;
	out.a = version;
	out.len = sizeof(out) + (out.type == UT_CTL_OK ? 2 : sizeof(body));
	memcpy(buf, &out, sizeof(out));
	if (out.type == UT_CTL_OK)
		memset(buf + sizeof(out), 0, sizeof(body));
	else
		memcpy(buf + sizeof(out), body, sizeof(body));
	(void)send(s, buf, out.len, MSG_NOSIGNAL);
}

int
main(int argc, char *argv[])
{
	struct sockaddr_un sun;
	char fifo[200];
	int c, s;

	if (argc != 3)
		errx(1, "fakeutd dir version");
	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", argv[1],
	    UT_SOCKET);
	snprintf(fifo, sizeof(fifo), "%s/%s", argv[1], UT_FIFO);
	(void)mkfifo(fifo, 0600);
	if (open(fifo, O_RDWR) == -1)
		err(1, "%s", fifo);
	if ((s = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    bind(s, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    listen(s, 100) == -1)
		err(1, "%s", sun.sun_path);
	while ((c = accept(s, NULL, NULL)) != -1) {
		answer(c, (uint32_t)atoi(argv[2]));
		close(c);
	}
	err(1, "accept");
}
