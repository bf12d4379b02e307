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
 * The caller of C++'s operator new, since the operator is what calls the
 * allocator.
 */

#ifndef NEW_H
#define NEW_H

/*
 * Learn where the operators of the C++ library keep their return addresses.
 * new_find looks the operators up, and may allocate.  new_learn calls them.
 * Each call has to reach new_caller, and the function frees what was allocated.
 */
void		 new_find(void);
void		 new_learn(void (*)(void *));

/*
 * The caller of an allocator's function with that frame: if that is an operator
 * new, its own caller.  NULL: new_learn has made the call, and the program
 * knows nothing of it.
 */
const void	*new_caller(const void *, const void *);

#endif /* NEW_H */
