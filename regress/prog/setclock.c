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
 * What is linked into utd in place of ut_clock_gettime(), by --wrap: clocks
 * that are set, of a machine that sleeps.  The file CLOCKS, of 64 bytes, has in
 * words how many seconds CLOCK_REALTIME and CLOCK_BOOTTIME are ahead.
 */

#include <sys/mman.h>

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int	 __real_ut_clock_gettime(clockid_t, struct timespec *);
int	 __wrap_ut_clock_gettime(clockid_t, struct timespec *);

int
__wrap_ut_clock_gettime(clockid_t clock, struct timespec *ts)
{
	static const char *text;
	const int r = __real_ut_clock_gettime(clock, ts);
	long real, slept;
	char *end;
	int fd;

	if (text == NULL) {
		fd = open(CLOCKS, O_RDONLY | O_CLOEXEC);
		text = mmap(NULL, 64, PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
		if (text == MAP_FAILED)
			_exit(9);
	}
	real = strtol(text, &end, 10);
	slept = strtol(end, NULL, 10);
	if (clock == CLOCK_REALTIME)
		ts->tv_sec += real + slept;
	else if (clock == CLOCK_BOOTTIME)
		ts->tv_sec += slept;
	return r;
}
