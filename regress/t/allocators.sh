# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Other allocators than the C library's: what operator new and delete of their
# libraries allocate and free is recorded, once, with its caller; libraries and
# programs with operators of their own go on to use these.

. ./shared/allocators.sh

cat >"$T/cxx.h" <<'END'
typedef __SIZE_TYPE__ size_t;
extern "C" {
void	*malloc(size_t);
void	 free(void *);
void	 abort() __attribute__((noreturn));
int	 printf(const char *, ...);
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
void	 operator delete(void *, std::align_val_t) noexcept;
void	 operator delete[](void *, std::align_val_t) noexcept;
void	 operator delete(void *, size_t, std::align_val_t) noexcept;
void	 operator delete(void *, const std::nothrow_t &) noexcept;
END

# A library with its own operators, from a pool; or, with HEADS, with malloc(3)
# and something in front of each piece.  Some forms are the C++ library's.
cat >"$T/pool.cc" <<'END'
#include "cxx.h"
extern "C" int pool_calls;
int pool_calls;
alignas(64) static char pool[1 << 20];
static size_t used;
static void *get(size_t size, size_t align) {
	pool_calls++;
#ifdef HEADS
	char *p = (char *)malloc(size + 64);
	(void)pool, (void)used, (void)align;
	if (p == nullptr)
		throw 1;
	return p + 64;
#else
	if (size > sizeof(pool))
		throw 1;
	used = (used + align - 1) & ~(align - 1);
	used += size;
	return pool + used - size;
#endif
}
static void put(void *p) {
	pool_calls++;
#ifdef HEADS
	if (p != nullptr)
		free((char *)p - 64);
#else
	if (p != nullptr && ((char *)p < pool || (char *)p > pool + used))
		abort();
#endif
}
void *operator new(size_t size) { return get(size, 16); }
void operator delete(void *p) noexcept { put(p); }
#ifndef HEADS
void *operator new[](size_t size) { return get(size, 16); }
void *operator new(size_t size, std::align_val_t a) {
	return get(size, (size_t)a);
}
void *operator new[](size_t size, std::align_val_t a) {
	return operator new(size, a);
}
void operator delete[](void *p) noexcept { put(p); }
void operator delete(void *p, size_t) noexcept { put(p); }
void operator delete(void *p, std::align_val_t) noexcept { put(p); }
void operator delete[](void *p, std::align_val_t) noexcept { put(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept {
	operator delete(p);
}
#endif
END

# It allocates and frees by all forms, and leaks one.  Each size is another.
cat >"$T/use.cc" <<'END'
#include "cxx.h"
static void *volatile p;
extern "C" __attribute__((noinline)) void leaks() {
	p = operator new(5555);
	__asm__ volatile("");
}
static void use(bool most) {
	const std::align_val_t a = std::align_val_t(64);
	for (int i = 0; i < 3; i++) {
		operator delete(p = operator new(101));
		operator delete[](p = operator new[](102));
		operator delete(p = operator new(103), size_t(103));
		operator delete(p = operator new(104, std::nothrow));
		operator delete[](p = operator new[](105, std::nothrow));
		operator delete(p = operator new(1024, a), a);
		operator delete[](p = operator new[](1088, a), a);
		operator delete(p = operator new(1152, a), size_t(1152), a);
		operator delete(p = operator new(109), std::nothrow);
	}
	leaks();
	try {
		if (!most)
			throw 1;
		p = operator new(~size_t(0) - 100000);
	} catch (...) {
		free(p = malloc(110));
	}
}
#ifdef PLUGIN
extern "C" int run();
extern "C" int pool_calls;
int run() {
	use(true);
	return pool_calls;
}
#else
int main(int argc, char *[]) {
	use(argc < 2);
	return 0;
}
#endif
END

CXX="$CC $CFLAGS -x c++ -std=c++17 -fno-builtin -I$T"
LIBCXX=
for l in -l:libstdc++.so.6 '-l:libc++.so.1 -l:libc++abi.so.1'; do
	$CXX -o "$T/use" "$T/use.cc" -x none $l >"$T/built" 2>&1 &&
	    "$T/use" && LIBCXX=$l && break
done

# seen WHAT: all of use.cc is in the trace, no more; only what it leaks is live.
seen() {
	[ "$lost" -eq 0 ] || fail "$1: $lost lost"
	utctl view -N -e 'libc:*' "$T/trace" >"$T/view.out" || fail "view"
	for size in 101 102 103 104 105 109 1024 1088 1152; do
		n=$(grep -c "size = $size, ptr = 0x[0-9a-f]*[0-9a-f]," \
		    "$T/view.out")
		[ "$n" -eq 3 ] || fail "$1: $n of $size: $(cat "$T/view.out")"
	done
	[ "$(grep -c 'size = 110, ' "$T/view.out")" -eq 1 ] ||
	    fail "$1: nothing after the exception"
	utctl heap "$T/trace" >"$T/heap" 2>"$T/err" || fail "$1: heap"
	grep -e 'freed twice' -e 'freed unseen' "$T/heap" &&
	    fail "$1: $(cat "$T/heap")"
	awk '$2 == 1 && $1 > 100 && $1 < 112 { exit 1 }
	    $1 == 5555 && $2 == 1 && $4 == 1 { n++ }
	    END { exit n != 1 }' "$T/heap" || fail "$1: $(cat "$T/heap")"
	case $CFLAGS in
	*-DUT_POSIX*)	;;
	*)	grep -q '^ *5555 *1 .* leaks+0x' "$T/heap" ||
		    fail "$1: caller: $(cat "$T/heap")" ;;
	esac
}

if [ -n "$LIBCXX" ]; then
	recorded -m block -w malloc -- "$T/use"
	seen "the C++ library"
	for how in '' -DHEADS; do
		$CXX $how -fPIC -shared -o "$T/libpool.so" "$T/pool.cc" \
		    -x none $LIBCXX || fail "cannot build libpool"
		$CXX -o "$T/pooled" "$T/use.cc" -x none -L"$T" -lpool $LIBCXX \
		    -Wl,-rpath,"$T" || fail "cannot build pooled"
		recorded -m block -w malloc -- "$T/pooled"
		seen "a library $how"
		LD_PRELOAD=$T/libpool.so
		export LD_PRELOAD
		recorded -m block -w malloc -- "$T/use"
		unset LD_PRELOAD
		seen "preloaded $how"
		# In a plugin of a program in C, whose operators nobody else
		# sees: none is passed by, and each call is there.
		$CXX $how -DPLUGIN -fPIC -shared -o "$T/plugin.so" \
		    "$T/pool.cc" "$T/use.cc" -x none $LIBCXX ||
		    fail "cannot build plugin"
		"$T/opens" "$T/plugin.so" >"$T/want" || fail "plugin"
		recorded -m block -w malloc -- "$T/opens" "$T/plugin.so"
		cmp -s "$T/want" "$T/record.out" || fail "plugin $how: $(cat \
		    "$T/want" "$T/record.out")"
	done
	for l in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		# Some abort where others throw an exception.
		for less in '' less; do
			out=$(LD_PRELOAD=$l "$T/use" $less 2>&1) && break
			out=no
		done
		[ -z "$out" ] || continue
		LD_PRELOAD=$l
		export LD_PRELOAD
		recorded -m block -w malloc -- "$T/use" $less
		unset LD_PRELOAD
		seen $l
		echo "tried $l"
	done
fi
