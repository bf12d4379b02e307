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
 * Some modules' calls of the allocator do not come here: those of a program
 * that an allocator is linked into; and those of a library that finds another
 * function before ours, since it was opened with RTLD_DEEPBIND.  An event names
 * each module.  The event exists only in such a program: so whoever sees which
 * events there were knows that something is missing, without reading the trace.
 *
 * Where a module's calls go is known from its relocations, once they are done:
 * we look at them when a library is closed and when the process ends.
 */

#include <sys/types.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"

#ifndef PT_GNU_RELRO
#define PT_GNU_RELRO	0x6474e552
#endif

/* The event is in no section: it is added when it is needed. */
#undef UT_SECTION
#define UT_SECTION	__attribute__((unused))

UT_EVENT(libc, unseen, UT_DEBUG_FUNCTION, UT_STR(path));

#define MODULES		64		/* most that are told of */
#define PATH_LEN	4096

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Dyn	dynamic;
typedef Elf64_Rel	relocation;
typedef Elf64_Rela	relocation_a;
typedef Elf64_Sym	symbol;
#define SYMBOL(info)	((info) >> 32)
#else
typedef Elf32_Dyn	dynamic;
typedef Elf32_Rel	relocation;
typedef Elf32_Rela	relocation_a;
typedef Elf32_Sym	symbol;
#define SYMBOL(info)	((info) >> 8)
#endif

static struct ut_module module = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), &ut__libc__unseen,
	&ut__libc__unseen + 1, NULL, 0
};

/* Where the modules lie that were told of. */
static uintptr_t told[MODULES];
static size_t ntold;
static size_t nfirst;			/* modules that came with the program */
static bool looking;
static pid_t process;			/* the one that began */

/* A search for a module that strays. */
struct search {
	struct wrap_range	 ours;
	struct wrap_range	 program;
	size_t			 n;		/* modules so far */
	bool			 imports;	/* a module with no malloc */
	char			 path[PATH_LEN];
};

/*
 * One kind of relocations in the dynamic section.  Those of the PLT are of
 * calls; of the others, only those in memory that stays as it is count, as the
 * program may have stored something else elsewhere.
 */
struct table {
	uintptr_t	 at;
	size_t		 size;
	size_t		 entry;
	bool		 plt;
};

static void
say_unseen(const char *path)
{
	if (!module.added)
		ut_module_add(&module);
	UT(libc, unseen, path);
}

static bool
is_allocator(const char *name)
{
	static const char *const names[] = {
		"malloc", "calloc", "realloc", "free", "posix_memalign",
		"aligned_alloc"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The memory that nobody can store to any more; size 0: none. */
static struct wrap_range
relro(const struct dl_phdr_info *info)
{
	struct wrap_range r = { 0, 0 };
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
			r.low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			r.size = info->dlpi_phdr[i].p_memsz;
		}
	return r;
}

/*
 * Does a relocation lead elsewhere?  One into the module itself is not done,
 * nor is one without the module's address: another thread is just loading that.
 */
static bool
strays(const struct search *s, const struct dl_phdr_info *info,
    const struct table *t, const symbol *symbols, const char *strings)
{
	struct wrap_range its[2] = { s->ours, s->program };
	struct wrap_range self, fixed;
	uintptr_t p, at, to;
	relocation rel;
	size_t i;

	wrap_range_of(info, &self);
	fixed = t->plt ? self : relro(info);
	for (p = t->at; p - t->at < t->size; p += t->entry) {
		memcpy(&rel, (const void *)p, sizeof(rel));
		if ((i = SYMBOL(rel.r_info)) == 0 ||
		    !is_allocator(strings + symbols[i].st_name))
			continue;
		if (s->imports) {
			if (symbols[i].st_shndx == SHN_UNDEF && strcmp(strings +
			    symbols[i].st_name, "malloc") == 0)
				return true;
			continue;
		}
		at = info->dlpi_addr + rel.r_offset;
		if (!wrap_within(&fixed, 1, (const void *)at))
			continue;
		memcpy(&to, (const void *)at, sizeof(to));
		if (to >= self.size && !wrap_within(its, 2, (const void *)to) &&
		    !wrap_within(&self, 1, (const void *)to))
			return true;
	}
	return false;
}

/* Some linkers have added the module's address to what is there. */
static uintptr_t
module_address(const struct dl_phdr_info *info, uintptr_t p)
{
	return p < info->dlpi_addr ? p + info->dlpi_addr : p;
}

/* The tables of relocations that a dynamic section has. */
static bool
module_strays(const struct search *s, const struct dl_phdr_info *info,
    const dynamic *d)
{
	struct table t[3] = {
		{ 0, 0, sizeof(relocation_a), false },
		{ 0, 0, sizeof(relocation), false },
		{ 0, 0, sizeof(relocation), true }
	};
	const symbol *symbols = NULL;
	const char *strings = NULL;
	size_t i;

	for (; d->d_tag != DT_NULL; d++) {
		const uintptr_t v = (uintptr_t)d->d_un.d_val;

		if (d->d_tag == DT_SYMTAB)
			symbols = (const void *)module_address(info, v);
		else if (d->d_tag == DT_STRTAB)
			strings = (const void *)module_address(info, v);
		else if (d->d_tag == DT_RELA || d->d_tag == DT_REL)
			t[d->d_tag == DT_REL].at = module_address(info, v);
		else if (d->d_tag == DT_RELASZ || d->d_tag == DT_RELSZ)
			t[d->d_tag == DT_RELSZ].size = v;
		else if (d->d_tag == DT_JMPREL)
			t[2].at = module_address(info, v);
		else if (d->d_tag == DT_PLTRELSZ)
			t[2].size = v;
		else if (d->d_tag == DT_PLTREL && v == DT_RELA)
			t[2].entry = sizeof(relocation_a);
	}
	for (i = 0; symbols != NULL && strings != NULL && i < 3; i++)
		if (t[i].at != 0 && strays(s, info, &t[i], symbols, strings))
			return true;
	return false;
}

static bool
was_told(uintptr_t low)
{
	size_t i;

	for (i = 0; i < ntold; i++)
		if (told[i] == low)
			return true;
	return false;
}

/* With the linker's lock, so nothing is recorded here. */
static int
find_stray(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	struct wrap_range self;
	const char *name = info->dlpi_name;
	size_t i;

	(void)size;
	wrap_range_of(info, &self);
	if (s->n == 0)
		s->program = self;
	if (s->n++ < nfirst || self.size == 0 || was_told(self.low) ||
	    name == NULL || strlen(name) >= PATH_LEN)
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
		    module_strays(s, info, (const void *)(info->dlpi_addr +
		    info->dlpi_phdr[i].p_vaddr))) {
			told[ntold++] = self.low;
			memcpy(s->path, name, strlen(name) + 1);
			return 1;
		}
	return 0;
}

static int
module_count(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	nfirst++;
	return 0;
}

/*
 * Has the program none, but an entry of its table of calls in its place?  So it
 * is if it takes malloc's address, and is not position-independent.
 */
static int
program_imports(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search s = { .imports = true };
	bool *imports = arg;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			*imports = module_strays(&s, info, (const void *)
			    (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
	return 1;			/* the first one is the program */
}

/*
 * A program with a malloc of its own is all that is told of.  Else, what came
 * with the program finds ours.
 */
void
unseen_begin(void)
{
	const void *own = wrap_first("malloc");
	bool imports = false;
	Dl_info info;

	if (!alloc_ours() && own != NULL && dladdr(own, &info) != 0 &&
	    info.dli_fname != NULL) {
		dl_iterate_phdr(program_imports, &imports);
		if (!imports) {
			ntold = MODULES;
			say_unseen(info.dli_fname);
		}
	}
	dl_iterate_phdr(module_count, NULL);
	process = getpid();
}

/*
 * One thread looks at a time; another need not.  Nor does the child of a fork,
 * where the linker's lock may be that of a thread which is not there.
 */
void
unseen_look(void)
{
	const void *const us[] = { &module };
	struct search s;

	if (getpid() != process ||
	    __atomic_exchange_n(&looking, true, __ATOMIC_ACQUIRE))
		return;
	memset(&s, 0, sizeof(s));
	wrap_ranges(&s.ours, us, 1);
	do
		s.n = 0;
	while (ntold < MODULES && dl_iterate_phdr(find_stray, &s) != 0 &&
	    (say_unseen(s.path), true));
	__atomic_store_n(&looking, false, __ATOMIC_RELEASE);
}
