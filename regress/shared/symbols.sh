# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of names for addresses have in common: libraries, whose files
# are in $BIN, and programs that say that they have loaded them.

. ./common.sh

for tool in nm readelf addr2line objcopy strip c++filt; do
	need $tool
done

BASE=0x20000000	# where a program has nothing else
CFLAGS="$CFLAGS -g0"	# addr2line may be older than what debuggers are told
BIN=$T/bin
mkdir "$BIN"

# The build ID of a file: what its note has after 16 bytes.  Not every readelf
# shows it with -n.
id_of() {
	readelf -x .note.gnu.build-id "$1" 2>/dev/null | awk '
	$1 ~ /^0x/ { id = id substr($0, 14, 35) }
	END { gsub(/ /, "", id); print substr(id, 33) }'
}

# module FILE BASE [PATH [ID]]: its line for prog/named.
module() {
	readelf -lW "$1" >"$T/segments" 2>/dev/null || fail "readelf $1"
	set -- "$1" "$2" "${3:-$1}" "${4-$(id_of "$1")}" $(awk '
	$1 == "LOAD" && !n++ { print $3 }
	$1 == "LOAD" { end = $3 " " $6 }
	END { print end }' "$T/segments")
	printf 'module 0x%x 0x%x %d %s %s\n' $(($2)) \
	    $(($2 + $5 / 4096 * 4096)) \
	    $(($6 + $7 - $5 / 4096 * 4096)) "$3" "$4"
}

# Record what the standard input says, and show it.
told() {
	cat >"$T/told.in"
	recorded -e 'app:*' -e 'func:*' -- \
	    sh -c './prog/named <"$1"' sh "$T/told.in"
	[ "$lost" -eq 0 ] || fail "$lost lost"
}

# shown OPTION...: the callers, as they are shown.
shown() {
	utctl view "$@" "$T/trace" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view $*: $(cat "$T/view.err")"
	! grep -v -e '^utctl: -R .*: no file of the trace was found there$' \
	    -e '^utctl: -R .*: files of the trace are there, but of other ' \
	    -e ': addresses without names' "$T/view.err" || fail "view $*: $(cat "$T/view.err")"
	sed -n 's/.* app:call { n = [0-9]*, caller = \(.*\), addr = .*/\1/p' \
	    "$T/view.out"
}

# same WHAT: $T/got and $T/want are.
same() {
	cmp -s "$T/got" "$T/want" && return
	diff "$T/want" "$T/got" | head -n 10
	fail "$1"
}

# callers BASE ADDR...: of these addresses of a file.
callers() {
	base=$1
	shift
	for a; do
		printf 'caller 0x%x\n' $(($base + $a))
	done
}

# every FILE: an address in each four bytes of its code.
every() {
	readelf -SW "$1" | sed 's/.*\] //' | awk '
	$1 ~ /^\.(plt|text|init|fini)$/ { print "0x" $3, "0x" $5 }' |
	while read -r from size; do
		a=$((from)) end=$((from + size))
		while [ $a -lt $end ]; do
			echo "$a"
			a=$((a + 4))
		done
	done
}

# What nm says: all that has a size, and nothing where nothing has one.  Lines
# of addresses become what is shown of the calls that return one byte behind.
want() {
	file=$1 name=$2
	nm -P --defined-only "$file" >"$T/nm" 2>/dev/null
	[ -s "$T/nm" ] || nm -P -D --defined-only "$file" >"$T/nm"
	awk -v file="$name" '
	function hex(s,	i, v) {
		for (i = 1; i <= length(s); i++)
			v = v * 16 + index("0123456789abcdef",
			    substr(s, i, 1)) - 1
		return v
	}
	NR == FNR && $2 ~ /^[TtWwi]$/ && hex($4) > 0 {
		sub(/@.*/, "", $1)
		from[++n] = hex($3)
		to[n] = hex($3) + hex($4)
		name[n] = $1
	}
	NR == FNR { next }
	{
		best = 0
		for (i = 1; i <= n; i++)
			if (from[i] <= $1 && $1 < to[i] &&
			    (!best || from[i] > from[best]))
				best = i
		if (best)
			printf "%s+0x%x (%s)\n", name[best],
			    $1 + 1 - from[best], file
		else
			printf "%s+0x%x\n", file, $1 + 1
	}' "$T/nm" -
}

cat >"$T/lib.c" <<'END'
int lib_one(int), lib_two(int);
static __attribute__((noinline)) int hidden(int n) { return n * 3 + 1; }
int lib_one(int n) { return hidden(n) + hidden(n + 1); }
int lib_two(int n) { return n < 2 ? 1 : lib_two(n - 1) + lib_one(n); }
/* A function in another one, a place in it, and what has no size. */
__asm__(".text\n.balign 4\n.type outside, STT_FUNC\noutside: .skip 16\n"
    ".type inside, STT_FUNC\ninside: .skip 8\n.size inside, 8\n.skip 8\n"
    "place: .skip 16\n.size outside, 48\nendless: .skip 8\n");
END
cat >"$T/main.c" <<'END'
static __attribute__((noinline)) int inner(int n) { return n * 5 + 2; }
int outer(int n);
int outer(int n) { return inner(n) + inner(n + 1); }
int main(int argc, char **argv) { (void)argv; return outer(argc) & 1; }
END

make_lib() {
	out=$1
	shift
	$CC $CFLAGS -Wl,--build-id -fPIC -shared "$@" -o "$out" "$T/lib.c" ||
	    fail "cannot build $out"
}

make_lib "$BIN/libone.so"
make_lib "$BIN/libtwo.so" -DOTHER -Dhidden=concealed
$CC $CFLAGS -Wl,--build-id -fPIE -pie -o "$BIN/pie" "$T/main.c" ||
    fail "pie"

# addr FILE NAME: where nm says that it is.
addr() {
	echo "0x$(nm -P "$1" | awk -v name="$2" '$1 == name { print $3 }')"
}

# expects WHAT LINE...: what is shown of the callers.
expects() {
	what=$1
	shift
	shown $options >"$T/got"
	printf '%s\n' "$@" >"$T/want"
	same "$what"
}

options=
one=$(addr "$BIN/libone.so" lib_one)
hid=$(addr "$BIN/libone.so" hidden)
ID=$(id_of "$BIN/libone.so")
