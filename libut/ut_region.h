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
 * The regions that the program is attached to (region.c).  All under ut_lock.
 */

#ifndef UT_REGION_H
#define UT_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/context.h"
#include "ut_priv.h"

/* Our program, as the utd of a connection knows it. */
struct known {
	int		 conn;		/* number of the connection */
	uint64_t	 owner;		/* our number there */
	int64_t		 ahead;		/* ns, of utd's clock: ut_clock_ahead */
	char		 name[NAME_MAX_LEN];	/* known to utd */
};

int		 ut_region_attach(const struct known *, uint32_t, int, int,
		    const char *, const struct contexts *, bool *);
int		 ut_region_find(int, uint32_t);
bool		 ut_region_again(int, uint32_t, int);
void		 ut_regions_keep(int);
void		 ut_regions_drop(int, uint32_t);
void		 ut_region_detach(unsigned int);
bool		 ut_region_settle(int);
void		 ut_region_forked(void);
void		 ut_regions_unheard(void);
bool		 ut_regions_any(void);		/* is one attached? */

#endif /* UT_REGION_H */
