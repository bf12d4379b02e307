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
 * A library to preload for utd: the consumer of the user LIAR says that there
 * are a million million bytes, whenever it is to tell how many there are.  Each
 * time it adds a byte to the file LIES.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../utd/utd.h"

static int
is_liar(void)
{
	const char *who = getenv("LIAR");

	return who != NULL && geteuid() == (uid_t)atol(who);
}

static void
note(void)
{
	const char *path = getenv("LIES");
	const int fd = path != NULL ? open(path, O_WRONLY | O_APPEND) : -1;

	if (fd == -1 || write(fd, ".", 1) != 1)
		abort();
	close(fd);
}

ssize_t
sendmsg(int s, const struct msghdr *m, int flags)
{
	static const uint64_t many = UINT64_C(1000000000000);
	ssize_t (*real)(int, const struct msghdr *, int);
	struct ut_msghdr *h = m->msg_iov[0].iov_base;

	*(void **)&real = dlsym(RTLD_NEXT, "sendmsg");
	if (is_liar() && m->msg_iovlen > 0 && m->msg_iov[0].iov_len ==
	    sizeof(*h) + sizeof(many) && h->type == UT_C_GREW) {
		memcpy(h + 1, &many, sizeof(many));
		note();
	}
	return real(s, m, flags);
}
