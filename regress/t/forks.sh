# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# fork, also from a thread and while another traces, vfork and exec,
# posix_spawn, daemon(3) and what it does by hand, exec alone: every child
# traces as the process that it is from its first event on, and the events of
# the parent are as they would be alone.

. ./common.sh

recorded -b 64k -n 512 -- ./prog/forks 5000
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl view "$T/trace" >"$T/view.out" 2>"$T/view.err" || fail "view"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "seqcheck"
read -r got writers missing <"$T/got"
[ "$writers $missing" = "10 0" ] || fail "$writers writers, gaps of $missing"
for w in 3 4 5 6 7 8 9; do
	n=$(grep -c "writer = $w," "$T/view.out")
	[ "$n" -eq 5000 ] || fail "writer $w: $n events"
done
[ "$(grep -c 'writer = 0,' "$T/view.out")" -eq 500 ] || fail "parent: not 500"
[ "$(grep -c 'writer = 2,' "$T/view.out")" -eq 20 ] || fail "thread: not 20"
# Who wrote is who it says it was.
sed 's/.* forks\[\([0-9]*\):.* writer = \([0-9]*\),.*/\2 \1/' "$T/view.out" |
    sort -u >"$T/seen"
sort -u "$T/record.out" | diff - "$T/seen" || fail "other processes"
# A child is one thread, which has the process's number on Linux.
for w in 3 4 5 6 7 8 9; do
	p=$(sed -n "s/^$w //p" "$T/seen")
	ids=$(sed -n "s/.*\[\(.*\)\].* writer = $w,.*/\1/p" "$T/view.out" |
	    sort -u)
	case $(uname),$ids in
	Linux,$p:$p)	;;
	Linux,*)	fail "writer $w: another thread than $p: $ids" ;;
	*"
"*)			fail "writer $w: several threads: $ids" ;;
	esac
done
# exec alone leaves the process what it is.
[ "$(sed -n 's/^0 //p' "$T/seen")" = "$(sed -n 's/^9 //p' "$T/seen")" ] ||
    fail "another process after exec"
readers_agree "$T/trace"

# Children of a program whose threads trace as fast as they can, more than
# can be written: what is there is whole and in order, and all is counted.
recorded -b 4k -n 12 -- ./prog/forkload 8 16
read -r total forks <"$T/record.out"
echo "$total of $forks children and 8 threads, $lost lost"
[ $((events + lost)) -eq "$total" ] || fail "$events + $lost, not $total"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "seqcheck"
[ "$(discarded)" -eq "$lost" ] || fail "view: $(tail -n 3 "$T/view.err")"
read -r got writers missing <"$T/got"
[ "$got" -eq "$events" ] || fail "$got events, not $events"
