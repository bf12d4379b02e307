# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Links, FIFOs, devices, directories and hard links at each path that utctl
# looks at: see "Paths that utctl touches" in utd(8).  Nothing is waited
# for, opened, written or removed that was not meant.  What record -r removes is
# in removal, where utd is started in elsewhere.

. ./common.sh

chmod 711 "$T" && mkdir "$T/victim" && echo precious >"$T/victim/file" ||
    exit 1
victim() {
	[ "$(ls -A "$T/victim")" = file ] &&
	    [ "$(cat "$T/victim/file")" = precious ] ||
	    fail "$1: $(ls -lA "$T/victim")"
}
root() {
	[ "$(id -u)" -eq 0 ]
}

# Where save writes: a new file only.
start_utd
utctl create -o "$T/s" s >/dev/null || fail "create"
ln -s "$T/victim/new" "$T/link" && ln -s "$T/victim/file" "$T/link2" &&
    ln "$T/victim/file" "$T/hard" && mkfifo "$T/fifo" || exit 1
for f in link link2 hard fifo victim; do
	complains "^utctl: $T/$f: File exists" utctl save -o "$T/$f"
	victim "save $f"
done
expect 0 '' sh -c "cd '$T' && '$TOP/utctl/utctl' save -o plain"
expect 0 '' utctl save -o "$T/victim/../plain2"
cmp -s "$T/plain" "$T/plain2" || fail "save"
complains "$T/none/x: No such file" utctl save -o "$T/none/x"
if root; then
	mkdir "$T/user" && chown 65534 "$T/user" || exit 1
	./prog/asuser 65534 ln -s "$T/victim" "$T/user/way" || exit 1
	complains "user/way/new: .*: a symbolic link on the way" utctl save \
	    -o "$T/user/way/new"
	victim "save behind a link"
fi
utctl destroy >/dev/null && stop_utd || fail "utd: status $?"

# What record -r would replace.
for f in link link2 hard fifo victim; do
	complains "^utctl: $T/$f: not a trace" utctl record -r -o "$T/$f" -- \
	    true
	victim "record $f"
done
mkfifo "$T/x.old" || exit 1
complains "^utctl: $T/x.old: not a trace" utctl record -r -o "$T/x" -- true

# What recover -d removes: files of its own in a directory of its own.
mkdir -m 700 "$T/rd" && mkfifo "$T/rd/state.kept-1" &&
    ln -s "$T/victim/file" "$T/rd/state.kept-2" &&
    ln "$T/victim/file" "$T/rd/state.kept-3" &&
    mkdir "$T/rd/state.kept-4" || exit 1
UT_RUNDIR=$T/rd utctl recover -d >"$T/out" 2>"$T/err" </dev/null
[ "$(grep -c 'state.kept-[1-4]: not ours$' "$T/err")" -eq 4 ] ||
    fail "recover: $(cat "$T/out" "$T/err")"
[ "$(ls "$T/rd" | wc -l)" -eq 4 ] || fail "recover: $(ls "$T/rd")"
rm -rf "$T/rd/"*
: >"$T/rd/state.kept-1"
chmod 777 "$T/rd"
UT_RUNDIR=$T/rd utctl recover -d >"$T/out" 2>"$T/err"
grep -q "^utctl: $T/rd: not ours" "$T/err" && [ -e "$T/rd/state.kept-1" ] ||
    fail "recover: others can write: $(cat "$T/out" "$T/err")"
victim recover

# A private run directory, where others can change the way there.
if root; then
	mkdir -m 755 "$T/user/tmp" && mkdir -m 1777 "$T/user/tmp/t" || exit 1
	chmod 1777 "$T/user/tmp/t"
	for t in user/way user/tmp/t user/tmp; do
		TMPDIR=$T/$t utctl record -o "$T/tmp-$$" -- \
		    sh -c 'echo "$UT_RUNDIR"' >"$T/out" 2>/dev/null
		case $(cat "$T/out") in
		"$T"*)	fail "TMPDIR $t: $(cat "$T/out")" ;;
		esac
		rm -rf "$T/tmp-$$"
	done
	victim TMPDIR
fi

# What has a name of a stream, and of a module.
recorded -e 'app:*' -e 'func:*' -- ./prog/named <<END
module 0x20000000 0x20000000 4096 $T/module
caller 0x20000010
END
utctl view "$T/trace" >"$T/view0" 2>&1 && grep -q app:call "$T/view0" ||
    fail "view: $(cat "$T/view0")"
d=$(echo "$T"/trace/ust/uid/*/*)
mkfifo "$d/channel0_9" && mkdir "$d/channel0_8" || exit 1
! root || mknod "$d/channel0_7" c 1 5 2>/dev/null ||
    echo "no devices here"
for what in "mkfifo $T/module" "mkdir $T/module" "ln -s $T/fifo $T/module" \
    "ln -s /dev/null $T/module" "ln -s $T/module $T/module"; do
	$what || exit 1
	utctl view "$T/trace" >"$T/view" 2>&1 && cmp -s "$T/view" "$T/view0" ||
	    fail "$what: $(cat "$T/view")"
	rm -rf "$T/module"
done

# The same, put there after utctl has looked: it does not wait for it, and on
# Linux does not open it, which somebody would see who opens it for writing.
need strace
not_sanitized
strace -P "$T" -e 'inject=%%stat:delay_exit=1' true 2>/dev/null ||
    skip "strace cannot delay here"
swapped() {	# FILE command...
	rm -f "$T/opened"
	: >"$T/other" && rm -f "$T/decoy" && mkfifo "$T/decoy" || exit 1
	file=$1
	shift
	cp "$(command -v utctl)" "$T/other" && mv "$T/other" "$file" || exit 1
	(: >"$T/decoy"; : >"$T/opened") &
	writer=$!
	CHILDREN="$CHILDREN $writer"
	strace -o "$T/calls" -P "$file" -e 'inject=%%stat:delay_exit=1500000' \
	    "$@" >"$T/out" 2>&1 &
	looker=$!
	CHILDREN="$CHILDREN $looker"
	sleep 0.7
	mv "$T/decoy" "$file" || exit 1
	until_ok gone $looker || fail "$*: it waits for a FIFO"
	[ ! -e "$T/opened" ] || [ -n "$posix" ] ||
	    fail "$*: a FIFO is opened: $(cat "$T/calls")"
	: <>"$file"
	kill -9 $writer 2>/dev/null
	rm -f "$file"
}
posix=
case $CFLAGS in
*-DUT_POSIX*)	posix=1 ;;
esac
swapped "$T/module" utctl view "$T/trace"
mkdir "$T/bare" || exit 1
swapped "$T/bare/stream" utctl view "$T/bare"
exit 0
