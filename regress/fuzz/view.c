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
 * What `utctl view' reads: metadata and streams.  The first byte of the input
 * is the way to print; then come the metadata and the streams, with a line of
 * "----" between one and the next.
 */

#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/compat.h"
#include "../../utctl/utctl.h"
#include "fuzz.h"

#define MARK		"\n----\n"
#define MARKLEN		(sizeof(MARK) - 1)
#define STREAMS_MAX	4

int	 __wrap_nanosleep(const struct timespec *, struct timespec *);

/* Nobody goes on writing the files meanwhile. */
int
__wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	return 0;
}

/* Nor does the fuzzer give up what it needs. */
void
ut_confine_reader(void)
{
}

/* The next part, up to the mark or the end. */
static size_t
part(struct input *in, const uint8_t **p)
{
	const uint8_t *mark = NULL;
	size_t n;

	if (in->n > 0)
		mark = memmem(in->p, in->n, MARK, MARKLEN);
	n = input_some(in, mark != NULL ? (size_t)(mark - in->p) : in->n, p);
	if (mark != NULL) {
		in->p += MARKLEN;
		in->n -= MARKLEN;
	}
	return n;
}

static void
view(const char *option)
{
	char name[] = "view", dir[128], opt[4];
	char *argv[4] = { name, opt, dir, NULL };

	snprintf(opt, sizeof(opt), "%s", option);
	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
#ifdef __GLIBC__
	optind = 0;
#else
	optind = 1;
#endif
	(void)cmd_view(3, argv);
}

/* What is printed is of no interest. */
static void
begin(void)
{
	static int begun;
	char path[128];
	int fd;

	if (begun)
		return;
	begun = 1;
	snprintf(path, sizeof(path), "%s/trace", fuzz_dir());
	if (mkdir(path, 0700) == -1 ||
	    (fd = open("/dev/null", O_WRONLY)) == -1 || dup2(fd, 1) == -1)
		fuzz_die("set-up");
	close(fd);
	setenv("TZ", "UTC", 1);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const options[] = { "--", "-j", "-q", "-jq" };
	struct input in = { data, size };
	const uint8_t *p;
	const char *option;
	char name[32], path[160];
	size_t n;
	int i;

	begin();
	option = options[input_u8(&in) % 4];
	n = part(&in, &p);
	fuzz_file("trace/metadata", p, n);
	for (i = 0; i < STREAMS_MAX; i++) {
		snprintf(name, sizeof(name), "trace/c_%d", i);
		snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
		if (in.n == 0) {
			unlink(path);
			continue;
		}
		n = part(&in, &p);
		fuzz_file(name, p, n);
	}
	view(option);
	return 0;
}
