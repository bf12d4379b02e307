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
 * A cycle counter that fails when it is told to: clock.h of libut includes this
 * where UT_CYCLES_H names it.  It is made of CLOCK_MONOTONIC, by what is in the
 * file COUNTER, which prog/counter writes.
 */

#include <sys/mman.h>

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#define UT_HAVE_CYCLES	1
#define UT_CYCLES_NAMES	"tsc"
#define UT_CYCLES_MADE	NULL

/* The counter was `cycles' at `ns', and has that many in 1000 ns since. */
struct counter_course {
	uint64_t	 ns, cycles, rate;
	uint64_t	 skew;		/* more, on processors with odd numbers */
};

struct counter {
	atomic_uint	 current;
	struct counter_course course[2];
};

static inline struct counter *
counter_open(void)
{
	static struct counter *_Atomic known;
	struct counter *c = atomic_load(&known);
	int fd;

	if (c != NULL)
		return c;
	fd = open(COUNTER, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd == -1 || ftruncate(fd, sizeof(*c)) == -1)
		_exit(9);
	c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (c == MAP_FAILED)
		_exit(9);
	atomic_store(&known, c);
	return c;
}

static inline uint64_t
counter_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* At first it is three for each nanosecond, and has begun long ago. */
static inline uint64_t
counter_at(const struct counter_course *c, uint64_t ns)
{
	if (c->cycles == 0)
		return 3 * ns + (UINT64_C(1) << 50);
	return c->cycles + (ns - c->ns) / 1000 * c->rate +
	    (ns - c->ns) % 1000 * c->rate / 1000 +
	    (c->skew != 0 && sched_getcpu() % 2 == 1 ? c->skew : 0);
}

static inline uint64_t
ut_cycles(void)
{
	struct counter *c = counter_open();
	const uint64_t ns = counter_ns();

	return counter_at(&c->course[atomic_load(&c->current)], ns);
}

static inline bool
ut_cycles_invariant(void)
{
	return true;
}
