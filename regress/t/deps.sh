# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The library needs the system's own libraries and no other.

. ./common.sh
not_sanitized
not_cross

need readelf
needed() {
	readelf -d "$1" >"$T/dynamic" || fail "readelf $1"
	sed -n '/NEEDED/s/.*\[\(.*\)\].*/\1/p' "$T/dynamic" | sort -u
}

# What the compiler adds to any is not counted.
empty_so
needed "$T/empty.so" >"$T/any"
cpu=
[ "$(uname)" != Linux ] || cpu=libut-cpu.so
for lib in libut.so $cpu libut-func.so libut-malloc.so libut-pthread.so; do
	needed "$TOP/libut/$lib" >"$T/needed"
	cat "$T/needed"
	grep -q '^libc\.' "$T/needed" || fail "$lib: no libc"
	comm -13 "$T/any" "$T/needed" | grep -v -e '^libc\.' \
	    -e '^libpthread\.' -e '^librt\.' -e '^libdl\.' -e '^ld-' \
	    -e '^libut\.' && fail "$lib needs more than that"
done
exit 0
