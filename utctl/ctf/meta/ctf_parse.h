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
 * The parsers of metadata: TSDL's, and what others have, too.
 */

#ifndef CTF_PARSE_H
#define CTF_PARSE_H

#include "../ctf.h"

/* The tokens and the parser's state. */
enum {
	TOK_END,
	TOK_IDENT = 256,
	TOK_NUM,
	TOK_STR,
	TOK_ASSIGN,			/* := */
	TOK_DOTS			/* ... */
};

struct fields;

struct ctf_parse {
	struct ctf_trace	*trace;
	const char		*p, *end;
	unsigned long		 line;		/* CTF 2: of the fragment */
	const char		*begin;		/* CTF 2: of the text */
	const char		*at;		/* the line looked at */
	int			 whole;		/* all of it is in the text */
	int			 tok;
	const char		*str;		/* TOK_IDENT, TOK_STR */
	uint64_t		 num;		/* TOK_NUM */
	int			 depth;
	unsigned int		 nscopes;	/* open ones */
	struct fields		*scope;		/* ctf_type.c's */
	int			 nwarned;	/* unknown attributes */
	int			 bad;		/* said why, or ... */
	int			 cut;		/* ... the text ends here */
};

struct ctf_value {
	int		 tok;		/* TOK_IDENT, TOK_NUM or TOK_STR */
	int		 neg;
	uint64_t	 num;
	const char	*str;
};

/* Reads what follows a key of a block: "= value" or ":= type". */
typedef void	 ctf_key(struct ctf_parse *, const char *, void *);

/* ctf_lex.c */
void	 ctf_error(struct ctf_parse *, const char *, ...)
	    __attribute__((__format__(__printf__, 2, 3)));
int	 ctf_digit(char);
void	 ctf_alloc_move(struct ctf_trace *, struct ctf_trace *);
void	 ctf_next(struct ctf_parse *);
int	 ctf_accept(struct ctf_parse *, int);
void	 ctf_expect(struct ctf_parse *, int, const char *);

/* ctf_meta.c */
int	 ctf_tsdl(struct ctf_trace *, const char *, size_t);
void	 ctf_env(struct ctf_trace *, const char *, const struct ctf_value *);
void	 ctf_clock_base(struct ctf_parse *, struct ctf_clock *);

/* ctf_value.c */
const char *ctf_path(struct ctf_parse *);
int	 ctf_sign(struct ctf_parse *);
void	 ctf_value(struct ctf_parse *, struct ctf_value *);
int	 ctf_value_base(struct ctf_parse *, const struct ctf_value *);
int	 ctf_value_isutf8(struct ctf_parse *, const struct ctf_value *);
enum ctf_order ctf_value_order(struct ctf_parse *, const struct ctf_value *);
int	 ctf_value_bool(struct ctf_parse *, const struct ctf_value *);
uint32_t ctf_value_align(struct ctf_parse *, const struct ctf_value *);
const char *ctf_value_clock(struct ctf_parse *, const struct ctf_value *);

/* ctf_make.c */
struct ctf_type *make_type(struct ctf_trace *, enum ctf_kind, unsigned long);
uint64_t name_key(const char *);
void	 make_number(struct ctf_type *);
const char *make_array(struct ctf_type *, struct ctf_type *);
const char *make_struct(struct ctf_trace *, struct ctf_type *,
	    const struct ctf_field *, size_t);
const char *make_variant(struct ctf_trace *, struct ctf_type *,
	    const struct ctf_field *, size_t);
void	 make_length(struct ctf_field *, const char *);
void	 make_labels(struct ctf_trace *, struct ctf_type *,
	    const struct ctf_label *, size_t);
struct ctf_type *make_own(struct ctf_trace *, struct ctf_type *);
struct ctf_field *make_path(struct ctf_trace *, struct ctf_type *,
	    const char *);

/* ctf_scalar.c */
void	 ctf_block(struct ctf_parse *, ctf_key *, void *);
struct ctf_type *type_new(struct ctf_parse *, enum ctf_kind);
struct ctf_type *type_find(struct ctf_parse *, const char *);
void	 type_name(struct ctf_parse *, const char *, struct ctf_type *);
void	 type_leave(struct ctf_parse *, const struct ctf_alias *);
const char *type_words(struct ctf_parse *);
const char *type_tag(struct ctf_parse *, const char *);
struct ctf_type *type_int(struct ctf_parse *);
struct ctf_type *type_float(struct ctf_parse *);
struct ctf_type *type_string(struct ctf_parse *);
struct ctf_type *type_enum(struct ctf_parse *);

/* ctf_type.c */
struct ctf_type	*ctf_type(struct ctf_parse *);
void	 ctf_typealias(struct ctf_parse *, int);
int	 ctf_typealias_here(struct ctf_parse *);

/* ctf_scope.c: lengths and tags that are elsewhere in a trace. */
const char *ctf_slot_isbad(const struct ctf_type *, const struct ctf_field *);
void	 ctf_slot_labels(struct ctf_trace *, struct ctf_type *,
	    struct ctf_type *);
int	 ctf_scope_of(const char *);
int	 ctf_scope(struct ctf_trace *);

#endif /* CTF_PARSE_H */
