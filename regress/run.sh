#!/bin/sh
# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Runs the tests that the arguments name, each t/NAME.sh in a process group of
# its own, says which one begins, and counts.  The log of a test is kept only
# when it failed; what it survived is said in any case.
#
# A test that fails is run twice more when the others have ended.  If it passes
# both times it counts as passed, a line says UNSTEADY, and NAME.log is still
# the log of the failure.  At most UNSTEADY_MAX tests (3) can be unsteady, and
# once a test fails again no other is repeated: the run has failed.
#
# LIMIT is the seconds that a test may take: 600, and 1200 with a sanitizer.
# One that takes longer has hung and has failed, and what its processes were
# doing is said and is in its log.
#
# SKIP names tests that are not to be run, and @KIND all tests of that kind: see
# the file kinds.  With ONLY, none is run but those that it names, likewise.
# PART=K/N runs each N-th of what is chosen, from the K-th: N runs do all.  With
# FEWER=N a test that kills at random, again and again, does so N times, and one
# that tries much of the same tries a part of it.
# TIMES is a file for the seconds that each test took, and its processes had the
# CPU for.  SEED makes a test that draws random numbers draw the same ones again:
# see common.sh.  If FAILED names a file, the names of failed tests go there, and
# nothing is repeated here.

cd "$(dirname "$0")" || exit 1
passed=0 failed=0 skipped=0 again=
case ${CFLAGS:-} in
*-fsanitize*)	: "${LIMIT:=1200}" ;;
*)		: "${LIMIT:=600}" ;;
esac

refuse() {
	echo "run.sh: $*" >&2
	exit 1
}

# names WORD...: for each @KIND its tests.
names() {
	for w in "$@"; do
		case $w in
		@*)	awk -v kind="${w#@}" '
			$1 !~ /^#/ {
				for (i = 2; i <= NF; i++)
					if ($i == kind && ++n)
						print $1
			}
			END { exit n == 0 }' kinds ||
			    refuse "$w: no such kind of tests" ;;
		*)	echo "$w" ;;
		esac
	done
}

[ -x prog/within ] || refuse "prog/within is not built: make progs"
skip=$(names ${SKIP:-}) && only=$(names ${ONLY:-}) || exit 1
for t in $skip $only "$@"; do
	[ -f "t/$t.sh" ] || refuse "$t: no such test in t/"
done
skip=" $(echo $skip) " only=" $(echo $only) "
chosen=
for t in "$@"; do
	case $skip in
	*" $t "*)	continue ;;
	esac
	case $only in
	"  "|*" $t "*)	chosen="$chosen $t" ;;
	esac
done
case ${PART:=1/1} in
[1-9]*/[1-9]*)	;;
*)		refuse "$PART: PART is not K/N" ;;
esac
chosen=$(echo $chosen | tr ' ' '\n' |
    awk -v k="${PART%/*}" -v n="${PART#*/}" 'NR % n == k % n')
set -- $chosen
# A test that runs others has its own.
times=${TIMES:-}
unset SKIP ONLY PART TIMES

# once TEST LOG
once() {
	./prog/within "$LIMIT" hung.sh sh "t/$1.sh" >"$2" 2>&1 </dev/null
}

# why TEST: the end of its log, and the seed.
why() {
	echo "$(sed -n 's/^SEED=/&/p' "$1.log" | tail -n 1)" \
	    "$(tail -n 3 "$1.log" | grep -v '^SEED=')" | tr '\n' ' '
}

# What processes had that have ended, in a file: a subshell would tell of its own
# alone.
spent() {
	[ -z "$times" ] || times >"$times.$1"
}
cpu() {
	cat "$times.before" "$times.after" | awk 'NR % 2 == 0 {
		gsub(/[ms]/, " ")
		had = now
		now = ($1 + $3) * 60 + $2 + $4
	} END { printf "%.0f\n", now - had }'
}

n=0
for t in "$@"; do
	n=$((n + 1))
	echo "$n/$# $t"
	begun=$(date +%s)
	spent before
	once "$t" "$t.log"
	status=$?
	spent after
	case $status in
	0)	passed=$((passed + 1))
		echo "ok      $t$(sed -n 's/^SURVIVED//p' "$t.log" | tail -1)"
		rm -f "$t.log" ;;
	77)	skipped=$((skipped + 1))
		echo "skip    $t: $(sed -n 's/^SKIP: //p' "$t.log")"
		rm -f "$t.log" ;;
	124)	failed=$((failed + 1)) again="$again $t"
		echo "FAILED  $t: hung: longer than $LIMIT seconds"
		sed -n '/^HUNG/,$s/^/    /p' "$t.log" ;;
	*)	failed=$((failed + 1)) again="$again $t"
		echo "FAILED  $t: $(why "$t")" ;;
	esac
	[ -z "$times" ] ||
	    echo "$(($(date +%s) - begun)) $t $(cpu)" >>"$times"
done
[ -z "$times" ] || rm -f "$times.before" "$times.after"

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
