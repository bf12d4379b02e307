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
 * One message of ut_msg.h, with its descriptors, in or out.
 */

#ifndef MSG_H
#define MSG_H

#include <stddef.h>
#include <stdint.h>

#include "../ut_msg.h"

struct ut_msg {
	size_t			have;	/* bytes read or written so far */
	size_t			pos;	/* next item */
	int			bad;	/* an item did not fit, was not there */
	int			nofds;	/* some came, but we had no room */
	int			fds[UT_MSG_FDS];	/* -1 is none */
	struct ut_msghdr	h;
	unsigned char		body[UT_MSG_MAX - sizeof(struct ut_msghdr)];
};

/* Make one.  What does not fit sets `bad'. */
void	 ut_msg_init(struct ut_msg *, int, uint32_t, uint32_t);
void	 ut_msg_u8(struct ut_msg *, uint8_t);
void	 ut_msg_u32(struct ut_msg *, uint32_t);
void	 ut_msg_u64(struct ut_msg *, uint64_t);
void	 ut_msg_str(struct ut_msg *, const char *);
void	 ut_msg_fd(struct ut_msg *, int);
/* Bytes, or the body of another, with their length before them. */
void	 ut_msg_blob(struct ut_msg *, const void *, size_t);
void	 ut_msg_bytes(struct ut_msg *, const struct ut_msg *);
/*
 * Count one more thing in b; or, if it did not fit, take back what is behind
 * that length and return 0.
 */
int	 ut_msg_fits(struct ut_msg *, uint32_t);

/* Take one apart.  What is not there sets `bad', and is 0 or "". */
uint8_t	 ut_msg_get_u8(struct ut_msg *);
uint32_t ut_msg_get_u32(struct ut_msg *);
uint64_t ut_msg_get_u64(struct ut_msg *);
void	 ut_msg_get_str(struct ut_msg *, char *, size_t);
/* Read what ut_msg_bytes put there, as a message of its own. */
void	 ut_msg_get_bytes(struct ut_msg *, struct ut_msg *);
int	 ut_msg_more(const struct ut_msg *);	/* is there another item? */
int	 ut_msg_get_fd(struct ut_msg *);	/* now yours; -1, errno */

/*
 * Go on reading or writing one: 1 when it is whole, 0 when the socket would
 * block, -1 with errno when there is no more to come (0 is the end of file).
 * Before reading the first byte of another, ut_msg_clear.
 */
void	 ut_msg_clear(struct ut_msg *);		/* closes unclaimed fds */
int	 ut_msg_read(int, struct ut_msg *);
int	 ut_msg_read_bare(int, struct ut_msg *);	/* no descriptors */
int	 ut_msg_write(int, struct ut_msg *);

/*
 * Receive or send, waiting until a time of CLOCK_MONOTONIC in milliseconds (-1
 * is for ever): 0, or -1 with errno; ETIMEDOUT when that time has passed.
 */
int64_t	 ut_msg_now(void);
int	 ut_msg_recv(int, struct ut_msg *, int64_t);
int	 ut_msg_recv_bare(int, struct ut_msg *, int64_t);
int	 ut_msg_send(int, struct ut_msg *, int64_t);

/*
 * A socket connected to utd in that run directory, or -1 with errno: EAGAIN is
 * that the queue of utd was full until the deadline.
 */
int	 ut_msg_connect(const char *, int64_t);

#endif /* MSG_H */
