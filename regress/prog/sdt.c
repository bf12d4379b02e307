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
 * Probes of SystemTap, in C and C++: see t/sdt.sh.
 */

#ifdef SEMAPHORES
#define _SDT_HAS_SEMAPHORES
#ifdef __cplusplus
extern "C" {
#endif
extern unsigned short p_none_semaphore, p_numbers_semaphore, p_all_semaphore,
    p_addresses_semaphore, p_inside_semaphore, p_never_semaphore,
    p_tpl_semaphore, p_lambda_semaphore;
#ifndef OTHER
unsigned short p_none_semaphore, p_numbers_semaphore, p_all_semaphore,
    p_addresses_semaphore, p_inside_semaphore, p_never_semaphore,
    p_tpl_semaphore, p_lambda_semaphore;
#endif
#ifdef __cplusplus
}
#endif
#endif

#include <sys/sdt.h>

#include <stdio.h>
#include <string.h>

#define PROVIDER	p

enum few { FEW, MANY = 7 };
enum negative { NEGATIVE = -1, ZERO };
struct bits {
	unsigned int	 three : 3;
	int		 five : 5;
};

/* Stands in two files, and the linker takes one. */
#ifdef __cplusplus
enum class byte : unsigned char { MOST = 255 };

template <class type> void
tpl(type t)
{
	DTRACE_PROBE1(p, tpl, t);
}

int	 other(void);

inline int
inside(int n)
{
	DTRACE_PROBE2(p, inside, n, byte::MOST);
	return n;
}
#else
static int
inside(int n)
{
	DTRACE_PROBE2(p, inside, n, (unsigned char)255);
	return n;
}
#endif

#ifdef OTHER
int
other(void)
{
	tpl(2);
	return inside(2);
}
#else
static int evaluated;

static int
evaluate(void)
{
	return ++evaluated;
}

int
main(int argc, char **argv)
{
	char text[4] = "abc";
	/* Names that the macros might have, too. */
	const signed char ut_p = -8;
	volatile unsigned char ut_e = 200;
	const short ut_r = -16;
	unsigned short ut_f = 0xffff;
	long long ut_a1 = -64;
	unsigned long long ut_s = ~0ULL;
	struct bits bits = { 5, -3 };

	(void)argv;
	DTRACE_PROBE(p, none);
	STAP_PROBE12(PROVIDER, numbers, ut_p, ut_e, ut_r, ut_f, -32, 32U,
	    ut_a1, ut_s, 1.5f, -2.5, true, 'x');
	STAP_PROBEV(p, all, MANY, (enum few)FEW, NEGATIVE, bits.three,
	    bits.five, evaluate());
	DTRACE_PROBE4(p, addresses, (void *)16, (char *)32,
	    text[1] == 'b' ? (int (*)(void))48 : evaluate, argc > 9 ? text : 0);
	(void)inside(1);
	if (argc > 9)
		DTRACE_PROBE1(p, never, text);
#ifdef __cplusplus
	tpl(1);
	[argc](int n) { DTRACE_PROBE2(p, lambda, n, argc); }(3);
	(void)other();
#endif
	printf("%d", evaluated);
#ifdef SEMAPHORES
	printf(" %d %d", p_none_semaphore > 0, p_never_semaphore > 0);
#endif
	printf("\n");
	return 0;
}
#endif
