#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Runs the tests that the arguments name, each t/NAME.sh in a process of its
# own, and counts.  The log of a test is kept only when it failed; what it
# survived is said in any case.
#
# A test that fails is run twice more when the others have ended.  If it passes
# both times it counts as passed, a line says UNSTEADY, and NAME.log is still
# the log of the failure.  At most UNSTEADY_MAX tests (3) can be unsteady, and
# once a test fails again no other is repeated: the run has failed.
#
# SKIP names tests that are not to be run, LIMIT is the seconds that one may
# take, TIMES a file for the seconds that each took.  SEED makes a test that
# draws random numbers draw the same ones again: see common.sh.  If FAILED names
# a file, the names of failed tests go there, and nothing is repeated here.

cd "$(dirname "$0")" || exit 1
passed=0 failed=0 skipped=0 again=

for t in ${SKIP:-} "$@"; do
	[ -f "t/$t.sh" ] || {
		echo "run.sh: $t: no such test in t/" >&2
		exit 1
	}
done

# once TEST LOG
once() {
	${LIMIT:+timeout -k 20 "$LIMIT"} sh "t/$1.sh" >"$2" 2>&1 </dev/null
}

# why TEST: the end of its log, and the seed.
why() {
	echo "$(sed -n 's/^SEED=/&/p' "$1.log" | tail -n 1)" \
	    "$(tail -n 3 "$1.log" | grep -v '^SEED=')" | tr '\n' ' '
}

for t in "$@"; do
	case " ${SKIP:-} " in
	*" $t "*)	continue ;;
	esac
	begun=$(date +%s)
	once "$t" "$t.log"
	case $? in
	0)	passed=$((passed + 1))
		echo "ok      $t$(sed -n 's/^SURVIVED//p' "$t.log" | tail -1)"
		rm -f "$t.log" ;;
	77)	skipped=$((skipped + 1))
		echo "skip    $t: $(sed -n 's/^SKIP: //p' "$t.log")"
		rm -f "$t.log" ;;
	124)	failed=$((failed + 1)) again="$again $t"
		echo "FAILED  $t: longer than $LIMIT seconds" ;;
	*)	failed=$((failed + 1)) again="$again $t"
		echo "FAILED  $t: $(why "$t")" ;;
	esac
	[ -z "${TIMES:-}" ] || echo "$(($(date +%s) - begun)) $t" >>"$TIMES"
done

if [ -n "${FAILED:-}" ]; then
	[ -z "$again" ] || printf '%s\n' $again >>"$FAILED"
	again=
fi
unsteady=0
for t in $again; do
	[ $unsteady -lt "${UNSTEADY_MAX:-3}" ] || break
	once "$t" "$t.again" && once "$t" "$t.again" || {
		echo "failed  $t: again"
		rm -f "$t.again"
		break
	}
	rm -f "$t.again"
	unsteady=$((unsteady + 1)) failed=$((failed - 1)) passed=$((passed + 1))
	echo "UNSTEADY $t: failed once, then passed twice"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
