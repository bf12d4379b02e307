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
 * A command that reads traces and shows what is in them.
 */

#ifndef SHOW_H
#define SHOW_H

#include <stdint.h>

#include "../ctf/reader.h"
#include "../ctf/select.h"
#include "../json.h"
#include "../sym/symbols.h"
#include "../utctl.h"

/* Arguments of all these commands, behind their own options. */
#define SHOW_USAGE	SYMBOLS_USAGE " " SELECT_USAGE " [dir | session] ..."
#define SHOW_HELP	SYMBOLS_HELP, SELECT_HELP

struct show {
	/* An option that is not one of all, with optarg: 0 if it is none. */
	int	(*option)(int);
	/* Check all options together, and die if they are wrong; or NULL. */
	void	(*check)(void);
	/* An option: if it is set, no address needs a name.  Or NULL. */
	const int *quiet;
	/* Before the process is confined, with the directories; or NULL. */
	void	(*begin)(struct reader *, struct reader_dir *);
	/* Read and print; the exit status, if nothing is damaged. */
	int	(*run)(struct reader *, struct reader_dir *);
	/* Say what is not certain, or not there. */
	void	(*say)(const struct reader *);
	void	(*end)(void);
};

int	 show(const struct show *, int, char **);
/* The number of -J; dies if it is none. */
uint32_t cores_option(const char *);
/* With the options: the command writes files, too. */
void	 show_writes(void);
/*
 * With the check of options: on a terminal a pager shows what is printed.  If
 * nothing is until all is read, it is said how far reading is.
 */
void	 show_paged(int);
/* Take -j, or -a, which sets the flag: 0 if the option is neither. */
int	 show_all_option(int, int *);
/* Is there anything to print?  Not if no trace can be read. */
int	 show_any(const struct reader *);
/* Events, and how many were lost: a line, or the first members of an object. */
void	 show_totals(const struct reader *);
/* Directories with offsets: a line for each, or a member if there are any. */
void	 show_move(const struct ctf_move *);
void	 show_moved(const struct reader *);
/* A count: a member, or if it is not 0, a line with what is around it. */
void	 show_count(const char *, uint64_t, const char *, const char *);
/* The first and the last time, if there are any, and what ends the line. */
void	 show_span(int64_t, int64_t, const char *);

#endif /* SHOW_H */
