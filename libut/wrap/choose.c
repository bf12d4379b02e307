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
 * Names of functions: each module is looked at when its first function is
 * called, and has a table of the functions that are chosen from then on.  A
 * table does not change, and is never given back: who reads it, or adds one,
 * takes no lock, and is not disturbed by a signal's handler or by fork(2).
 *
 * Files may be damaged, or not be those that were loaded.  They are read and
 * not mapped: one that is cut off meanwhile is no signal.
 */

#include <sys/mman.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "choose.h"

#define NAMES		1024		/* bytes of all globs */
#define NAME		512		/* bytes of a name that is compared */
#define HEAD		1024		/* bytes of a file that are compared */
#define BYTES		(1 << 28)	/* a table of symbols, or names */
#define MODULES		1024		/* looked at, ever */

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr	elf_header;
typedef Elf64_Shdr	elf_section;
typedef Elf64_Sym	elf_symbol;
#else
typedef Elf32_Ehdr	elf_header;
typedef Elf32_Shdr	elf_section;
typedef Elf32_Sym	elf_symbol;
#endif

/* A question to the run-time linker, and the answers. */
struct search {
	uintptr_t		 addr;
	uintptr_t		 base, low, size;
	char			 path[4096];
	struct ut_func_found	 found;
	uint64_t		 n;		/* functions that are chosen */
	struct ut_func_module	*m;		/* to be filled; or NULL */
};

static bool	 fits(const char *, const char *) NOT_TRACED;
static bool	 digit(char) NOT_TRACED;
static const char *plain(const char *, char *) NOT_TRACED;
static void	*room(size_t) NOT_TRACED;
static const char *table_read(int, const elf_section *, const elf_section *,
		    void (*)(void *, const char *, uintptr_t), void *)
		    NOT_TRACED;
static void	 note(void *, const char *, uintptr_t) NOT_TRACED;
static void	 found_at(struct search *, const char *, uintptr_t, uintptr_t,
		    uintptr_t) NOT_TRACED;
static int	 find_in(struct dl_phdr_info *, size_t, void *) NOT_TRACED;
static bool	 find(struct search *) NOT_TRACED;
static bool	 is_loaded(const struct search *, int) NOT_TRACED;
static struct ut_func_module *again(const struct search *, const struct stat *)
		    NOT_TRACED;
static void	 fill(struct search *, int, const struct stat *) NOT_TRACED;
static struct ut_func_module *look(struct search *, int,
		    void (*)(const struct ut_func_found *)) NOT_TRACED;

static char names[NAMES];
const char *ut_func_globs[FUNC_GLOBS];
size_t ut_func_nglobs;
_Atomic(struct ut_func_module *) ut_func_modules;
static _Atomic size_t nmodules;

bool
ut_func_choose(const char *list)
{
	char *s = names, *comma;

	if (strlen(list) >= sizeof(names))
		return false;
	memcpy(names, list, strlen(list) + 1);
	for (ut_func_nglobs = 0; ut_func_nglobs < FUNC_GLOBS; s = comma + 1) {
		ut_func_globs[ut_func_nglobs++] = s;
		if ((comma = strchr(s, ',')) == NULL)
			return true;
		*comma = '\0';
	}
	return false;
}

/* Nothing but `*' and `?' is special: the time is at most their product. */
static bool
fits(const char *glob, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name != '\0')
		if (*glob == '*') {
			star = ++glob;
			from = name;
		} else if (*glob == '?' || *glob == *name) {
			glob++;
			name++;
		} else if (star != NULL) {
			glob = star;
			name = ++from;
		} else
			return false;
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * The name as it is in the source: without what the compiler adds to copies,
 * and of simple names of C++ ns::class::function.  The buffer has NAME bytes.
 */
static const char *
plain(const char *name, char *buf)
{
	const char *s = name + 2;
	const bool nested = strncmp(name, "_ZN", 3) == 0;
	size_t len, n = 0;

	if (strncmp(name, "_Z", 2) != 0) {
		n = strcspn(name, ".");
		n = n < NAME ? n : NAME - 1;
		memcpy(buf, name, n);
		buf[n] = '\0';
		return buf;
	}
	for (s += nested; *s == 'K' || *s == 'V' || *s == 'L'; s++)
		continue;
	while (digit(*s)) {
		for (len = 0; digit(*s) && len < NAME; s++)
			len = 10 * len + (size_t)(*s - '0');
		if (n + len + 3 > NAME || strnlen(s, len) < len)
			return name;
		memcpy(buf + n, "::", 2);
		n += n > 0 ? 2 : 0;
		memcpy(buf + n, s, len);
		n += len;
		s += len;
		if (!nested)
			break;
	}
	buf[n] = '\0';
	return n > 0 && (!nested || *s == 'E') ? buf : name;
}

static void *
room(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static const char *
table_read(int fd, const elf_section *syms, const elf_section *strs,
    void (*call)(void *, const char *, uintptr_t), void *arg)
{
	const size_t n = syms->sh_size / sizeof(elf_symbol);
	const char *why = "its file is cut off";
	elf_symbol *sym;
	char *str;
	size_t i;

	if (syms->sh_size > BYTES || strs->sh_size > BYTES || n == 0 ||
	    strs->sh_size == 0)
		return "its symbols are damaged";
	sym = room(syms->sh_size);
	str = room(strs->sh_size + 1);
	if (sym == NULL || str == NULL)
		why = "no memory for its symbols";
	else if (pread(fd, sym, syms->sh_size, (off_t)syms->sh_offset) ==
	    (ssize_t)syms->sh_size && pread(fd, str, strs->sh_size,
	    (off_t)strs->sh_offset) == (ssize_t)strs->sh_size) {
		why = NULL;
		for (i = 0; i < n; i++)
			if ((sym[i].st_info & 15) == STT_FUNC &&
			    sym[i].st_shndx != SHN_UNDEF &&
			    sym[i].st_name < strs->sh_size)
				call(arg, str + sym[i].st_name,
				    sym[i].st_value);
	}
	if (sym != NULL)
		munmap(sym, syms->sh_size);
	if (str != NULL)
		munmap(str, strs->sh_size + 1);
	return why;
}

const char *
ut_func_read(int fd, void (*call)(void *, const char *, uintptr_t), void *arg)
{
	const char *why = "it has no symbols";
	elf_header e;
	elf_section s, strs;
	bool dynamic = false;
	size_t i, pass;

	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 :
	    ELFCLASS32) || e.e_shentsize != sizeof(s))
		return "its file is not what was loaded";
	for (pass = 0; pass < 2 && (pass == 0 || dynamic); pass++)
		for (i = 0; i < e.e_shnum; i++) {
			if (pread(fd, &s, sizeof(s), (off_t)(e.e_shoff + i *
			    sizeof(s))) != (ssize_t)sizeof(s))
				return "its file is cut off";
			dynamic |= s.sh_type == SHT_DYNSYM;
			if (s.sh_type != (pass == 0 ? SHT_SYMTAB : SHT_DYNSYM))
				continue;
			if (pread(fd, &strs, sizeof(strs), (off_t)(e.e_shoff +
			    s.sh_link * sizeof(s))) != (ssize_t)sizeof(s))
				return "its file is cut off";
			return table_read(fd, &s, &strs, call, arg);
		}
	return why;
}

/* Count the function for the first glob that fits; or put it in the table. */
static void
note(void *arg, const char *name, uintptr_t value)
{
	struct search *s = arg;
	const uintptr_t addr = s->base + value;
	char buf[NAME];
	const char *text = plain(name, buf);
	size_t i, k;

	if (addr - s->low >= s->size)
		return;
	for (i = 0; i < ut_func_nglobs; i++)
		if (fits(ut_func_globs[i], text) ||
		    fits(ut_func_globs[i], name))
			break;
	if (i == ut_func_nglobs)
		return;
	if (s->m == NULL) {
		s->n++;
		s->found.counts[i]++;
		return;
	}
	if (s->n-- == 0) {		/* The file has changed meanwhile. */
		s->n = 0;
		return;
	}
	for (k = addr / 4 & s->m->mask; s->m->table[k] != 0 &&
	    s->m->table[k] != addr; k = (k + 1) & s->m->mask)
		continue;
	s->m->table[k] = addr;
}

static void
found_at(struct search *s, const char *name, uintptr_t base, uintptr_t low,
    uintptr_t high)
{
	s->base = base;
	s->low = low;
	s->size = high - low;
	if (name == NULL || name[0] == '\0')
		name = "/proc/self/exe";
	if (strlen(name) < sizeof(s->path))
		memcpy(s->path, name, strlen(name) + 1);
}

/* Is it that module?  Then s is where it lies. */
static int
find_in(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	uintptr_t low = UINTPTR_MAX, high = 0, end;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		low = info->dlpi_phdr[i].p_vaddr < low ?
		    info->dlpi_phdr[i].p_vaddr : low;
		high = end > high ? end : high;
	}
	low += info->dlpi_addr;
	high += info->dlpi_addr;
	if (s->addr < low || s->addr >= high)
		return 0;
	found_at(s, info->dlpi_name, info->dlpi_addr, low, high);
	return 1;
}

/*
 * Find the module that has the address, and where its file is: without a lock
 * where that is possible.  Another thread may have the linker's when a process
 * forks, and its child waits for that lock for ever.  If the program's memory
 * has holes, the linker has the bounds of a part: the headers say where all is.
 */
#ifdef DLFO_STRUCT_HAS_EH_DBASE

static bool
find(struct search *s)
{
	const struct link_map *map;
	struct dl_phdr_info info;
	struct dl_find_object o;

	if (_dl_find_object((void *)s->addr, &o) != 0)
		return false;
	map = o.dlfo_link_map;
	if (map->l_name != NULL && map->l_name[0] != '\0') {
		found_at(s, map->l_name, map->l_addr,
		    (uintptr_t)o.dlfo_map_start, (uintptr_t)o.dlfo_map_end);
		return true;
	}
	info.dlpi_addr = map->l_addr;
	info.dlpi_name = map->l_name;
	info.dlpi_phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	info.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
	return find_in(&info, sizeof(info), s) != 0;
}

#else

static bool
find(struct search *s)
{
	return dl_iterate_phdr(find_in, s) != 0;
}

#endif

/*
 * Is it the file that was loaded?  Its head, with the build ID or the sizes of
 * its parts, is in memory.
 */
static bool
is_loaded(const struct search *s, int fd)
{
	char head[HEAD];
	const ssize_t n = pread(fd, head, sizeof(head), 0);

	return n > 0 && (size_t)n <= s->size &&
	    memcmp(head, (const void *)s->low, (size_t)n) == 0;
}

/* Find the module, if the same file was at this address before. */
static struct ut_func_module *
again(const struct search *s, const struct stat *st)
{
	struct ut_func_module *m;

	for (m = ut_func_modules; m != NULL; m = m->next)
		if (m->base == s->base && m->low == s->low &&
		    m->full == s->size && m->st.st_dev == st->st_dev &&
		    m->st.st_ino == st->st_ino &&
		    m->st.st_size == st->st_size &&
		    m->st.st_mtime == st->st_mtime) {
			m->size = m->full;
			return m;
		}
	return NULL;
}

/* Make the module's table: an empty one if there are no names. */
static void
fill(struct search *s, int fd, const struct stat *st)
{
	struct ut_func_module *m;
	size_t cap = 4;

	s->found.path = s->path;
	s->found.why = fd == -1 ? "its file is not found" : !is_loaded(s, fd) ?
	    "its file is not what was loaded" : ut_func_read(fd, note, s);
	while (cap < 2 * s->n)
		cap *= 2;
	if ((m = room(sizeof(*m) + cap * sizeof(m->table[0]))) == NULL) {
		s->found.why = "no memory for its table";
		return;
	}
	m->base = s->base;
	m->low = s->low;
	m->size = m->full = s->size;
	m->st = *st;
	m->mask = cap - 1;
	s->m = m;
	if (s->n > 0)
		(void)ut_func_read(fd, note, s);
}

/* Without a table: the last of them, after which nothing is read any more. */
static struct ut_func_module *
look(struct search *s, int fd, void (*tell)(const struct ut_func_found *))
{
	struct ut_func_module *m;
	struct stat st;

	memset(&st, 0, sizeof(st));
	if (fd != -1)
		(void)fstat(fd, &st);
	if ((m = again(s, &st)) != NULL || nmodules >= MODULES)
		return m;
	fill(s, fd, &st);
	if ((m = s->m) == NULL)
		nmodules = MODULES;
	else if (++nmodules == MODULES)
		s->found.why = "too many modules: no more are looked at";
	tell(&s->found);
	if (m == NULL)
		return NULL;
	m->next = ut_func_modules;
	while (!atomic_compare_exchange_weak(&ut_func_modules, &m->next, m))
		continue;
	return m;
}

/*
 * Two threads may do so at once: one of two equal tables stays unused.  The
 * stack may be a signal's, and small.
 */
struct ut_func_module *
ut_func_look(const void *addr, void (*tell)(const struct ut_func_found *))
{
	struct ut_func_module *m = NULL;
	struct search *s;
	const int saved = errno;
	int fd;

	if ((s = room(sizeof(*s))) == NULL)
		return NULL;
	s->addr = (uintptr_t)addr;
	if (find(s)) {
		fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		m = look(s, fd, tell);
		if (fd != -1)
			close(fd);
	}
	munmap(s, sizeof(*s));
	errno = saved;
	return m;
}

void
ut_func_unloaded(void)
{
	struct ut_func_module *m;

	for (m = ut_func_modules; m != NULL; m = m->next)
		m->size = 0;
}
