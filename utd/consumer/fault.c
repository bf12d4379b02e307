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
 * Memory that is taken away.  A program can cut off the region that it shares
 * with us, and the bell; who touches what is not there any more gets SIGBUS, or
 * SIGSEGV on older BSDs.
 * Then private memory takes its place, all zeros, which is an empty region:
 * whatever was under way goes on, finds nothing, and the rest goes on too.
 *
 * The handler runs where the memory was touched, never within mmap(2) or
 * malloc(3), and the process has one thread, so it may do what it does.
 */

#include <sys/mman.h>

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "region.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE	0
#endif

static struct shared *watched;

static struct shared *
find(uintptr_t at)
{
	struct shared *s;

	for (s = watched; s != NULL; s = s->next)
		if (at >= (uintptr_t)s->at && at - (uintptr_t)s->at < s->size)
			break;
	return s;
}

/* Elsewhere it is a flaw of ours: it comes again, and is our end. */
static void
on_fault(int sig, siginfo_t *si, void *context)
{
	struct shared *s = find((uintptr_t)si->si_addr);

	(void)context;
	if (s == NULL || mmap(s->at, s->size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
	    MAP_FAILED)
		signal(sig, SIG_DFL);
	else
		s->cut = 1;
}

void
fault_init(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_fault;
	sa.sa_flags = SA_SIGINFO;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
}

void
fault_watch(struct shared *s, void *at, size_t size)
{
	s->at = at;
	s->size = size;
	s->cut = 0;
	s->next = watched;
	watched = s;
}

void
fault_forget(struct shared *s)
{
	LIST_DEL(struct shared, &watched, s, next);
}
