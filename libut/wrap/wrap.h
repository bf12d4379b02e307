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

/* Shared by the libraries that are named in LD_PRELOAD. */

#ifndef WRAP_H
#define WRAP_H

#include <sys/types.h>

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ut.h"
#include "ut_code.h"

/*
 * A thread's own.  This model of TLS needs no memory when a thread first comes
 * here.
 */
#define PER_THREAD	_Thread_local __attribute__((tls_model("initial-exec")))

void	*wrap_next(const char *);
/* The function that the program calls by that name, or NULL. */
void	*wrap_first(const char *);
/*
 * The number that a variable of the environment is; 0: it is none, or greater
 * than that.
 */
uint64_t wrap_number(const char *, uint64_t);
/* Is the address in this library? */
bool	 wrap_ours(const void *);

/*
 * While something is looked up, with the run-time linker's lock and what tells
 * that a thread does so, no handler may come, which might jump away.
 */
void	 wrap_block(sigset_t *);
void	 wrap_unblock(const sigset_t *);

/* Where a module lies. */
struct wrap_range {
	uintptr_t	 low;
	uintptr_t	 size;
};

void	 wrap_range_of(const struct dl_phdr_info *, struct wrap_range *);
/* The ranges of the modules that have these addresses; NULL: of none. */
void	 wrap_ranges(struct wrap_range *, const void *const *, size_t);

static inline bool
wrap_within(const struct wrap_range *ranges, size_t n, const void *addr)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((uintptr_t)addr - ranges[i].low < ranges[i].size)
			return true;
	return false;
}

/* Functions to call before a library is closed, and after, or NULL. */
extern void (*wrap_closing)(void);
extern void (*wrap_closed)(void);

#endif /* WRAP_H */
