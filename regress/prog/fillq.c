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
 * Connects to a socket until there is no room for more, says whether that came
 * about, and sleeps: fillq path.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX	3000

int
main(int argc, char *argv[])
{
	struct sockaddr_un sun;
	struct rlimit rl;
	int i, s = -1;

	if (argc != 2 || strlen(argv[1]) >= sizeof(sun.sun_path))
		errx(1, "fillq path");
	alarm(120);
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	strcpy(sun.sun_path, argv[1]);
	for (i = 0; i < MAX; i++) {
		if ((s = socket(AF_UNIX, SOCK_STREAM, 0)) == -1)
			break;
		(void)fcntl(s, F_SETFL, O_NONBLOCK);
		if (connect(s, (struct sockaddr *)&sun, sizeof(sun)) == -1)
			break;
	}
	/* NetBSD calls it the same as if nobody listened. */
	printf("%s\n", s != -1 && i > 0 && i < MAX && (errno == EAGAIN ||
	    errno == ECONNREFUSED) ? "full" :
	    "cannot be filled");
	fflush(stdout);
	for (;;)
		pause();
}
