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
 * The packets of a stream file as utd writes it: prints where each begins
 * and its length.  -t cuts the file to its whole packets; -x n turns over
 * one bit of byte n.
 */

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD	64		/* up to and with packet_size */

static void
flip(int fd, off_t at)
{
	unsigned char c;

	if (pread(fd, &c, 1, at) != 1)
		errx(1, "no byte %ld", (long)at);
	c = (unsigned char)(c ^ 1 << at % 8);
	if (pwrite(fd, &c, 1, at) != 1)
		err(1, "write");
}

static void
packets(int fd, int cut)
{
	unsigned char head[HEAD];
	uint32_t magic;
	uint64_t bits;
	off_t at = 0, end = lseek(fd, 0, SEEK_END);

	while (pread(fd, head, HEAD, at) == HEAD) {
		memcpy(&magic, head, sizeof(magic));
		memcpy(&bits, head + 56, sizeof(bits));
		if (magic != 0xc1fc1fc1 || bits == 0)
			errx(1, "no packet at byte %ld", (long)at);
		if (at + (off_t)(bits / 8) > end)
			break;
		if (!cut)
			printf("%ld %ld\n", (long)at, (long)(bits / 8));
		at += (off_t)(bits / 8);
	}
	if (cut && ftruncate(fd, at) == -1)
		err(1, "ftruncate");
}

int
main(int argc, char *argv[])
{
	int c, fd, cut = 0;
	off_t byte = -1;

	while ((c = getopt(argc, argv, "tx:")) != -1) {
		if (c == 't')
			cut = 1;
		else if (c == 'x')
			byte = (off_t)atol(optarg);
		else
			return 1;
	}
	for (; optind < argc; optind++) {
		if ((fd = open(argv[optind], O_RDWR)) == -1)
			err(1, "%s", argv[optind]);
		if (byte != -1)
			flip(fd, byte);
		else
			packets(fd, cut);
		close(fd);
	}
	return 0;
}
