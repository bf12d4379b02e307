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
 * Events that are as ut.h lets a programmer write them, but odd: -DODD=1 to 5;
 * and one that is not.
 */

#include <ut.h>

#if ODD == 1
UT_ENUMERATION(odd, UT_VALUE("a \"quoted\" label", 0));
UT_EVENT(odd, odd, UT_INFO, UT_ENUM(odd, odd))
#elif ODD == 2
UT_ENUMERATION(odd, UT_VALUE("back\\slash\n", 0));
UT_EVENT(odd, odd, UT_INFO, UT_ENUM(odd, odd))
#elif ODD == 3
UT_ENUMERATION(odd, UT_RANGE("the wrong way", 5, 1), UT_VALUE("zero", 0));
UT_EVENT(odd, odd, UT_INFO, UT_ENUM(odd, odd))
#elif ODD == 4
/* The name that the length of a sequence has in the metadata. */
UT_EVENT(odd, odd, UT_INFO, UT_BYTES(odd), UT_INT(_odd_length))
#elif ODD == 5
UT_ENUMERATION(odd, UT_VALUE("zero", 0), UT_VALUE("zero", 1),
    UT_VALUE("", 2));
UT_EVENT(odd, odd, UT_INFO, UT_ENUM(odd, odd))
#elif ODD == 6
/* A level that there is not, which UT_EVENT would not take. */
UT_EVENT(odd, odd, UT_EMERG, UT_INT(odd));

static void __attribute__((constructor(60000)))
lower(void)
{
	ut__odd__odd.level = UT_EMERG - 1;
}

#elif ODD == 7
UT_EVENT(odd, odd, UT_INFO, UT_ARRAY(int, odd, 1 << 23))
#elif ODD == 8
UT_EVENT(a_provider_with_a_name_that_is_longer_than_others_are_usually_and_then_some_more_of_it_until_it_does_not_fit_into_what_one_would_think_is_enough_for_everyone,
    an_event_with_a_name_that_is_longer_than_others_are_usually_and_then_some_more_of_it_until_it_does_not_fit_into_what_one_would_think_is_enough,
    UT_INFO, UT_INT(odd))
#endif
UT_EVENT(odd, even, UT_INFO, UT_INT(n))

int
main(void)
{
#if ODD == 4
	UT(odd, odd, "x", 1, 0);
#elif ODD == 7
	UT(odd, odd, NULL);
#elif ODD == 8
	UT(a_provider_with_a_name_that_is_longer_than_others_are_usually_and_then_some_more_of_it_until_it_does_not_fit_into_what_one_would_think_is_enough_for_everyone,
	    an_event_with_a_name_that_is_longer_than_others_are_usually_and_then_some_more_of_it_until_it_does_not_fit_into_what_one_would_think_is_enough, 0);
#else
	UT(odd, odd, 0);
#endif
	UT(odd, even, 1);
	return 0;
}
