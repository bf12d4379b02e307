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
 * How list, events and status show what utd says.
 */

#ifndef LIST_H
#define LIST_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../utctl.h"

/* list_session.c */
extern int list_verbose;		/* all of ut:log is wanted */

void	 print_each(const struct row *, const char *,
	    void (*)(const struct row *));
void	 print_level(const struct row *);
void	 print_program(const struct row *);
void	 print_events(const struct row *, int, void (*)(const struct row *));
void	 print_head(const struct row *, int);
void	 print_sessions(const struct row *, int);

/* In the files of their commands: as text, and as a command that makes it. */
void	 rule_print(const struct row *);
void	 rotation_print(const struct row *);
void	 tracked_print(const struct row *);
void	 trigger_print(const struct row *);
int	 rule_save(FILE *, const char *, const char *, const struct row *);
void	 rotation_save(FILE *, const struct row *, int);
void	 tracked_save(FILE *, const struct row *);
void	 trigger_save(FILE *, const struct row *, const char *, int);

/* save.c */
void	 attr_print(FILE *, const struct attr *, uint32_t);	/* valid */

/* quote.c */
void	 put_word(FILE *, const char *, const char *);

/* list_json.c */
void	 list_json(const struct row *, int);
void	 status_json(const struct row *, struct row *, const char *);

#endif /* LIST_H */
