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
 * Names for addresses: which function or variable of which file has an
 * address, as the events ut:module and ut:unload of the process tell.
 *
 * A command calls symbols_begin(), and if it is true makes symbols_names its
 * reader's `names': so all events of modules come here, in the order of time,
 * whether or not they are selected.
 */

#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf_field.h"
#include "../ctf/reader.h"

#define SYMBOLS_USAGE	"[-N] [-R dir]"
#define SYMBOLS_HELP \
	"-N\taddresses as numbers, not as names", \
	"-R dir\tlook for programs and libraries below dir"
#define SYMBOLS_MAX	1200	/* bytes of a name, with NUL */
#define PLACE_MAX	4096	/* bytes of a place's strings, with NUL */

struct symbol {
	char	*text;
	size_t	 len;
	int	 plain;		/* there is nothing in it to be escaped */
};

/* Take an option: 0 if it is none of these; dies if it is wrong. */
int	 symbols_option(int);
/* Before the process is confined: are names wanted? */
int	 symbols_begin(void);
/*
 * For a reader: finds the events of modules and the addresses in a trace, and
 * does something about an event that is one of a module.
 */
extern const struct reader_names symbols_names;
/*
 * Modules are those of these processes, which have to be known also if no names
 * are wanted: the reader's names are ours.
 */
struct processes;
void	 symbols_use(struct reader *, struct processes *);
/*
 * name+0x1f (file), name (file) or file+0x1234, as the event's process has it
 * now; NULL: no module has the address.  It is good until the next call, and
 * may have any bytes in it.  A return address belongs to the call before it.
 */
const char *symbols_name(const struct ctf_stream *, uint64_t,
	    enum ctf_address);
/*
 * The places of an address: the inlined functions, the innermost first, and
 * last the function that has them; 0 if no module has the address.  A place
 * that has no name is called file+0x1234, where its function begins or, if that
 * is not known, where it is itself.  The array is good until the next
 * call of a function here.  The strings are good until symbols_end(), and one
 * text is one string, so pointers tell whether functions are the same.
 */
struct place {
	const char	*function;
	const char	*exact;		/* file+0x1234; NULL: there is a name */
	const char	*file;		/* the path; NULL: not known */
	unsigned int	 line;		/* 0: not known */
	int		 inlined;	/* into the next place's function */
};

size_t	 symbols_places(const struct ctf_stream *, uint64_t,
	    enum ctf_address, const struct place **);
/* The module that has the address; NULL: none, or names are not wanted. */
struct mapping;
const struct mapping *symbols_mapping(const struct ctf_stream *, uint64_t,
	    enum ctf_address);
/* The name of the file alone. */
const char *base_name(const char *);
/* Make text of places, to be freed; NULL: no line is known. */
char	*places_text(const struct place *, size_t);
/*
 * The places of a field's address and their text; NULL: no line is known.
 */
const struct symbol *symbols_lines(const struct ctf_stream *,
	    const struct ctf_field *, uint64_t, const struct place **,
	    size_t *);
/*
 * The name of the value of a field, if it is an address, and of a field that
 * was found by its name; otherwise NULL.
 */
const struct symbol *symbols_field(const struct ctf_stream *,
	    const struct ctf_field *, uint64_t);
const char *symbols_at(const struct ctf_field_at *,
	    const struct ctf_stream *);
/* Say why there are no names, if so, and if all of the trace was read. */
void	 symbols_say(int);
void	 symbols_end(void);

#endif /* SYMBOLS_H */
