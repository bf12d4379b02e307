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
 * stutter pid seconds ms: stop the process for so long, let it run for so many
 * milliseconds, and again, until it is gone.  At SIGTERM it goes on.
 */

#include <sys/types.h>

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pid_t pid;

static void
end(int sig)
{
	(void)sig;
	kill(pid, SIGCONT);
	_exit(0);
}

int
main(int argc, char *argv[])
{
	struct timespec on = { 0, 0 };

	if (argc != 4)
		return 1;
	pid = (pid_t)atoi(argv[1]);
	on.tv_nsec = atoi(argv[3]) * 1000000L;
	signal(SIGTERM, end);
	while (kill(pid, SIGSTOP) == 0) {
		sleep((unsigned int)atoi(argv[2]));
		kill(pid, SIGCONT);
		nanosleep(&on, NULL);
	}
	return 0;
}
