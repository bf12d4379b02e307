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
 * How values are distributed, and how rates change, in characters: see rows.h.
 */

#include <float.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"

#define BAR	40			/* columns */
#define SPARKS	60			/* columns */
#define LAST	(DBL_MAX / 2)		/* of a bound; below a power of two */
#define US	1e3			/* ns */

/* The end of the bar that begins at v: powers of two, also negative. */
static double
next_bound(double v)
{
	if (v == 0)
		return 1;
	if (v < -LAST)
		return -ldexp(1, DBL_MAX_EXP - 1);
	return v > 0 ? 2 * v : v > -1.5 ? 0 : v / 2;
}

static double
first_bound(double min)
{
	double v = min < 0 ? -1 : 1;

	if (min >= 0 && min < 1)
		return 0;
	while (min < 0 ? v > min && v > -LAST : 2 * v <= min)
		v *= 2;
	return v > min && min < 0 ? -DBL_MAX : v;
}

static void
print_bar(double v, uint64_t n, uint64_t most, int isns)
{
	const double to = next_bound(v);
	int i, width = (int)((double)n * BAR / (double)most + 0.999);

	if (isns)
		printf("%14.3f to %12.3f us", v / US, to / US);
	else
		printf("%14.*g to %12.*g", row_digits(v), v, row_digits(to),
		    to);
	printf(" %12" PRIu64 " |", n);
	for (i = 0; i < width; i++)
		putchar('#');
	putchar('\n');
}

void
hist_bars(const struct hist *h, int isns)
{
	uint64_t n, most = 0;
	double v;

	if (h->n == 0)
		return;
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v))
		if ((n = hist_between(h, v, next_bound(v))) > most)
			most = n;
	json_array("buckets");
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v)) {
		n = hist_between(h, v, next_bound(v));
		if (!json_on)
			print_bar(v, n, most, isns);
		else if (n > 0) {
			json_object(NULL);
			json_real("from", v);
			if (isfinite(next_bound(v)))
				json_real("to", next_bound(v));
			json_u64("n", n);
			json_end();
		}
	}
	json_end();
}

/* The characters from the least to the most, as the locale has them. */
static const char *const *
sparks(void)
{
	static const char *const utf8[] = { " ", "\xe2\x96\x81",
	    "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85",
	    "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+",
	    "*", "%", "#" };

	return is_utf8() ? utf8 : ascii;
}

void
spark_put(const double *rates, size_t n)
{
	const size_t columns = n < SPARKS ? n : SPARKS;
	double sums[SPARKS] = { 0 }, most = 0;
	size_t i, k;

	for (i = 0; i < columns; i++) {
		for (k = i * n / columns; k < (i + 1) * n / columns; k++)
			sums[i] += rates[k];
		sums[i] /= (double)(k - i * n / columns);
		most = sums[i] > most ? sums[i] : most;
	}
	for (i = 0; i < columns; i++)
		fputs(sparks()[sums[i] > 0 ? 1 + (int)(7 * sums[i] / most) :
		    0], stdout);
}
