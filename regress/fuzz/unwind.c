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
 * Call stacks of wild registers and damaged tables: a copy of the C library, of
 * whose tables some bytes are others.  The input is a seed, for the stack, the
 * registers, and what is damaged by rows of (kind, offset, byte).
 */

#include <sys/types.h>
#include <sys/mman.h>

#include <link.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../libut/unwind/cpu.h"
#include "../../libut/unwind/modules.h"
#include "../../libut/unwind/unwind.h"
#include "fuzz.h"

#define WORDS		16384
#define DAMAGE		32

#if UNWIND_CPU && defined(__linux__)

void	__asan_poison_memory_region(const volatile void *, size_t)
	    __attribute__((weak));
bool	__wrap_ut_modules_find(uintptr_t, struct unwind_module *);

static struct unwind_module copy;
static uintptr_t stack[WORDS];
static struct unwinder mine;
static uint64_t state;

static uint64_t
any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

bool
__wrap_ut_modules_find(uintptr_t place, struct unwind_module *m)
{
	*m = copy;
	return place >= m->text && place < m->etext;
}

/* Copy what can be read of the library that has a function of no sanitizer. */
static int
copy_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uintptr_t there = (uintptr_t)hcreate;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const ElfW(Phdr) *p = info->dlpi_phdr, *end = p + info->dlpi_phnum;
	uintptr_t top = 0, from, to;
	bool ours = false;

	(void)size;
	for (; p < end; p++) {
		from = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && there - from < p->p_filesz)
			ours = true;
		if (p->p_type == PT_LOAD)
			top = p->p_vaddr + p->p_memsz;
	}
	if (!ours || arg == NULL)
		return 0;
	to = (uintptr_t)mmap(NULL, top + 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to == (uintptr_t)MAP_FAILED)
		fuzz_die("mmap");
	for (p = info->dlpi_phdr; p < end; p++) {
		from = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_GNU_EH_FRAME)
			copy.header = to + p->p_vaddr;
		if (p->p_type != PT_LOAD || (p->p_flags & PF_W) != 0)
			continue;
		memcpy((void *)(to + p->p_vaddr), (const void *)from,
		    p->p_filesz);
	}
	for (p = info->dlpi_phdr; p < end; p++) {
		from = to + p->p_vaddr;
		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
			copy.text = from;
			copy.etext = from + p->p_filesz;
		}
		if (p->p_type == PT_LOAD && copy.header - from < p->p_filesz) {
			copy.begin = from;
			copy.end = from + p->p_filesz;
		}
	}
	if (&__asan_poison_memory_region != NULL)
		__asan_poison_memory_region((void *)copy.end,
		    page - copy.end % page);
	return 1;
}

/* Words that could be of a stack: code of the copy, and the way up. */
static uintptr_t
likely(size_t at)
{
	switch (any() % 8) {
	case 0:
		return (uintptr_t)any();
	case 1:
	case 2:
		return (uintptr_t)&stack[(at + any() % 200) % WORDS];
	default:
		return copy.text + any() % (copy.etext - copy.text);
	}
}

static void
set_registers(ucontext_t *uc, uint64_t how)
{
	uintptr_t sp = (uintptr_t)&stack[any() % WORDS];
	uintptr_t pc = likely(0), fp = likely(any() % WORDS);
	int i;

	if (how % 8 == 0)
		sp = (uintptr_t)any();
	if (how / 8 % 4 == 0)
		pc = copy.text + any() % (copy.etext - copy.text);
#if defined(__aarch64__)
	for (i = 0; i < 31; i++)
		uc->uc_mcontext.regs[i] = likely(any() % WORDS);
	uc->uc_mcontext.regs[29] = fp;
	uc->uc_mcontext.sp = sp;
	uc->uc_mcontext.pc = pc;
#else
	for (i = 0; i < NGREG; i++)
		uc->uc_mcontext.gregs[i] = (greg_t)likely(any() % WORDS);
#if defined(__x86_64__)
	uc->uc_mcontext.gregs[REG_RBP] = (greg_t)fp;
	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
#else
	uc->uc_mcontext.gregs[REG_EBP] = (greg_t)fp;
	uc->uc_mcontext.gregs[REG_ESP] = (greg_t)sp;
	uc->uc_mcontext.gregs[REG_EIP] = (greg_t)pc;
#endif
#endif
}

static void
look(uint64_t how)
{
	uintptr_t frames[UNWIND_MAX];
	struct unwound s = { frames, 64, UINT32_MAX, UINT32_MAX, 0 };
	static ucontext_t uc;

	set_registers(&uc, how);
	ut_unwind_context(&mine, &uc, &s);
	if (s.n == 0 || s.n > 64 || s.end > STACK_CUT || s.hash == 0 ||
	    (s.end == STACK_DEPTH && s.n != 64))
		fuzz_die("the stack");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t *at[DAMAGE], was[DAMAGE], kind;
	size_t i, n = 0, room;
	uint64_t how;

	if (copy.text == 0) {
		ut_unwind_changed();
		dl_iterate_phdr(copy_libc, &copy);
		if (copy.end == 0)
			fuzz_die("no libc");
	}
	how = input_u64(&in);
	state = how | 1;
	for (i = 0; i < 64; i++) {
		room = any() % WORDS;
		stack[room] = likely(room);
	}
	while (in.n > 0 && n < DAMAGE) {
		kind = input_u8(&in);
		room = kind % 4 == 0 ? 64 : copy.end - copy.header;
		at[n] = (uint8_t *)copy.header + input_u32(&in) % room;
		was[n] = *at[n];
		*at[n++] = input_u8(&in);
	}
	ut_unwind_gone();
	for (i = 0; i < 8; i++)
		look(any());
	ut_unwind_forget(&mine);
	while (n-- > 0)
		*at[n] = was[n];
	return 0;
}

#else

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}

#endif
