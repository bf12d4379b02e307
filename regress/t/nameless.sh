# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Who shows addresses because the events of modules are gone says so, once.

. ./common.sh

case "$CC $CFLAGS" in
*UT_POSIX*)	skip "no modules with $CFLAGS" ;;
esac

# told WHO OPTION...: the message is of these, if of any.
told() {
	want=${1:+"utctl: $1: modules are not in the trace: no names of "}
	want=${want:+"${want}functions, see utctl-view(1)"}
	shift
	utctl view "$@" 2>"$T/err" >/dev/null || fail "view: $(cat "$T/err")"
	got=$(sed -n '/modules/s/seq\[[0-9]*\]/seq[PID]/p' "$T/err")
	[ "$got" = "$want" ] || fail "$*: $(cat "$T/err")"
}

start_utd
for s in whole -W -S; do
	mode='-m block' shots=
	[ $s != -W ] || mode='-m block -C 8k -W 1'
	[ $s != -S ] || mode='-m overwrite' shots=-S
	utctl create $shots -o "$T/$s" s >/dev/null &&
	    utctl enable-channel -b 4k -n 4 $mode c &&
	    utctl add-context -c c caller &&
	    utctl enable-event -c c 'ut:*' 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "$s: set-up"
	./prog/seq 1 1 3000 || fail "$s: seq"
	[ $s != -S ] || utctl snapshot -o "$T/shot" >/dev/null || fail "shot"
	utctl destroy s >/dev/null || fail "$s: destroy"
done
told '' "$T/whole"
told 'seq[PID]' "$T/-W"
told 'seq[PID]' "$T/shot"
told 'seq[PID] and 1 other' "$T/-W" "$T/shot"
told '' -N "$T/shot"
