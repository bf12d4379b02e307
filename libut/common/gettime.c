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
 * The system's clocks, also where a preloaded library replaces clock_gettime(2)
 * by one that tells another time, as those of faketime(1) and of test
 * frameworks do.  Linux maps the function itself into each process, the vDSO,
 * a small shared library; where it has none, the system call is as fast as
 * anything.
 */

#include <sys/types.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <elf.h>
#include <link.h>
#endif

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

/* A struct timespec as this program has it. */
#define WIDE	(sizeof(time_t) > sizeof(long))

#if !defined(SYS_clock_gettime)
#define SYS_clock_gettime	SYS_clock_gettime64
#elif !defined(SYS_clock_gettime64)
#define SYS_clock_gettime64	SYS_clock_gettime
#endif

#if defined(__x86_64__) && !defined(__ILP32__)
/* syscall(3) costs twice as much, and may be replaced as well. */
static int
by_call(clockid_t clock, struct timespec *ts)
{
	long r;

	__asm__ __volatile__ ("syscall" : "=a" (r) : "0" (SYS_clock_gettime),
	    "D" ((long)clock), "S" (ts) : "rcx", "r11", "memory");
	return (int)r;
}
#else
static int
by_call(clockid_t clock, struct timespec *ts)
{
	return (int)syscall(WIDE ? SYS_clock_gettime64 : SYS_clock_gettime,
	    clock, ts);
}
#endif

/* Tables of the vDSO. */
struct vdso {
	const char		*base;		/* addresses count from here */
	const ElfW(Sym)		*symbols;
	const char		*strings;
	const ElfW(Word)	*hash;		/* may be NULL */
	const uint32_t		*gnu_hash;	/* may be NULL */
};

static const void *
vdso_at(const struct vdso *v, ElfW(Addr) offset)
{
	return v->base + offset;
}

static void
read_dynamic(struct vdso *v, const ElfW(Dyn) *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB:
			v->symbols = vdso_at(v, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			v->strings = vdso_at(v, d->d_un.d_ptr);
			break;
		case DT_HASH:
			v->hash = vdso_at(v, d->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			v->gnu_hash = vdso_at(v, d->d_un.d_ptr);
			break;
		}
	}
}

/* Find the vDSO: false if the process has none. */
static bool
vdso_find(struct vdso *v)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *head = (const void *)image;
	const ElfW(Phdr) *p, *dynamic = NULL;
	int i;

	memset(v, 0, sizeof(*v));
	if (image == NULL || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	p = (const void *)(image + head->e_phoff);
	for (i = 0; i < head->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD && v->base == NULL)
			v->base = image + p[i].p_offset - p[i].p_vaddr;
		else if (p[i].p_type == PT_DYNAMIC)
			dynamic = &p[i];
	}
	if (v->base == NULL || dynamic == NULL)
		return false;
	read_dynamic(v, (const void *)(image + dynamic->p_offset));
	return v->symbols != NULL && v->strings != NULL;
}

/* Count the symbols: one table says how many, the other has to be read. */
static uint32_t
vdso_count(const struct vdso *v)
{
	const uint32_t *gnu = v->gnu_hash, *buckets, *chains;
	uint32_t i, last = 0;

	if (gnu == NULL)
		return v->hash != NULL ? v->hash[1] : 0;
	buckets = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof(*gnu));
	chains = buckets + gnu[0];
	for (i = 0; i < gnu[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < gnu[1])
		return 0;
	while ((chains[last - gnu[1]] & 1) == 0)
		last++;
	return last + 1;
}

static const void *
vdso_function(const struct vdso *v, const char *name)
{
	const uint32_t n = vdso_count(v);
	const ElfW(Sym) *sym;
	uint32_t i;

	for (i = 0; i < n; i++) {
		sym = &v->symbols[i];
		if (sym->st_shndx != SHN_UNDEF &&
		    (sym->st_info & 15) == STT_FUNC &&
		    strcmp(v->strings + sym->st_name, name) == 0)
			return vdso_at(v, sym->st_value);
	}
	return NULL;
}

/* Find it on processors where a vDSO function is called as one of C is. */
static const void *
vdso_gettime(void)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__arm__) || \
    defined(__aarch64__) || defined(__riscv) || defined(__s390x__)
	const void *f;
	struct vdso v;

	if (!vdso_find(&v))
		return NULL;
	f = vdso_function(&v, WIDE ? "__vdso_clock_gettime64" :
	    "__vdso_clock_gettime");
	return f != NULL || WIDE ? f :
	    vdso_function(&v, "__kernel_clock_gettime");
#else
	return NULL;
#endif
}

ut_gettime_fn *
ut_kernel_gettime(void)
{
	return by_call;
}

ut_gettime_fn *
ut_system_gettime(void)
{
	static ut_gettime_fn *_Atomic known;
	ut_gettime_fn *f = atomic_load_explicit(&known, memory_order_relaxed);
	const void *p;
	struct timespec ts;

	if (f != NULL)
		return f;
	if ((p = vdso_gettime()) != NULL) {
		memcpy(&f, &p, sizeof(f));
		if (f(CLOCK_MONOTONIC, &ts) != 0)
			f = NULL;
	}
	if (f == NULL)		/* the C library may know another way */
		f = by_call(CLOCK_MONOTONIC, &ts) == 0 ? by_call :
		    clock_gettime;
	atomic_store_explicit(&known, f, memory_order_relaxed);
	return f;
}

#else

ut_gettime_fn *
ut_kernel_gettime(void)
{
	return NULL;
}

ut_gettime_fn *
ut_system_gettime(void)
{
	return clock_gettime;
}

#endif

int
ut_clock_gettime(clockid_t clock, struct timespec *ts)
{
	return ut_system_gettime()(clock, ts);
}

time_t
ut_time(void)
{
	struct timespec ts;

	return ut_clock_gettime(CLOCK_REALTIME, &ts) == 0 ? ts.tv_sec : 0;
}

/*
 * Waits for a condition use clock_gettime of the C library, or the function
 * that has replaced it.
 */
void
ut_wait_until(struct timespec *ts, int64_t ms)
{
	clock_gettime(CLOCK_MONOTONIC, ts);
	if (ms < 0)
		ms = 0;
	ts->tv_sec += (time_t)(ms / 1000);
	ts->tv_nsec += (long)(ms % 1000) * 1000000;
	if (ts->tv_nsec >= 1000000000) {
		ts->tv_nsec -= 1000000000;
		ts->tv_sec++;
	}
}
