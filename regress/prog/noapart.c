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
 * Runs a command in which no thread can have descriptors of its own, so that
 * a program that closes all of its own closes the library's as well:
 * noapart [-p] command [argument ...].  Where a thread cannot have them anyway,
 * it does nothing else.  With -p, poll(2) is refused instead.
 */

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <stddef.h>
#endif

#include <err.h>
#include <string.h>
#include <unistd.h>

/* Linux has poll(2) under other names, and for some processors just these. */
#if !defined(SYS_poll)
#define SYS_poll		SYS_ppoll
#endif
#if !defined(SYS_ppoll_time64)
#define SYS_ppoll_time64	SYS_ppoll
#endif

static void
forbid(int polls)
{
#if defined(SYS_close_range)
	const unsigned int no[] = { polls ? SYS_poll : SYS_close_range,
	    polls ? SYS_ppoll : SYS_close_range,
	    polls ? SYS_ppoll_time64 : SYS_close_range };
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no[0], 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no[1], 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no[2], 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = {
		sizeof(filter) / sizeof(filter[0]), filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == -1)
		err(2, "prctl");
#else
	(void)polls;
#endif
}

int
main(int argc, char *argv[])
{
	const int polls = argc > 1 && strcmp(argv[1], "-p") == 0;

	argc -= polls;
	argv += polls;
	if (argc < 2)
		errx(2, "usage: noapart [-p] command [argument ...]");
	forbid(polls);
	execv(argv[1], argv + 1);
	err(2, "%s", argv[1]);
}
