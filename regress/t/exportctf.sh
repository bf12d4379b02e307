# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F ctf: of a smaller trace, view prints what it prints of the
# whole one for the same selection, and both readers tell the same losses.  What
# was written before an error is not there.

. ./common.sh
need python3

# The losses that view told, without the names of files, and their sums; sums of
# what babeltrace2 told.
losses() {
	sed -n '/discarded\|lost before/s/ in [^ ]*$//p' "$1"
}
sums() {
	awk '/events? discarded/ { n += $2 } /packets? lost/ { p += $2 }
	    /may have been/ { u++ } END { print n + 0, p + 0, u + 0 }' "$1"
}
bt2_sums() {
	awk '/discarded [0-9]+ event/ { n += $4 } /discarded [0-9]+ packet/ {
	    p += $4 } /may have/ { u++ } END { print n + 0, p + 0, u + 0 }' "$1"
}

# cut SELECTION...: of $trace, into $T/cut.  A cut of all of that is the same.
cut() {
	rm -rf "$T/cut" "$T/again"
	utctl export -N -F ctf -o "$T/cut" "$@" "$trace" >"$T/out" \
	    2>"$T/err" || fail "$kind: export $*: $(cat "$T/err")"
	[ ! -s "$T/out" ] || fail "$kind: export $*: $(cat "$T/out")"
	utctl view -N "$@" "$trace" >"$T/want" 2>"$T/want.err" ||
	    fail "$kind: view $*: $(cat "$T/want.err")"
	# Programs have no names there, so samelines does not know the lines.
	if [ $kind != bare ]; then
		readers_agree "$T/cut"
	else
		utctl view -N "$T/cut" >"$T/view.out" 2>"$T/view.err"
		babeltrace2 "$T/cut" >"$T/bt2.out" 2>"$T/bt2.err" &&
		    [ "$(wc -l <"$T/bt2.out")" -eq "$(wc -l <"$T/want")" ] ||
		    ! command -v babeltrace2 >/dev/null 2>&1 ||
		    fail "$kind: $*: babeltrace2: $(cat "$T/bt2.err")"
	fi
	cmp -s "$T/want" "$T/view.out" || fail "$kind: $* differs:
$(diff "$T/want" "$T/view.out" | head -n 5)"
	losses "$T/want.err" >"$T/want.losses"
	losses "$T/view.err" >"$T/got.losses"
	# Where a packet has become several, its losses are those of one part.
	[ $kind = short ] || [ $kind = wide ] || [ $kind = lttng ] ||
	    cmp -s "$T/want.losses" "$T/got.losses" || fail "$kind: $*:
$(diff "$T/want.losses" "$T/got.losses" | head -n 5)"
	told=$(sums "$T/want.err")
	[ "$told" = "$(sums "$T/view.err")" ] ||
	    fail "$kind: $*: $(sums "$T/view.err") lost, not $told"
	if command -v babeltrace2 >/dev/null 2>&1; then
		[ "$told" = "$(bt2_sums "$T/bt2.err")" ] || fail "$kind: $*:\
 babeltrace2: $(bt2_sums "$T/bt2.err") lost, not $told"
	fi
	utctl export -N -F ctf -o "$T/again" "$T/cut" >"$T/out" 2>&1 ||
	    fail "$kind: $*, again: $(cat "$T/out")"
	diff -r "$T/cut" "$T/again" >"$T/diff" ||
	    fail "$kind: $*, again: $(head -n 3 "$T/diff")"
}

# The time of that line of the whole trace.
at() {
	sed -n "$1{s/^\([^ ]* [^ ]*\) .*/\1/p;q;}" "$T/whole"
}

# all FILTER GLOB: selections of $trace.
all() {
	utctl view -N "$trace" >"$T/whole" 2>/dev/null
	n=$(wc -l <"$T/whole")
	[ "$n" -ge 30 ] || fail "$kind: only $n events"
	a=$(at $((n / 4))) b=$(at $((n * 3 / 4)))
	cut
	cut -e none:at-all
	# What is lost is told.
	[ -s "$T/want.losses" ] ||
	    [ -z "$(find "$T/cut" -type f ! -name metadata ! -name clock)" ] ||
	    fail "$kind: nothing is selected, and there is $(find "$T/cut")"
	cut -f "$1"
	cut -e "$2"
	cut -x "$2" -b "$a" -u "$b"
	cut -f "$1" -b "$a"
	cut -b "$a" -u "$b"
	cut -u "$a"
	cut -b "$b" -u "$b"
	cut -n 0
	cut -n 7
	cut -n -9
	cut -n $((n / 2)) -f "$1"
	cut -n -$((n / 3)) -x "$2"
}

# Traces by hand: see there.
for kind in le be bits wide lttng short bare counters late; do
	trace=$T/trace.$kind
	python3 shared/cut.py "$trace" 1 $kind || fail "cut.py: $?"
	all 'k == 1' 'two:*'
	[ $kind = bare ] || cut -p prog1 -t 201
done

# Our own: several programs, channels of users and of processes, chunks, files
# of some packets each, events and packets that are lost.
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -b 4k -C 8k c &&
    utctl enable-channel -p -b 4k own && utctl enable-event -c c '*' &&
    utctl enable-event -c own 'seq:*' && utctl start >/dev/null ||
    fail "set-up"
./prog/seq 1 3 100 && ./prog/toobig && utctl rotate >/dev/null &&
    ./prog/seq 2 2 100 && utctl stop >/dev/null && utctl start >/dev/null &&
    ./prog/toobig && ./prog/seq 3 2 100 && utctl destroy >/dev/null ||
    fail "session"
kind=session trace=$T/s
utctl view -q "$trace" >"$T/out" 2>&1
grep -q '[^0-9]18 discarded' "$T/out" || fail "session: $(cat "$T/out")"
all 'n > 20 && n < 60 || pad == "abc"' '*:tick'
cut -p seq
cut -p toobig
cut -p toobig -t '*' -l info
cut -t "$(sed -n '$s/[^:]*:[^:]*:[^:]*:\([0-9]*\).*/\1/p' "$T/whole")"
kind=over trace=$T/trace
recorded -m overwrite -b 4k -n 4 -- ./prog/seq 1 2 2000
all 'writer == 1024' 'seq:idle'
kind=types
recorded -- ./prog/types
n=$(utctl view "$trace" 2>/dev/null | wc -l)
cut
cut -n $((n / 2))
cut -n -$((n / 2))

# Modules stay, for names, but for -N.
modules() {
	kind=modules
	recorded -w malloc -- ./prog/seq 1 1 10
	cut -e 'libc:*'
	rm -rf "$T/cut"
	utctl export -F ctf -o "$T/cut" -e 'libc:*' "$trace" || fail "modules"
	for d in "$trace" "$T/cut"; do
		utctl view -e 'libc:*' "$d" >"$T/names" || fail "view: $?"
		utctl view -q -e ut:module "$d" >>"$T/names"
		cmp -s "$T/names" "${last:-$T/names}" ||
		    fail "$(cat "$T/names")"
		last=$T/last
		cp "$T/names" "$last"
	done
	grep -q '^[1-9]' "$T/names" ||
	    fail "no modules: $(cat "$T/names")"

	rm -rf "$T/cut"
	utctl export -F ctf -o "$T/cut" "$trace" || fail "modules, all: $?"
	utctl view -N "$trace" >"$T/want"
	utctl view -N "$T/cut" | cmp -s - "$T/want" ||
	    fail "modules are there twice"
}
# A wrapper with a sanitizer in it cannot be preloaded.
case $CFLAGS in
*-fsanitize*)	;;
*)	modules ;;
esac

# Several traces keep their names; they are read together.
utctl export -N -F ctf -o "$T/both" -n 500 "$T/s/" "$trace" || fail "both"
ls "$T/both" | tr '\n' ' ' >"$T/got"
echo 's trace ' | tr -d '\n' | cmp -s - "$T/got" || fail "both: $(cat "$T/got")"
utctl view -N -n 500 "$T/s" "$trace" 2>/dev/null >"$T/want"
utctl view "$T/both" 2>/dev/null | cmp -s - "$T/want" || fail "both differ"
mkdir "$T/x" && cp -R "$trace" "$T/x" || fail "cp"

# What is said, and then nothing is left.
no() {
	expect 1 "$@"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$*: $(cat "$T/err")"
	[ ! -e "$T/new" ] || fail "$*: left $(ls -R "$T/new")"
}
no '/new/trace/ust/.*: File exists' utctl export -F ctf -o "$T/new" \
    "$trace" "$T/x/trace"
mkdir "$T/x/in" || fail "mkdir"
no '[.][.]: give that' sh -c 'cd "$1" && exec utctl export -F ctf -o "$2" .. \
    "$3"' sh "$T/x/in" "$T/new" "$T/s"
no 'No such file' utctl export -F ctf -o "$T/none/new" "$trace"
no '/both: is not empty' utctl export -F ctf -o "$T/both" "$trace"
mkdir "$T/theirs"
if [ "$(id -u)" -eq 0 ]; then
	# What is there could be moved, and links put in its place.
	chown 65534 "$T/theirs"
	no '/theirs: others can write there' \
	    utctl export -F ctf -o "$T/theirs" "$trace"
	chown 0 "$T/theirs" && chmod 777 "$T/theirs"
	no '/theirs: others can write there' \
	    utctl export -F ctf -o "$T/theirs" "$trace"
	mkdir -m 755 "$T/user" && chown 65534 "$T/user" &&
	    ln -s "$T" "$T/user/link" && chown -h 65534 "$T/user/link" ||
	    fail "link"
	no '/new: .*a symbolic link on the way' \
	    utctl export -F ctf -o "$T/user/link/new" "$trace"
fi
mkdir "$T/empty" && ln -s empty "$T/link" && : >"$T/file" || fail "mkdir"
no '/link: is there, and is not a directory' utctl export -F ctf -o "$T/link" \
    "$trace"
no '/file: is there, and is not a directory' utctl export -F ctf -o "$T/file" \
    "$trace"
no '-o names the directory' utctl export -F ctf "$trace"
no 'only -F ctf' utctl export -o "$T/new" "$trace"
no '-D and -F ctf' utctl export -D a:b,a:c -F ctf -o "$T/new" "$trace"
utctl export -N -F ctf -o "$T/empty" "$trace" || fail "into an empty one"
[ -d "$T/empty/ust" ] || fail "nothing in the empty one"
recorded -- ./prog/seq 1 1 2000
no 'File too large' sh -c 'ulimit -f 8; exec utctl export -F ctf -o "$@"' sh \
    "$T/new" "$trace"
rm -rf "$T/empty" && mkdir "$T/empty" || fail "mkdir"
no 'File too large' sh -c 'ulimit -f 8; exec utctl export -F ctf -o "$@"' sh \
    "$T/empty" "$trace"
[ -z "$(ls "$T/empty")" ] || fail "left $(ls -R "$T/empty")"

# A full file system.
[ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || exit 0
mkdir "$T/small"
mount -t tmpfs -o size=16k,mode=755 tmpfs "$T/small" 2>/dev/null || exit 0
trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' EXIT
no 'No space left' utctl export -F ctf -o "$T/small/cut" "$trace"
no 'No space left' utctl export -F ctf -o "$T/small" "$trace"
[ -z "$(ls "$T/small")" ] || fail "left $(ls -R "$T/small")"
