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
 * A program that uses up its descriptors, of which it may have few.  Obeys
 * lines: `full' opens all there can be, `free' closes them, `hit n' has n
 * events, `time' tells the milliseconds of processor time that it has used.
 */

#include <sys/resource.h>

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(nofiles, hit, UT_INFO, UT_INT(n))

#define MAX	64

static int fds[MAX], nfds;

static void
all(void)
{
	while (nfds < MAX &&
	    (fds[nfds] = open("/dev/null", O_RDONLY)) != -1)
		nfds++;
}

int
main(void)
{
	struct rlimit rl = { MAX, MAX };
	char line[64];
	int i, n = 0;

	if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
		err(1, "setrlimit");
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strncmp(line, "full", 4) == 0) {
			all();
			printf("%d\n", nfds);
		} else if (strncmp(line, "free", 4) == 0) {
			while (nfds > 0)
				close(fds[--nfds]);
			printf("free\n");
		} else if (strncmp(line, "hit ", 4) == 0) {
			for (i = atoi(line + 4); i > 0; i--)
				UT(nofiles, hit, ++n);
			printf("%d\n", n);
		} else {
			printf("%ld\n", (long)((double)clock() * 1000 /
			    CLOCKS_PER_SEC));
		}
		fflush(stdout);
	}
	if (ferror(stdin))
		err(1, "stdin");
	return 0;
}
