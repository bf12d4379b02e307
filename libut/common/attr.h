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
 * The attributes of a channel, for utd and utctl: one table, from utctl's
 * option to the member of the JSON object that utctl prints.
 */

#ifndef ATTR_H
#define ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg.h"

/*
 * Requests and the saved state have the values in this order: a new one is the
 * last one, and raises STATE_VERSION.
 */
enum {
	ATTR_SUBSIZE,			/* bytes */
	ATTR_NSUBS,
	ATTR_BUFFERS,			/* UT_BUFFERS_ */
	ATTR_CLOCK,			/* UT_CLOCK_, or in requests the next */
	ATTR_FILESIZE,			/* bytes; 0: never cut */
	ATTR_FILES,			/* most of a stream; 0: keep all */
	ATTR_FLUSH,			/* milliseconds, or ATTR_NEVER */
	ATTR_MODE,			/* UT_MODE_ */
	ATTR_TIMEOUT,			/* milliseconds, or these two; or 0 */
	ATTRS
};

struct attrs {
	uint32_t	 v[ATTRS];	/* in a request, 0 is the default */
};

/* The value of a time that users give, and are shown, as 0. */
#define ATTR_NEVER		UINT32_MAX
/* The value of a time without end, where an attribute can have that. */
#define ATTR_FOREVER		(UINT32_MAX - 1)
#define ATTR_FOREVER_NAME	"forever"
/* The clock that is best here: utd takes one of the others for it. */
#define ATTR_CLOCK_AUTO		2u
/* The most that a writer in block mode waits, unless a time is given. */
#define ATTR_TIMEOUT_USUAL	1000u

/* The commands of utctl that have the option of an attribute. */
#define ATTR_ENABLE	1u		/* enable-channel */
#define ATTR_RECORD	2u		/* record */

struct attr {
	const char	*option;	/* letter, and a value's name */
	unsigned int	 commands;
	const char	*name;		/* in JSON */
	const char	*what;		/* in messages */
	const char	*text;		/* for list, but for the default; %: a
					   number's value */
	const char	*never;		/* for list, in its place for 0 */
	uint32_t	 min, max;
	bool		 bytes;		/* with k or m in messages */
	bool		 power;		/* must be a power of two */
	bool		 time;		/* ms; ATTR_NEVER is valid, too */
	bool		 endless;	/* can be ATTR_FOREVER */
	uint32_t	 usual;		/* the default; 0, which only it may
					   be where min is more: none */
	uint32_t	 usual_pid;	/* the default with -p; 0: the same */
	/* The default of record, but for that with another of its options. */
	struct {
		uint32_t	 usual;
		char		 option;	/* NUL: none */
		uint32_t	 with;
	} record;
	const char	*words[4];	/* for 0, 1, ...; a number has none */
};

extern const struct attr attr_table[ATTRS];

/* A file that is cut has room for a packet, and an empty one before. */
#define ATTR_FILE_REST	512u

/* A sub-buffer has so many bytes of the consumer's at the region's end. */
#define ATTR_SUBBUF_REST	128u

/* Is the value valid, and are all?  If not, the text says why. */
bool	 attr_valid(const struct attr *, uint64_t, char *, size_t);
bool	 attrs_valid(const struct attrs *, char *, size_t);
/* A value as the number that users see, and back; what is no value is 0. */
uint32_t attr_number(const struct attr *, uint32_t);
uint64_t attr_value(const struct attr *, uint64_t);
uint32_t attr_subbufs(uint32_t);	/* the most of that size */
bool	 attrs_block(const struct attrs *);	/* do writers wait? */
void	 attrs_default(struct attrs *);		/* in place of 0 */
void	 attrs_put(struct ut_msg *, const struct attrs *);
void	 attrs_get(struct ut_msg *, struct attrs *);	/* 0: not there */

#endif /* ATTR_H */
