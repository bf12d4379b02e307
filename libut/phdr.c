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
 * The modules of the program, as the run-time linker knows them: where each
 * lies, its path, and its build ID.
 */

#include "ut_loaded.h"

#if UT_HAS_LOADED

#include <sys/types.h>
#include <sys/stat.h>
#if defined(__FreeBSD__) || defined(__NetBSD__)
#include <sys/sysctl.h>
#endif
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUILD_ID	3		/* NT_GNU_BUILD_ID */
#define PHDRS		64		/* read of a file */
#define NOTES		512		/* bytes */

typedef __typeof__(*((struct dl_phdr_info *)0)->dlpi_phdr) phdr;

struct each {
	void		(*f)(const struct ut_loaded *);
	uint64_t	*seen;
	bool		 first;
	bool		 unchanged;
};

/* Do all bytes of the segment come from the file, and can they be read? */
static bool
readable(const struct dl_phdr_info *info, const phdr *p)
{
	const phdr *l;
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		l = &info->dlpi_phdr[i];
		if (l->p_type == PT_LOAD && (l->p_flags & PF_R) != 0 &&
		    p->p_vaddr >= l->p_vaddr &&
		    p->p_vaddr - l->p_vaddr <= l->p_filesz &&
		    p->p_filesz <= l->p_filesz - (p->p_vaddr - l->p_vaddr))
			return true;
	}
	return false;
}

/* Round an offset in a note up to the next one that is aligned. */
static size_t
padded(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/*
 * Find the build ID in a segment of notes, if there is one.  The text of a note
 * is aligned from where the note begins, and so is the next note.
 */
static bool
find_id(struct ut_loaded *m, const unsigned char *p, size_t left, size_t align)
{
	uint32_t head[3];		/* lengths of name and text, type */
	size_t text, next;

	while (left >= sizeof(head)) {
		memcpy(head, p, sizeof(head));
		if (head[0] > left - sizeof(head))
			return false;
		text = padded(sizeof(head) + head[0], align);
		if (text > left || head[1] > left - text)
			return false;
		if (head[2] == BUILD_ID && head[0] == 4 &&
		    memcmp(p + sizeof(head), "GNU", 4) == 0 &&
		    head[1] <= UT_BUILD_ID) {
			m->id = p + text;
			m->idlen = head[1];
			return true;
		}
		next = padded(text + head[1], align);
		if (next > left)
			return false;
		p += next;
		left -= next;
	}
	return false;
}

/*
 * Find the build ID in the segment at p.  A segment that is aligned to 8 may
 * have notes that are aligned to 4: mold(1) puts all into one segment.
 */
static void
find_id_in(struct ut_loaded *m, const phdr *seg, const unsigned char *p)
{
	if (seg->p_align != 8 || !find_id(m, p, seg->p_filesz, 8))
		(void)find_id(m, p, seg->p_filesz, 4);
}

/* False if nothing of it is mapped. */
static bool
measure(const struct dl_phdr_info *info, struct ut_loaded *m)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t low = UINTPTR_MAX, high = 0;
	const phdr *p;
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_vaddr < low)
			low = p->p_vaddr;
		if (p->p_vaddr + p->p_memsz > high)
			high = p->p_vaddr + p->p_memsz;
	}
	if (low >= high)
		return false;
	low &= ~(page - 1);
	m->base = info->dlpi_addr;
	m->start = m->base + low;
	m->size = high - low;
	for (i = 0; i < info->dlpi_phnum && m->idlen == 0; i++) {
		p = &info->dlpi_phdr[i];
		if (p->p_type == PT_NOTE && readable(info, p))
			find_id_in(m, p, (const unsigned char *)(m->start +
			    (p->p_vaddr - low)));
	}
	return true;
}

/* The page of functions that the system gives to each process is no file. */
static bool
is_systems(const struct ut_loaded *m)
{
#if defined(__linux__)
	if (m->start == getauxval(AT_SYSINFO_EHDR))
		return true;
#endif
	return m->name[0] == '[';
}

/*
 * NetBSD 6 tells where the headers of a position-independent program lie as if
 * the program were at 0, where nothing is.
 */
static const phdr *
headers(const struct dl_phdr_info *info)
{
	const uintptr_t at = (uintptr_t)info->dlpi_phdr;

	if (at >= (uintptr_t)sysconf(_SC_PAGESIZE))
		return info->dlpi_phdr;
	return (const phdr *)(at + info->dlpi_addr);
}

static int
each(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct each *e = arg;
	struct dl_phdr_info there = *info;
	struct ut_loaded m = { 0, 0, 0, "", e->first, NULL, 0 };
#if !defined(__OpenBSD__)
	uint64_t now;

	if (e->first && size >= offsetof(struct dl_phdr_info, dlpi_subs) +
	    sizeof(info->dlpi_subs)) {
		now = ((uint64_t)info->dlpi_adds << 32 ^
		    (uint64_t)info->dlpi_subs) + 1;
		e->unchanged = now == *e->seen;
		*e->seen = now;
		if (e->unchanged)
			return 1;
	}
#endif
	(void)size;
	e->first = false;
	if (info->dlpi_name != NULL)
		m.name = info->dlpi_name;
	there.dlpi_phdr = headers(info);
	if (measure(&there, &m) && !is_systems(&m))
		e->f(&m);
	return 0;
}

bool
ut_loaded_each(void (*f)(const struct ut_loaded *), uint64_t *seen)
{
	struct each e = { f, seen, true, false };

	dl_iterate_phdr(each, &e);
	return !e.unchanged;
}

/*
 * glibc has a function for those who unwind stacks that takes no lock.  Where
 * there is none, nothing is known.
 */
#if defined(DLFO_STRUCT_HAS_EH_DBASE)

/*
 * The program headers are behind the ELF header, which is where the module
 * begins.  They are looked for in its first page only: that is mapped.
 */
static void
find_phdrs(const void *start, struct dl_phdr_info *info)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const unsigned char *p = start;
	ElfW(Ehdr) head;

	memcpy(&head, p, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_phentsize != sizeof(ElfW(Phdr)) || head.e_phoff > page ||
	    head.e_phoff % sizeof(void *) != 0 ||
	    head.e_phnum > (page - head.e_phoff) / sizeof(ElfW(Phdr)))
		return;
	info->dlpi_phdr = (const ElfW(Phdr) *)(const void *)(p + head.e_phoff);
	info->dlpi_phnum = head.e_phnum;
}

/*
 * Find the build ID in the module's file, if that begins with the ELF header
 * that is in memory; it is in the caller's buffer then.
 */
static void
find_id_in_file(struct ut_loaded *m, unsigned char notes[NOTES])
{
	const int fd = open(m->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ElfW(Ehdr) e;
	ElfW(Phdr) p;
	size_t i;

	if (fd == -1)
		return;
	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) ||
	    memcmp(&e, (const void *)m->start, sizeof(e)) != 0)
		e.e_phnum = 0;
	for (i = 0; i < e.e_phnum && i < PHDRS && m->idlen == 0; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff +
		    i * sizeof(p))) == (ssize_t)sizeof(p) &&
		    p.p_type == PT_NOTE && p.p_filesz <= NOTES &&
		    pread(fd, notes, p.p_filesz, (off_t)p.p_offset) ==
		    (ssize_t)p.p_filesz)
			find_id_in(m, &p, notes);
	close(fd);
}

bool
ut_loaded_finds(void)
{
	return true;
}

int
ut_loaded_there(const void *addr)
{
	struct dl_find_object o;

	return _dl_find_object((void *)(uintptr_t)addr, &o) == 0;
}

/*
 * While it cannot go: code of it has called us.  The system knows the headers
 * of the program: if its memory has holes, the linker finds a part.  Where a
 * tool has moved the headers of a library, the linker knows the bounds.
 */
bool
ut_loaded_at(const void *addr, bool (*f)(const struct ut_loaded *))
{
	struct ut_loaded m = { 0, 0, 0, "", false, NULL, 0 };
	unsigned char notes[NOTES];
	struct dl_phdr_info info;
	struct dl_find_object o;
	const struct link_map *map;

	if (_dl_find_object((void *)(uintptr_t)addr, &o) != 0)
		return false;
	map = o.dlfo_link_map;
	memset(&info, 0, sizeof(info));
	info.dlpi_addr = map->l_addr;
	if (map->l_name != NULL)
		m.name = map->l_name;
	m.program = map->l_prev == NULL && m.name[0] == '\0';
	if (m.program) {
		info.dlpi_phdr = (const ElfW(Phdr) *)getauxval(AT_PHDR);
		info.dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
	} else
		find_phdrs(o.dlfo_map_start, &info);
	if (!measure(&info, &m) || (!m.program &&
	    m.start != (uintptr_t)o.dlfo_map_start)) {
		m.base = map->l_addr;
		m.start = (uintptr_t)o.dlfo_map_start;
		m.size = (uintptr_t)o.dlfo_map_end - m.start;
		m.idlen = 0;
		find_id_in_file(&m, notes);
	}
	return !is_systems(&m) && f(&m);
}

#else

bool
ut_loaded_finds(void)
{
	return false;
}

int
ut_loaded_there(const void *addr)
{
	(void)addr;
	return -1;
}

bool
ut_loaded_at(const void *addr, bool (*f)(const struct ut_loaded *))
{
	(void)addr;
	(void)f;
	return false;
}

#endif

/*
 * glibc, and NetBSD before 10, leave the lock as it is when another thread has
 * it: whoever waits for it in the child waits for ever.  FreeBSD takes the lock
 * over a fork, and so does musl since 1.2.2.  An older musl does not: there the
 * child waits for ever if another thread was just loading something.  Musl does
 * not tell its version, and a child that did not look would not know what it
 * loads itself.
 */
bool
ut_loaded_stuck(void)
{
#if defined(__FreeBSD__) || (defined(__linux__) && !defined(__GLIBC__))
	return false;
#else
	return true;
#endif
}

static char path[UT_PATH];		/* the result of ut_loaded_path */

/* Set path to the name; to a relative one only if its file is there. */
static bool
find_named(const char *name)
{
	struct stat st;
	const size_t len = name != NULL ? strlen(name) : 0;
	size_t n = 0;

	if (len == 0 || len >= sizeof(path))
		return false;
	if (name[0] != '/') {
		if (getcwd(path, sizeof(path)) == NULL || path[0] != '/')
			return false;
		n = strlen(path);
		if (len >= sizeof(path) - n - 1)
			return false;
		path[n++] = '/';
	}
	memcpy(path + n, name, len + 1);
	return n == 0 || stat(path, &st) == 0;
}

#if defined(__linux__)

/* The path in a line of /proc/self/maps, if the line has the address. */
static const char *
line_path(const char *line, uintptr_t at)
{
	uintptr_t from, to;
	char *p;

	from = (uintptr_t)strtoull(line, &p, 16);
	if (*p != '-')
		return NULL;
	to = (uintptr_t)strtoull(p + 1, &p, 16);
	return at >= from && at < to ? strchr(p, '/') : NULL;
}

/* The system writes a newline as \012. */
static void
keep_path(const char *s)
{
	size_t n = 0;

	while (*s != '\0' && n < sizeof(path) - 1) {
		if (strncmp(s, "\\012", 4) == 0) {
			path[n++] = '\n';
			s += 4;
		} else
			path[n++] = *s++;
	}
	path[*s == '\0' ? n : 0] = '\0';
}

/* The system knows the path of what is mapped at that address. */
static bool
find_mapped(uintptr_t at)
{
	static char buf[4096], line[UT_PATH + 128];
	const char *found = NULL;
	size_t len = 0;
	ssize_t n, i;
	int fd;

	if ((fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) == -1)
		return false;
	while (found == NULL && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < n && found == NULL; i++) {
			if (buf[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = buf[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			found = line_path(line, at);
		}
	}
	close(fd);
	if (found != NULL)
		keep_path(found);
	return found != NULL && path[0] == '/';
}

static bool
find_program(void)
{
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n > 0 && n < (ssize_t)sizeof(path) - 1 && path[0] == '/') {
		path[n] = '\0';
		return true;
	}
	return find_named((const char *)getauxval(AT_EXECFN));
}

#else

static bool
find_mapped(uintptr_t at)
{
	(void)at;
	return false;
}

#if defined(__FreeBSD__) || defined(KERN_PROC_PATHNAME)

static bool
find_program(void)
{
#if defined(__FreeBSD__)
	const int mib[] = { CTL_KERN, KERN_PROC, KERN_PROC_PATHNAME, -1 };
#else
	const int mib[] = { CTL_KERN, KERN_PROC_ARGS, -1, KERN_PROC_PATHNAME };
#endif
	size_t n = sizeof(path);

	return sysctl(mib, 4, path, &n, NULL, 0) == 0 && path[0] == '/';
}

#elif defined(__NetBSD__)

/* Before NetBSD 8 the system tells the run-time linker alone. */
static bool
find_program(void)
{
	const AuxInfo *aux = _dlauxinfo();

	if (aux == NULL)
		return false;
	while (aux->a_type != AT_NULL && aux->a_type != AT_SUN_EXECNAME)
		aux++;
	return aux->a_type != AT_NULL &&
	    find_named((const char *)(uintptr_t)aux->a_v);
}

#else

static bool
find_program(void)
{
	return false;
}

#endif

#endif

/*
 * Linux tells of a file that was removed since.  Another may have taken its
 * place, and build IDs say whether it is the same.
 */
static void
cut_deleted(void)
{
	static const char deleted[] = " (deleted)";
	const size_t n = strlen(path), end = sizeof(deleted) - 1;
	struct stat st;

	if (n > end && strcmp(path + n - end, deleted) == 0 &&
	    stat(path, &st) == -1)
		path[n - end] = '\0';
}

const char *
ut_loaded_path(const struct ut_loaded *m)
{
	const bool named = !m->program && m->name[0] == '/';

	path[0] = '\0';
	if ((named && find_named(m->name)) ||
	    (!named && find_mapped(m->start)) ||
	    (m->program && find_program()) ||
	    (!named && find_named(m->name)))
		cut_deleted();
	else
		path[0] = '\0';
	return path;
}

#else

bool
ut_loaded_each(void (*f)(const struct ut_loaded *), uint64_t *seen)
{
	(void)f;
	(void)seen;
	return false;
}

const char *
ut_loaded_path(const struct ut_loaded *m)
{
	(void)m;
	return "";
}

bool
ut_loaded_finds(void)
{
	return false;
}

int
ut_loaded_there(const void *addr)
{
	(void)addr;
	return 0;
}

bool
ut_loaded_at(const void *addr, bool (*f)(const struct ut_loaded *))
{
	(void)addr;
	(void)f;
	return false;
}

bool
ut_loaded_stuck(void)
{
	return true;
}

#endif
