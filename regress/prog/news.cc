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
 * Call each operator new, from a function of its own, and say of each call the
 * size and where that function is.  No header is included, as those of C++ are
 * not there for all ABIs.  OWN: the program has its own operator, which
 * may be called in main only.  OWN_MALLOC: it has its own malloc(3).
 */

typedef __SIZE_TYPE__ size_t;

extern "C" {
int	printf(const char *, ...);
void	*malloc(size_t);
void	free(void *);
void	abort() __attribute__((noreturn));
}

namespace std {
enum class align_val_t : decltype(sizeof(0)) {};
struct nothrow_t {
};
extern const nothrow_t nothrow;
}

void	*operator new(size_t, const std::nothrow_t &) noexcept;
void	*operator new[](size_t, const std::nothrow_t &) noexcept;
void	*operator new(size_t, std::align_val_t);
void	*operator new[](size_t, std::align_val_t);
void	*operator new(size_t, std::align_val_t,
	    const std::nothrow_t &) noexcept;
void	*operator new[](size_t, std::align_val_t,
	    const std::nothrow_t &) noexcept;

#ifdef OWN
static bool begun;

void *
operator new(size_t size)
{
	char *p;

	if (!begun || (p = (char *)malloc(size + 16)) == nullptr)
		abort();
	return p + 16;
}

void
operator delete(void *p) noexcept
{
	free((char *)p - 16);
}

void
operator delete(void *p, size_t) noexcept
{
	operator delete(p);
}
#endif

#ifdef OWN_MALLOC
static char pool[1 << 20];
static size_t used;

extern "C" void *
malloc(size_t size)
{
	void *p = pool + used;

	used += (size + 15) & ~(size_t)15;
	return used <= sizeof(pool) ? p : nullptr;
}

extern "C" void
free(void *p)
{
	if (p != nullptr && ((char *)p < pool || (char *)p >= pool + used))
		abort();
}
#endif

#define SIZE	size_t(1024 * __LINE__)		/* of all alignments */
#define ALIGN	std::align_val_t(128)

/* Each function is alone in a section, and the linker says where that is. */
#define CALLER(name, call)						\
	extern "C" char __start_##name[], __stop_##name[];		\
	static void __attribute__((noinline, section(#name)))		\
	name()								\
	{								\
		void *volatile p = call;				\
		(void)p;						\
		printf("%lu %p %p\n", (unsigned long)SIZE,		\
		    (void *)__start_##name, (void *)__stop_##name);	\
	}

CALLER(plain, operator new(SIZE))
CALLER(array, operator new[](SIZE))
CALLER(nothrow, operator new(SIZE, std::nothrow))
CALLER(array_nothrow, operator new[](SIZE, std::nothrow))
CALLER(aligned, operator new(SIZE, ALIGN))
CALLER(array_aligned, operator new[](SIZE, ALIGN))
CALLER(aligned_nothrow, operator new(SIZE, ALIGN, std::nothrow))
CALLER(array_aligned_nothrow, operator new[](SIZE, ALIGN, std::nothrow))
CALLER(allocator, malloc(SIZE))

int
main()
{
	void *volatile most = nullptr;
	bool thrown = false;

#ifdef OWN
	begun = true;
#endif
	plain();
	array();
	nothrow();
	array_nothrow();
	aligned();
	array_aligned();
	aligned_nothrow();
	array_aligned_nothrow();
	allocator();
	try {
		most = operator new[](size_t(-1) / 2, ALIGN);
	} catch (...) {
		thrown = true;
	}
	return !thrown || most != nullptr;
}
