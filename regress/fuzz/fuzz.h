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
 * What the fuzzers share.  Each has LLVMFuzzerTestOneInput(), which libFuzzer
 * calls, or replay.c.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int	 LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* What is left of the input; where there is no more, all is 0. */
struct input {
	const uint8_t	*p;
	size_t		 n;
};

void	 input_bytes(struct input *, void *, size_t);
uint8_t	 input_u8(struct input *);
uint16_t input_u16(struct input *);
uint32_t input_u32(struct input *);
uint64_t input_u64(struct input *);
/* So many at most: how many, and where they are. */
size_t	 input_some(struct input *, size_t, const uint8_t **);

/* A directory of the fuzzer's own, which goes when it ends. */
const char *fuzz_dir(void);
/* Make a file there that has these bytes. */
void	 fuzz_file(const char *, const void *, size_t);
/* What must not be. */
void	 fuzz_die(const char *) __attribute__((noreturn));

#endif /* FUZZ_H */
