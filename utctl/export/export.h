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
 * utctl export: what its formats share.
 */

#ifndef EXPORT_H
#define EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../ctf/reader.h"
#include "../held/weigh.h"
#include "../show/pair.h"

/*
 * The formats; the pairs of -D have been added.  Each reads all and writes it:
 * one that prints as print.h does calls ctf_print_init() before, text_trace()
 * for each trace that it comes to, and ctf_print_flush() at the end.
 */
void	 export_folded(struct reader *, struct pairs *, const char *);
/* Time lines: timeline.h.  The string is a field whose values are drawn. */
void	 export_chrome(struct reader *, struct pairs *, const char *);
void	 export_perfetto(struct reader *, struct pairs *, const char *);
/* Spans, of the same pairs; and logs, of all other events and of losses. */
void	 export_otlp(struct reader *, struct pairs *, const char *);
void	 export_otlp_logs(struct reader *, struct pairs *, const char *);

/* Formats of call stacks, which have weights; these read the directories. */
int	 export_weighed(struct reader *, struct reader_dir *, struct pairs *,
	    enum weight);
int	 export_pprof(struct reader *, struct reader_dir *, struct pairs *,
	    enum weight);

/* A trace: what is read of these directories, into that one. */
void	 export_ctf(struct reader *, struct reader_dir *, const char *);

/*
 * export_dir.c: the directory that is written, which must be new, or empty.
 * Paths are below it.  Whatever fails ends utctl.
 */
void	 export_dir(const char *);
FILE	*export_dir_file(const char *);
void	 export_dir_close(FILE *, const char *);
void	 export_dir_die(const char *) __attribute__((noreturn));
void	 export_dir_keep(void);

#endif /* EXPORT_H */
