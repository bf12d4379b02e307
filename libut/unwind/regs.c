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
 * Registers in the contexts of signals, and code by its bytes.
 */

#include "cpu.h"

#if UNWIND_CPU

#include <sys/types.h>

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

/* Memory that the program has not made known to sanitizers. */
#define UNCHECKED	__attribute__((no_sanitize_address, no_sanitize_thread))

#define SIGINFO_BYTES	128		/* Linux's siginfo_t */
#define REGS_BYTES	272		/* no processor saves more of these */

#if defined(__linux__) && defined(__aarch64__)
#define REGS_AT		offsetof(ucontext_t, uc_mcontext.regs)
#elif defined(__linux__)
#define REGS_AT		offsetof(ucontext_t, uc_mcontext.gregs)
#else
#define REGS_AT		offsetof(ucontext_t, uc_mcontext.__gregs)
#endif

/* The places of the registers there, in the order of DWARF's numbers. */
#if defined(__linux__) && defined(__x86_64__)
static const uint8_t order[REG_N] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX,
	REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };
#elif defined(__linux__) && defined(__i386__)
static const uint8_t order[REG_N] = { REG_EAX, REG_ECX, REG_EDX, REG_EBX,
	REG_ESP, REG_EBP, REG_ESI, REG_EDI, REG_EIP };
#elif defined(__NetBSD__)
static const uint8_t order[REG_N] = { _REG_RAX, _REG_RDX, _REG_RCX, _REG_RBX,
	_REG_RSI, _REG_RDI, _REG_RBP, _REG_RSP, _REG_R8, _REG_R9, _REG_R10,
	_REG_R11, _REG_R12, _REG_R13, _REG_R14, _REG_R15, _REG_RIP };
#endif

static void UNCHECKED
regs_read(const void *from, uintptr_t *regs)
{
	size_t i;

#if defined(__aarch64__)
	/* Behind the 31 registers are sp and pc. */
	for (i = 0; i < REG_N; i++)
		regs[i] = (uintptr_t)((const uint64_t *)from)[i];
#else
	for (i = 0; i < REG_N; i++)
		regs[i] = ((const uintptr_t *)from)[order[i]];
#endif
}

void
ut_regs_context(const void *context, uintptr_t *regs)
{
	regs_read((const char *)context + REGS_AT, regs);
}

#if defined(__linux__)

uintptr_t
ut_regs_where(uintptr_t sp, unsigned int kind, uintptr_t *size)
{
	*size = REGS_BYTES;
#if defined(__x86_64__)
	(void)kind;
	return sp + REGS_AT;
#elif defined(__i386__)
	/* Arguments of the handler: old is signal and registers. */
	if (kind == SIGNAL_OLD)
		return sp + WORD;
	return sp + 3 * WORD + SIGINFO_BYTES + REGS_AT;
#else
	(void)kind;
	return sp + SIGINFO_BYTES + REGS_AT;
#endif
}

#else

/* Other systems keep it in a register that is not known any more. */
uintptr_t
ut_regs_where(uintptr_t sp, unsigned int kind, uintptr_t *size)
{
	(void)sp;
	(void)kind;
	*size = 0;
	return 0;
}

#endif

void
ut_regs_signal(uintptr_t at, uintptr_t *regs)
{
	regs_read((const void *)at, regs);
}

#if defined(__aarch64__)

static uint32_t UNCHECKED
instruction(uintptr_t at)
{
	return *(const uint32_t *)(at & ~(uintptr_t)3);
}

/* BL, BLR, and BLR of a signed address. */
bool
ut_code_called(uintptr_t pc)
{
	const uint32_t i = instruction(pc - 4);

	return (i & 0xfc000000) == 0x94000000 || (i & 0xfefff000) == 0xd63f0000;
}

int
ut_code_signal(uintptr_t pc)
{
	/* mov x8, 139; svc 0 */
	return instruction(pc) == 0xd2801168 &&
	    instruction(pc + 4) == 0xd4000001 ? SIGNAL_RT : -1;
}

/* Within four instructions of br x17. */
bool
ut_code_stub(uintptr_t pc)
{
	uintptr_t at;

	for (at = pc; at < pc + CODE_AFTER; at += 4)
		if (instruction(at) == 0xd61f0220)
			return true;
	return false;
}

#else

static bool UNCHECKED
is_code(const uint8_t *p, const char *code, size_t n)
{
	size_t i;

	for (i = 0; i < n && p[i] == (uint8_t)code[i]; i++)
		continue;
	return i == n;
}

/* Directly, or through a register or memory. */
bool UNCHECKED
ut_code_called(uintptr_t pc)
{
	const uint8_t *p = (const uint8_t *)pc;
	int n;

	if (p[-5] == 0xe8)
		return true;
	for (n = 2; n <= CODE_BEFORE; n++)
		if (p[-n] == 0xff && (p[-n + 1] & 0x38) == 0x10)
			return true;
	return false;
}

int
ut_code_signal(uintptr_t pc)
{
	const uint8_t *p = (const uint8_t *)pc;

#if defined(__linux__) && defined(__x86_64__)
	/* mov $15, %rax; syscall */
	return is_code(p, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9) ?
	    SIGNAL_RT : -1;
#elif defined(__linux__)
	/* mov $173, %eax; int $0x80, and pop %eax; mov $119, %eax; int $0x80 */
	if (is_code(p, "\xb8\xad\0\0\0\xcd\x80", 7))
		return SIGNAL_RT;
	return is_code(p, "\x58\xb8\x77\0\0\0\xcd\x80", 8) ?
	    SIGNAL_OLD : -1;
#else
	(void)p;
	return -1;
#endif
}

/* A jump through memory, which may have endbr64 or bnd before it. */
bool UNCHECKED
ut_code_stub(uintptr_t pc)
{
	const uint8_t *p = (const uint8_t *)pc;

	if (is_code(p, "\xf3\x0f\x1e\xfa", 4))
		p += 4;
	if (*p == 0xf2)
		p++;
	return p[0] == 0xff && p[1] == 0x25;
}

#endif

#endif
