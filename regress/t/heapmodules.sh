# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap where one name, or one address, means different code: plugins, and
# programs in containers.  With UT_POSIX, there are no modules.

. ./shared/heap.sh

not_sanitized
case "$CC $CFLAGS" in
*-m32*|*musl*|*UT_POSIX*)	skip "not with $CC $CFLAGS" ;;
esac

# Plugins that are loaded in turn at one address are two callers, not many.
cat >"$T/plugin.c" <<'END'
#include <stdlib.h>
static void * volatile kept;
void plugin(void) { kept = malloc(LENGTH); }
END
cat >"$T/turns.c" <<'END'
#include <dlfcn.h>

int
main(int argc, char *argv[])
{
	void *h;
	int i;

	for (i = 0; i < 20; i++) {
		if ((h = dlopen(argv[1 + i % (argc - 1)], RTLD_NOW)) == 0)
			return 1;
		((void (*)(void))dlsym(h, "plugin"))();
		dlclose(h);
	}
	return 0;
}
END
for n in 5555 6666; do
	$CC -O1 -fPIC -shared -o "$T/in$n.so" -DLENGTH=$n "$T/plugin.c" ||
	    fail "cannot build a plugin"
done
$CC -O1 -o "$T/turns" "$T/turns.c" $DL || fail "cannot build turns"
recorded -w malloc -- "$T/turns" "$T/in5555.so" "$T/in6666.so"
utctl heap "$T/trace" >"$T/out" || fail "heap of plugins"
caller_rows "$T/out" | sed -n 's/[()]//g
    s/^ *\([0-9]*\) *\([0-9]*\) .* plugin+.* \(in.*\)$/\1 \2 \3/p' |
    sort >"$T/got"
# Not every system puts the next one in the place of the last one.
[ "$(utctl view -e ut:module "$T/trace" |
    sed -n 's/.* base = \([^,]*\), .*\/in[56]*\.so.*/\1/p' |
    sort -u | wc -l)" -ne 1 ] || [ "$(cat "$T/got")" = "55550 10 in5555.so
66660 10 in6666.so" ] || fail "plugins: $(cat "$T/out")"

# Programs that are number 1 in their containers: two of one user that have
# names of their own call functions of their own.
new="unshare -p -f"
[ "$(id -u)" -eq 0 ] || new="unshare -Ur -p -f"
if $new true 2>/dev/null; then
	cat >"$T/inside.c" <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	static void * volatile kept;
	__attribute__((noinline, noclone)) void
	NAME(void)
	{
		kept = malloc(777);
	}
	int
	main(void)
	{
		char c;

		if (write(1, "\n", 1) == 1 && read(0, &c, 1) == 1)
			NAME();
		return 0;
	}
	END
	for name in one two; do
		$CC -O1 -o "$T/$name" -DNAME=only_$name "$T/inside.c" ||
		    fail "cannot build $name"
	done
	mkfifo "$T/go" "$T/ready" || fail "mkfifo"
	recorded -w malloc -- sh -c "exec 3<>$T/go 4<>$T/ready
	    $new $T/one <&3 >&4 & read line <&4
	    echo | $new $T/two >&4; echo >&3; wait"
	utctl heap "$T/trace" >"$T/out" || fail "heap of containers"
	for name in one two; do
		sed -n "/^$name\[1\]: /,/^\$/s/^ *777 .* \([a-z_][a-z_]*\)+.*/\1/p" \
		    "$T/out" >"$T/got"
		[ "$(cat "$T/got")" = only_$name ] ||
		    fail "not only_$name: $(cat "$T/out")"
	done
	# Those of one name are two if each is a trace, or their users differ.
	other=
	[ "$(id -u)" -ne 0 ] || other="./prog/asuser 65534"
	chmod 711 "$T" "$T/run"
	echo "1 malloc 100 0x1000 0xa1" >"$T/calls"
	start_utd
	for how in -p "$other"; do
		[ -n "$how" ] || continue
		rm -rf "$T/trace"
		utctl create -o "$T/trace" s >/dev/null &&
		    utctl enable-channel ${how%%./*} c &&
		    utctl enable-event -c c 'libc:*' >/dev/null &&
		    utctl start >/dev/null || fail "create"
		$new ./prog/calls <"$T/calls" || fail "calls"
		$new ${how#-p} ./prog/calls <"$T/calls" || fail "$how calls"
		utctl destroy >/dev/null || fail "destroy"
		utctl heap "$T/trace" >"$T/out" || fail "heap of $how"
		[ "$(grep -c '^calls\[1\]: 100 bytes in 1 ' "$T/out")" -eq 2 ] ||
		    fail "not two of $how: $(cat "$T/out")"
	done
	stop_utd || fail "utd: $?"
fi
