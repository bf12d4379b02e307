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
 * Without libFuzzer: the inputs are the files that the arguments name.
 */

#include <sys/time.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define INPUT_MAX	(1 << 20)
#define PATIENCE	20		/* seconds of the processor, for one */

static void
replay(const char *path)
{
	const struct itimerval it = { { 0, 0 }, { PATIENCE, 0 } };
	uint8_t *buf;
	size_t n;
	FILE *f;

	if ((f = fopen(path, "rb")) == NULL)
		err(1, "%s", path);
	if ((buf = malloc(INPUT_MAX)) == NULL)
		err(1, NULL);
	n = fread(buf, 1, INPUT_MAX, f);
	fclose(f);
	/* Not a byte more than there are, for who looks at bounds. */
	if (n > 0 && (buf = realloc(buf, n)) == NULL)
		err(1, NULL);
	setitimer(ITIMER_PROF, &it, NULL);
	(void)LLVMFuzzerTestOneInput(buf, n);
	free(buf);
}

int
main(int argc, char *argv[])
{
	int i;

	for (i = 1; i < argc; i++) {
		fprintf(stderr, "%s\n", argv[i]);
		replay(argv[i]);
	}
	return 0;
}
