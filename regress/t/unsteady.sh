# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# run.sh repeats a test that fails: if it passes twice, that is said, its log is
# kept, and the run is good; not so if it fails again, or if it is one of many.
# Names that SKIP has for no test are refused, and kinds that are none.  What
# hangs is killed, and it is said what it was doing.  A seed makes the same
# draws.

. ./common.sh

mkdir "$T/r" "$T/r/t" "$T/r/prog" && cp run.sh hung.sh "$T/r" &&
    cp prog/within "$T/r/prog" || exit 1
unset SKIP ONLY LIMIT TIMES FAILED UNSTEADY_MAX
echo 'exit 0' >"$T/r/t/good.sh"
echo 'echo no; exit 1' >"$T/r/t/bad.sh"
# Fails so many times.
for t in once.1 twice.2 other.1 third.1 fourth.1; do
	cat >"$T/r/t/${t%.*}.sh" <<-END
		echo . >>\$0.ran; echo SEED=77; echo "turn \$(wc -l <\$0.ran)"
		[ \$(wc -l <\$0.ran) -gt ${t#*.} ]
	END
done

# runs STATUS LAST-LINE test ...
runs() {
	want=$1 last=$2
	shift 2
	rm -f "$T"/r/t/*.ran "$T"/r/*.log
	sh "$T/r/run.sh" "$@" >"$T/out" 2>&1
	[ $? -eq $want ] || fail "$*: not $want: $(cat "$T/out")"
	[ "$(tail -n 1 "$T/out")" = "$last" ] || fail "$*: $(cat "$T/out")"
}

runs 0 "1 passed, 0 failed, 0 skipped" good
runs 1 "1 passed, 1 failed, 0 skipped" good bad
[ -s "$T/r/bad.log" ] && grep -q '^failed  bad: again' "$T/out" || fail "bad"
runs 0 "2 passed, 0 failed, 0 skipped" once good
grep -q '^UNSTEADY once:' "$T/out" || fail "not said: $(cat "$T/out")"
grep -q '^FAILED  once: SEED=77 turn 1' "$T/out" || fail "$(cat "$T/out")"
grep -q '^turn 1' "$T/r/once.log" || fail "the log is another's"
[ "$(wc -l <"$T/r/t/once.sh.ran")" -eq 3 ] || fail "not three times"
runs 1 "0 passed, 1 failed, 0 skipped" twice
runs 0 "3 passed, 0 failed, 0 skipped" once other third
runs 1 "3 passed, 1 failed, 0 skipped" once other third fourth
# Who is repeated elsewhere is only named.
FAILED=$T/names
export FAILED
runs 1 "1 passed, 2 failed, 0 skipped" bad good once
[ "$(xargs <"$T/names")" = "bad once" ] || fail "$(cat "$T/names")"
unset FAILED
SKIP="good bad"
export SKIP
runs 0 "0 passed, 0 failed, 0 skipped" good bad
SKIP="good nosuch"
runs 1 "run.sh: nosuch: no such test in t/" good
printf 'good big\nonce small\n' >"$T/r/kinds"
SKIP=@big
runs 0 "1 passed, 0 failed, 0 skipped" good once
grep -q -x '1/1 once' "$T/out" || fail "$(cat "$T/out")"
SKIP=@huge
runs 1 "run.sh: @huge: no such kind of tests" good
unset SKIP
ONLY=@big
export ONLY
runs 0 "1 passed, 0 failed, 0 skipped" good once
unset ONLY

# It ends, with all that it started, and there is time to clean up.
cat >"$T/r/t/hangs.sh" <<-'END'
	trap 'echo cleaned up; exit 1' TERM
	(kill -STOP $(sh -c 'echo $PPID')) &
	echo $! >stopped
	sleep 4321
END
LIMIT=2
export LIMIT
runs 1 "0 passed, 1 failed, 0 skipped" hangs
grep -q '^FAILED  hangs: hung: longer than 2 seconds' "$T/out" &&
    grep -q '^    .* sleep 4321' "$T/out" || fail "not said: $(cat "$T/out")"
grep -q ' sleep 4321' "$T/r/hangs.log" &&
    grep -q -x 'cleaned up' "$T/r/hangs.log" || fail "$(cat "$T/r/hangs.log")"
until_ok gone "$(cat "$T/r/stopped")" || fail "not all is killed"

draws() {
	random= n=
	for i in 1 2 3 4 5 6; do
		draw 1000
		n="$n $r"
	done
}
SEED=5
draws >/dev/null
one=$n
draws >/dev/null
[ "$n" = "$one" ] || fail "seed 5:$one, then$n"
SEED=6
draws >/dev/null
[ "$n" != "$one" ] || fail "seeds 5 and 6:$n"
