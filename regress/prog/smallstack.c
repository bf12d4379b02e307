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
 * Events in handlers on an alternate stack, the first of the thread and of the
 * program: how many bytes of stack does each kind take?  Prints the most, of
 * what is more than a handler takes that does nothing.
 */

#include <sys/mman.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ut.h>

UT_EVENT(smallstack, one, UT_INFO, UT_INT(n))
UT_EVENT(smallstack, all, UT_INFO, UT_STR(s), UT_TEXT(t, 8), UT_BYTES(b),
    UT_ARRAY(int, a, 4), UT_F64(d))

#define SIZE	65536
#define PAINT	0xa5

static unsigned char *stack;
static volatile int which;

static void
handler(int sig)
{
	static const int a[4];

	if (which == 1)
		UT(smallstack, one, sig);
	else if (which == 2)
		UT(smallstack, all, "text", "text", "bytes", (size_t)5, a,
		    1.5);
}

static size_t
used(int n)
{
	size_t i;

	which = n;
	memset(stack, PAINT, SIZE);
	raise(SIGUSR1);
	for (i = 0; i < SIZE && stack[i] == PAINT; i++)
		continue;
	return SIZE - i;
}

int
main(int argc, char *argv[])
{
	struct sigaction sa;
	size_t least, n, most = 0;
	stack_t ss;
	int i, events = argc > 1 ? atoi(argv[1]) : 1000;

	stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(&ss, 0, sizeof(ss));
	ss.ss_sp = (void *)stack;
	ss.ss_size = SIZE;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = SA_ONSTACK;
	if (stack == MAP_FAILED || sigaltstack(&ss, NULL) == -1 ||
	    sigaction(SIGUSR1, &sa, NULL) == -1)
		return 1;
	least = used(0);
	for (i = 0; i < events; i++) {
		n = used(1 + i % 2);
		if (n > least && n - least > most)
			most = n - least;
	}
	printf("%zu\n", most);
	return 0;
}
