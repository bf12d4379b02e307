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
 * The version of LTTng-UST whose macros are here, and what that library has to
 * be told of processes and threads, which libut finds out: ust-fork.h,
 * ust-config.h, ust-thread.h and ust-version.h are one file.
 */

#ifndef LTTNG_UST_FORK_H
#define LTTNG_UST_FORK_H

#include <signal.h>

#define LTTNG_UST_MAJOR_VERSION		2
#define LTTNG_UST_MINOR_VERSION		13
#define LTTNG_UST_PATCHLEVEL_VERSION	0
#define LTTNG_UST_VERSION		"2.13.0"

#define lttng_ust_before_fork(signals)		((void)(signals))
#define lttng_ust_after_fork_parent(signals)	((void)(signals))
#define lttng_ust_after_fork_child(signals)	((void)(signals))
#define lttng_ust_after_setns()			((void)0)
#define lttng_ust_after_unshare()		((void)0)
#define lttng_ust_after_setuid()		((void)0)
#define lttng_ust_after_setgid()		((void)0)
#define lttng_ust_after_seteuid()		((void)0)
#define lttng_ust_after_setegid()		((void)0)
#define lttng_ust_after_setreuid()		((void)0)
#define lttng_ust_after_setregid()		((void)0)
#define lttng_ust_after_setresuid()		((void)0)
#define lttng_ust_after_setresgid()		((void)0)
#define lttng_ust_init_thread()			((void)0)

#endif /* LTTNG_UST_FORK_H */
