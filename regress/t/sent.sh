# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The script of ut(7) that sends chunks: whatever becomes of the command in it,
# all chunks arrive, each once, and archives/ has those that did not.

. ./common.sh
need timeout

awk '/^\.Ss Send chunks/ { on = 1 }
on && /^\.Bd/ { in_it = 1; next }
in_it && /^\.Ed/ { exit }
in_it' "$TOP/man/ut.7" | sed 's/timeout 1h/timeout 1/' >"$T/send"
grep -q 'timeout 1 rsync' "$T/send" || fail "no script: $(cat "$T/send")"

# rsync -a DIR HOST:PATH, which does as the file mode says.
mkdir "$T/bin" "$T/remote" && cat >"$T/bin/rsync" <<END || exit 1
#!/bin/sh
part() {
	mkdir -p "$T/remote/\$2" && find "\$2" -type f | head -1 |
	    while read -r f; do
		mkdir -p "$T/remote/\${f%/*}" && head -c 50 "\$f" >"$T/remote/\$f"
	done
}
echo "\$*" >>"$T/calls"
case \$(cat "$T/mode") in
fail)	part "\$@"; exit 23 ;;
full)	part "\$@"; cat "\$2"/ust/*/*/*/c* >/dev/full ;;
hang)	part "\$@"; exec sleep 100 ;;
kill)	part "\$@"; kill -9 "\$(ps -o ppid= -p \$PPID | tr -d ' ')" ;;
late)	cp -R "\$2" "$T/remote/"
	kill -9 "\$(ps -o ppid= -p \$PPID | tr -d ' ')" ;;
*)	cp -R "\$2" "$T/remote/" ;;
esac
END
chmod +x "$T/bin/rsync"
PATH="$T/bin:$PATH"
called() {
	[ "$(wc -l <"$T/calls")" -ge "$1" ]
}
left() {
	[ "$(ls "$T/s/archives" | wc -l)" -eq "$1" ]
}

: >"$T/calls"
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -s s c &&
    utctl enable-event -s s -c c 'seq:*' && utctl start s >/dev/null &&
    utctl rotate -c "sh $T/send \"\$1\"" s || fail "set-up"
n=0
for each in ok fail full hang kill late; do
	echo $each >"$T/mode"
	n=$((n + 1))
	./prog/seq $n 1 100 && utctl rotate s >/dev/null || fail "rotate"
	until_ok called $n || fail "$each: not called"
	[ $each = ok ] && k=0 || k=$((n - 1))
	until_ok left $k || fail "$each: $(ls "$T/s/archives")"
done
# Once more, by another utd, with one more chunk.
kill_utd 0
start_utd
echo ok >"$T/mode"
./prog/seq 7 1 100 && utctl rotate s >/dev/null || fail "rotate"
until_ok left 0 || fail "not sent: $(ls "$T/s/archives"; cat "$T/calls")"
expect 0 'destroyed' utctl destroy s
[ "$(ls "$T/remote" | wc -l)" -ge 7 ] || fail "$(ls "$T/remote")"
until_ok left 0 || fail "$(ls "$T/s/archives")"
readers_agree "$T/remote"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
[ "$(cat "$T/got")" = "700 7 0" ] || fail "not all, once: $(cat "$T/got")"
stop_utd || fail "utd: status $?"
