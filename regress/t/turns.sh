# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Writers, handlers, consumers and deaths take turns as a seed says, in a memory
# as weak as C11 allows: turns/README.  Nothing that ut_abi(5) promises is
# broken, in as many runs of new seeds as TURNS_SECONDS allow, or in TURNS_RUNS
# runs of seeds that are always the same.  The faults of turns/faults are found,
# all or the first TURNS_FAULTS.

. ./common.sh

not_sanitized
[ "$(uname -s)" = Linux ] || skip "Linux only"
echo 'int main(void) { return 0; }' >"$T/x.c"
$CC -fsanitize=thread -S -o /dev/null "$T/x.c" 2>/dev/null &&
    [ "$($CC -dM -E "$T/x.c" | grep -c __LP64__)" -eq 1 ] ||
    skip "the compiler has no hooks for atomic operations"
seconds=${TURNS_SECONDS-900} cpus=$(getconf _NPROCESSORS_ONLN)

cd turns || exit 1
${MAKE-make} CC="$CC" CFLAGS="-O2 -g" >"$T/out" 2>&1 ||
    fail "cannot build: $(tail -3 "$T/out")"

# plant NAME FILE EXPRESSION: a scheduler with that fault.
plant() {
	(cd "../../${2%/*}" && sed "$3" "${2##*/}" >"$T/fault.c" &&
	    ! cmp -s "${2##*/}" "$T/fault.c") || fail "$1: sed changes nothing"
	dir=$(cd "../../${2%/*}" && pwd)
	$CC -std=c11 -D_GNU_SOURCE -fno-pie -O2 -g -w -fsanitize=thread \
	    -DUT_PER_THREAD= -I../../libut -iquote "$dir" -c "$T/fault.c" \
	    -o "$T/fault.o" 2>"$T/err" || fail "$1: $(head -3 "$T/err")"
	${MAKE-make} CC="$CC" CFLAGS="-O2 -g" OUT="$T/fault" WAS="${2%.c}.to" \
	    IS="$T/fault.o" fault >"$T/out" 2>&1 ||
	    fail "$1: $(tail -3 "$T/out")"
}

found=0 missed= most=${TURNS_FAULTS-1000}
while IFS='	' read -r name file change; do
	case $name in
	'#'*|'')
		continue
	esac
	[ "$found" -lt "$most" ] || break
	plant "$name" "$file" "$change"
	if nice -n 19 "$T/fault" -s 600 -p "$cpus" >"$T/out"; then
		missed="$missed $name"
	else
		found=$((found + 1))
		seed=$(grep -m1 seed "$T/out") ||
		    fail "$name: no seed: $(cat "$T/out")"
		echo "$name: $seed"
	fi
done <faults
[ -z "$missed" ] || fail "not found:$missed"
echo "$found faults found"

if [ -n "${TURNS_RUNS-}" ]; then
	set -- -n "$TURNS_RUNS" -f 1
else
	set -- -s "$seconds" -f $(($(date +%s) * 1000000))
fi
nice -n 19 ./turns "$@" -p "$cpus" >"$T/out" ||
    fail "$(cat "$T/out")"
cat "$T/out"
