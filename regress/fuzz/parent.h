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
 * The parent of utd in this process, with its real socket and loop.  Its
 * consumers are played: they answer what they are asked.
 */

#ifndef FUZZ_PARENT_H
#define FUZZ_PARENT_H

#include <stdbool.h>

#include "../../utd/parent/link/program.h"
#include "../../utd/parent/talk/listen.h"
#include "../../utd/parent/parent.h"
#include "fuzz.h"

#define NPEERS		4

/* How consumers answer. */
enum { ANSWER_WELL, ANSWER_ERROR, ANSWER_NOT, ANSWER_STUCK, ANSWER_MAX };

extern int null_fd;		/* of /dev/null */

/* peers.c: programs and utctl. */
/* A connection of that user and process; the one before is closed. */
void	 peer_open(unsigned int, uid_t, pid_t);
void	 peer_close(unsigned int);
void	 peer_deaf(unsigned int);	/* or not any more */
bool	 peer_is_open(unsigned int);
/* It answers as a program with so many events does. */
void	 peer_behave(unsigned int, uint32_t);
void	 peer_send(unsigned int, const void *, size_t);
/* Type, a, b, and body from the input, with so many descriptors. */
void	 input_message(struct input *, struct ut_msg *, int, int);
void	 peer_message(unsigned int, struct ut_msg *);
void	 peers_read(void);	/* what they were sent */

/* parent.c: consumers, and the loop. */
void	 consumers_answer(int);
void	 consumer_say(unsigned int, struct ut_msg *);
void	 consumer_kill(unsigned int);

void	 parent_begin(void);
/* Until there is nothing left to do; and let so many ms pass before that. */
void	 parent_run(void);
void	 parent_wait(int);
/* Everybody is gone, all sessions are destroyed. */
void	 parent_reset(void);

#endif /* FUZZ_PARENT_H */
