# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs into which -w cannot be loaded run all the same, also as children,
# and record says of the command why there is nothing of it.

. ./common.sh
not_cross
not_sanitized

cat >"$T/hello.c" <<-END
	#include <stdio.h>
	#include <stdlib.h>

	int
	main(void)
	{
		puts("hello");
		free(malloc(10));
		return 7;
	}
END

# runs COMMAND...: under -w, with the status and the output that it has without.
runs() {
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -w malloc,pthread -- "$@" >"$T/out" \
	    2>"$T/err"
	status=$?
	[ $status -eq 7 ] || fail "$*: status $status: $(cat "$T/err")"
	[ "$(cat "$T/out")" = hello ] || fail "$*: prints $(cat "$T/out")"
	grep -q 'symbol not found' "$T/err" && fail "$*: $(cat "$T/err")"
	return 0
}

# said PATTERN: in what record said last.
said() {
	grep -q -e "^utctl: $1\$" "$T/err" ||
	    fail "no '$1': $(cat "$T/err")"
}

# Of the same C library all is recorded, and nothing is said.
$CC $CFLAGS -o "$T/same" "$T/hello.c" || fail "cannot build same"
runs "$T/same"
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$(cat "$T/err")"
utctl view -e 'libc:*' "$T/trace" | grep -q 'same\[' || fail "not recorded"

# So it is where the loader is started by name.
by=$(readelf -l "$T/same" 2>/dev/null |
    sed -n 's/.*interpreter: \(.*\)\]/\1/p')
if [ -n "$by" ]; then
	runs "$by" "$T/same"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$(cat "$T/err")"
	utctl view -e 'libc:*' "$T/trace" | grep -q ' libc:' ||
	    fail "$by: not recorded"
fi

n=0
if $CC $CFLAGS -static -o "$T/static" "$T/hello.c" 2>/dev/null; then
	n=$((n + 1))
	runs "$T/static"
	said "$T/static is statically linked: -w has no effect on it"
	runs sh -c "$T/static"
fi
if [ "$(getconf LONG_BIT)" -eq 64 ] &&
    $CC $CFLAGS -m32 -o "$T/small" "$T/hello.c" 2>/dev/null; then
	n=$((n + 1))
	runs "$T/small"
	said "$T/small is no program of 64 bits: -w has no effect on it"
	runs sh -c "$T/small"
fi
case $CC in
*musl*)	;;
*)	other=musl-gcc ;;
esac
if command -v "${other:-none}" >/dev/null 2>&1 &&
    musl-gcc -o "$T/other" "$T/hello.c" 2>/dev/null; then
	n=$((n + 1))
	other="$T/other is loaded by .*: -w is for programs that .* loads"
	runs "$T/other"
	said "$other"
	runs sh -c "$T/other"
	utctl view -e 'libc:*' "$T/trace" | grep -q 'sh\[' ||
	    fail "its parent is not recorded"
	printf '#! %s\n' "$T/other" >"$T/script" && chmod 755 "$T/script" ||
	    fail "set-up"
	runs "$T/script"
	said "$other"
fi
[ $n -gt 0 ] || skip "no programs here that are loaded otherwise"
