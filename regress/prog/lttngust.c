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
 * Calls of a provider's events: lttngust [library [times]], which is loaded and
 * unloaded so often.  PROVIDER, DEFINE and CALLS say what of it is here.
 */

#ifndef ORIGINAL		/* whose metadata cannot be read then */
#define MACRO	a + name
#endif

#ifdef __cplusplus
extern "C" {
#endif
int	called(void);
#ifdef __cplusplus
}
#endif

#ifdef PROVIDER
#define TRACEPOINT_CREATE_PROBES
#endif
#ifdef DEFINE
#define TRACEPOINT_DEFINE
#if DEFINE == 2
#define TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#endif
#endif
#include "lttngust.h"

#ifdef PROVIDER
int
called(void)
{
	static int n;

	return ++n;
}
#endif

#ifdef CALLS
static void
calls(int n)
{
	static const int16_t v[] = { 1, -2, 0x0304 };

	tracepoint(lttngust, numbers, n, 0.5, (const void *)(uintptr_t)0x1234);
	tracepoint(lttngust, texts, "text", v, 2);
#ifndef ORIGINAL
	tracepoint(lttngust, texts, "tt", NULL, 1);
	tracepoint(lttngust, blobs, "abc", 3);
#endif
	tracepoint(lttngust, names, 1, 2, 3);
	tracepoint(lttngust, none);
	tracepoint(lttngust, none_void);
	if (tracepoint_enabled(lttngust, ten))
		do_tracepoint(lttngust, ten, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	do_tracepoint(lttngust, ten_too, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

int
main(int argc, char *argv[])
{
	void *lib = NULL;
	int i, n = argc > 2 ? atoi(argv[2]) : 1;

	for (i = 0; i < n; i++) {
		if (argc > 1 && (lib = dlopen(argv[1], RTLD_NOW)) == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		calls(7);
		if (lib != NULL) {
			dlclose(lib);
			/* Recorded by nobody, unless it is never unloaded. */
			if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL)
				calls(8);
		}
	}
	return 0;
}
#endif
