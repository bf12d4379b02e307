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
 * killed FILE: traces load:one until it is killed, and counts the calls that
 * returned in the file.  It does something else most of the time, or there
 * would be more events than can be written.
 */

#include <sys/types.h>
#include <sys/mman.h>

#include <err.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "load.h"

#define ELSE	1000

int
main(int argc, char *argv[])
{
	_Atomic uint64_t *returned;
	volatile int i;
	int fd, n;

	if (argc != 2)
		errx(1, "killed FILE");
	if ((fd = open(argv[1], O_RDWR | O_CREAT, 0600)) == -1 ||
	    ftruncate(fd, sizeof(*returned)) == -1 ||
	    (returned = mmap(NULL, sizeof(*returned), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0)) == MAP_FAILED)
		err(1, "%s", argv[1]);
	for (n = 1;; n++) {
		EV_ONE(n);
		atomic_store_explicit(returned, (uint64_t)n,
		    memory_order_release);
		for (i = 0; i < ELSE; i++)
			continue;
	}
}
