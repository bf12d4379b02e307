# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The fifteen levels: -l LEVEL takes that one and the more severe ones,
# -L "LEVEL that one alone, by name or number; readers are told the level.

. ./common.sh

names="emerg alert crit err warning notice info debug_system debug_program
    debug_process debug_module debug_unit debug_function debug_line debug"
start_utd

session() {
	utctl create -o "$T/$1" "$1" >/dev/null || fail "create $1"
	shift
	utctl enable-event "$@" && utctl start || fail "enable-event $*"
}

n=0
for name in $names; do
	session "upto$n" -l "$name" 'levels:*'
	session "only$n" -L "$name" 'levels:*' 'ut:log'
	n=$((n + 1))
done
session number -l 4 'levels:*'		# the 31st channel
./prog/levels || fail "levels: status $?"

# What view prints of a session, the names of its events alone.
traced() {
	utctl stop "$1" >/dev/null || fail "stop $1"
	utctl view "$T/$1" >"$T/view.out" || fail "view $1"
	cut -d' ' -f4- "$T/view.out" | tr '\n' ' '
}

want=
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
	want="${want}levels:l$n { } "
	got=$(traced upto$n | sed 's/ $//')
	[ "$got " = "$want" ] || fail "-l $n: $got"
	got=$(traced only$n)
	case $n:$got in
	14:"levels:l14 { } ut:log { msg = \"14\", "*"ut:log { msg = \"-1\","*\
"ut:log { msg = \"15\","*)
		;;
	14:*)	fail "-L "14: $got" ;;
	$n:"levels:l$n { } ut:log { msg = \"$n\", "*)
		;;
	*)	fail "-L "$n: $got" ;;
	esac
	utctl view -j "$T/only$n" | grep -v "\"level\":$n," &&
	    fail "another level than $n"
done
utctl view -j "$T/only14" | grep -c '"level":14,' | grep -qx 4 ||
    fail "not four of level 14"
[ "$(traced number | wc -w)" -eq 15 ] || fail "-l 4: $(traced number)"
