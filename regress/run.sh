#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Runs the tests that the arguments name, each t/NAME.sh in a process of its
# own, and counts.  The log of a test is kept only when it failed; what it
# survived is said in any case.  SKIP is those that are not to be run, LIMIT
# the seconds that one may take, TIMES a file for the seconds that each took.

cd "$(dirname "$0")" || exit 1
passed=0 failed=0 skipped=0
for t in "$@"; do
	case " ${SKIP:-} " in
	*" $t "*)	continue ;;
	esac
	begun=$(date +%s)
	${LIMIT:+timeout -k 20 "$LIMIT"} sh "t/$t.sh" >"$t.log" 2>&1 </dev/null
	case $? in
	0)	passed=$((passed + 1))
		echo "ok      $t$(sed -n 's/^SURVIVED//p' "$t.log" | tail -1)"
		rm -f "$t.log" ;;
	77)	skipped=$((skipped + 1))
		echo "skip    $t: $(sed -n 's/^SKIP: //p' "$t.log")"
		rm -f "$t.log" ;;
	124)	failed=$((failed + 1))
		echo "FAILED  $t: longer than $LIMIT seconds" ;;
	*)	failed=$((failed + 1))
		echo "FAILED  $t: $(tail -n 3 "$t.log" | tr '\n' ' ')" ;;
	esac
	[ -z "${TIMES:-}" ] || echo "$(($(date +%s) - begun)) $t" >>"$TIMES"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
