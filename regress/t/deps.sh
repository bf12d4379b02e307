# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The library needs the system's own libraries and no other.

. ./common.sh
not_sanitized
not_cross

need ldd
for lib in libut.so libut-malloc.so; do
	ldd "$TOP/libut/$lib" >"$T/ldd" || fail "ldd $lib"
	cat "$T/ldd"
	grep -q 'libc\.' "$T/ldd" || fail "$lib: no libc"
	grep -v -e 'libc\.' -e 'libpthread\.' -e 'librt\.' -e 'libdl\.' \
	    -e 'ld-' -e 'linux-vdso' -e 'libut\.' -e "^$TOP" "$T/ldd" &&
	    fail "$lib needs more than that"
done
exit 0
