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
 * The processors: DWARF's numbers of their registers, what a signal frame looks
 * like, and code by its bytes.
 */

#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stdint.h>

#define WORD	sizeof(uintptr_t)

#if defined(__linux__) && defined(__x86_64__)
#define UNWIND_CPU	1
#elif defined(__linux__) && defined(__i386__)
#define UNWIND_CPU	1
#elif defined(__linux__) && defined(__aarch64__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UNWIND_CPU	1
#elif defined(__NetBSD__) && defined(__x86_64__)
#define UNWIND_CPU	1
#else
#define UNWIND_CPU	0
#endif

#if defined(__x86_64__)
#define REG_N		17
#define REG_FRAME	6
#define REG_STACK	7
#define REG_RETURN	16	/* where the return address is saved */
#define REG_PLACE	16
#elif defined(__i386__)
#define REG_N		9
#define REG_FRAME	5
#define REG_STACK	4
#define REG_RETURN	8
#define REG_PLACE	8
#else
#define REG_N		33
#define REG_FRAME	29
#define REG_STACK	31
#define REG_RETURN	30
#define REG_PLACE	32	/* no DWARF number: ours */
#endif

/* A return address without the bits that sign it. */
#if defined(__aarch64__)
#define UNSIGNED_PC(a)	((a) & UINT64_C(0x0000ffffffffffff))
#else
#define UNSIGNED_PC(a)	(a)
#endif

#if UNWIND_CPU

/* The registers of an interrupted place, by their numbers: regs.c. */
void	 ut_regs_context(const void *, uintptr_t *);

/*
 * Where a signal frame, whose handler returns to code with the stack pointer
 * sp, has the registers, how many bytes that is, and the registers.
 */
enum { SIGNAL_RT, SIGNAL_OLD };
uintptr_t ut_regs_where(uintptr_t, unsigned int, uintptr_t *);
void	 ut_regs_signal(uintptr_t, uintptr_t *);

/*
 * Code, by its bytes: does a call end there; are these the instructions that a
 * handler returns to, as SIGNAL_, or -1; is that a stub of the linker's?  They
 * read so many bytes around it at most.
 */
#define CODE_BEFORE	7
#define CODE_AFTER	16
bool	 ut_code_called(uintptr_t);
int	 ut_code_signal(uintptr_t);
bool	 ut_code_stub(uintptr_t);

#endif

#endif /* CPU_H */
