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
 * What `utctl serve' reads: the files of a session, and what a viewer asks.  The
 * input is metadata, a stream and requests, with a line of "----" between one and
 * the next.  A request is a byte for which one it is, and a byte for each of its
 * numbers; or bytes as they are.
 */

#include <sys/socket.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../utctl/serve/viewer.h"
#include "../../utctl/show/live.h"
#include "../../utctl/utctl.h"
#include "fuzz.h"

#define MARK		"\n----\n"
#define MARKLEN		(sizeof(MARK) - 1)
#define REQUESTS	200
#define DATA		(1 << 16)	/* bytes of answers read at a time */

int	 __wrap_nanosleep(const struct timespec *, struct timespec *);
enum live_is __wrap_live_ask(struct live *, const struct row **);

/* Nobody goes on writing the files meanwhile. */
int
__wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	return 0;
}

static struct row	*session;
static struct viewer	*viewer;
static int		 gone;		/* the session is */

/* The session is there until the requests are over. */
enum live_is
__wrap_live_ask(struct live *l, const struct row **s)
{
	(void)l;
	*s = gone ? NULL : session;
	return gone ? LIVE_DESTROYED : LIVE_HERE;
}

static void
trace_again(const struct ctf_trace *old, const struct ctf_trace *new)
{
	if (viewer != NULL)
		vstreams_again(viewer, old, new);
}

/* The session's row, with what source_open() asks for. */
static void
session_make(const char *dir)
{
	if (session != NULL)
		return;
	session = xcalloc(1, sizeof(*session) + 3 * sizeof(session->m[0]));
	session->what = "session";
	session->n = 3;
	session->m[0] = (struct member){ "dir", format("%s", dir), NULL, 0 };
	session->m[1] = (struct member){ "name", format("s"), NULL, 0 };
	session->m[2] = (struct member){ "state", format("active"), NULL, 0 };
}

/* The next part of the input, up to the mark or the end, as a file. */
static void
part(struct input *in, const char *name)
{
	const uint8_t *mark = in->n > 0 ? memmem(in->p, in->n, MARK, MARKLEN) :
	    NULL, *p;
	const size_t n = input_some(in, mark != NULL ?
	    (size_t)(mark - in->p) : in->n, &p);

	fuzz_file(name, p, n);
	if (mark != NULL) {
		in->p += MARKLEN;
		in->n -= MARKLEN;
	}
}

static void
number(uint8_t *p, size_t n, uint64_t v)
{
	while (n-- > 0) {
		p[n] = v & 0xff;
		v >>= 8;
	}
}

/* Two numbers of 8 bytes and one of 4: no request has more. */
static size_t
request(struct input *in, uint8_t *p)
{
	static const uint8_t lens[] = { 0, 20, 0, 20, 8, 20, 8, 8, 0, 8 };
	const uint8_t type = input_u8(in);
	const uint8_t *raw;
	size_t n;

	if (type >= sizeof(lens)) {
		n = input_some(in, type % 48, &raw);
		memcpy(p, raw, n);
		return n;
	}
	memset(p, 0, 36);
	number(p, 8, lens[type]);
	number(p + 8, 4, type);
	if (lens[type] > 0)
		number(p + 16, 8, input_u8(in));
	if (lens[type] > 8) {
		number(p + 24, type == 1 ? 4 : 8, input_u8(in));
		number(p + 32, 4, type == 5 ? 16u * input_u8(in) :
		    input_u8(in));
	}
	return 16 + lens[type];
}

static void
talk(struct input *in, int s)
{
	static uint8_t data[DATA];
	uint8_t p[64];
	int i, more = 1;

	for (i = 0; i < REQUESTS && in->n > 0 && more; i++) {
		(void)send(s, p, request(in, p), MSG_NOSIGNAL | MSG_DONTWAIT);
		do
			more = viewer_turn(viewer);
		while (recv(s, data, sizeof(data), MSG_DONTWAIT) > 0 && more);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	char dir[128];
	int sv[2];

	snprintf(dir, sizeof(dir), "%s/trace", fuzz_dir());
	(void)mkdir(dir, 0700);
	part(&in, "trace/metadata");
	part(&in, "trace/stream");
	session_make(dir);
	gone = 0;
	source_open(dir, trace_again);
	source_look(1);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv) == -1 ||
	    fcntl(sv[0], F_SETFL, O_NONBLOCK) == -1)
		fuzz_die("socketpair");
	viewer = viewer_new(sv[0], size % 2);
	talk(&in, sv[1]);
	viewer_close(viewer);
	viewer = NULL;
	close(sv[1]);
	source_close();
	return 0;
}
