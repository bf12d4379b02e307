# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What README tells to do, from Install to a session, done as it stands there,
# by somebody with a home of their own; then the same place moved, and removed.
# In a copy of the tree.

. ./common.sh
awk '{
	while (i = index($0, "\t"))
		$0 = substr($0, 1, i - 1) \
		    substr("        ", (i - 1) % 8 + 1) substr($0, i + 1)
}
length > 80' "$TOP/README" >"$T/long"
[ ! -s "$T/long" ] || fail "README has long lines: $(cat "$T/long")"
not_sanitized
not_cross
need pkg-config
case $CC in
*musl*)	skip "sort(1) is not for the C library of $CC" ;;
esac

MAKE=${MAKE:-make}
LDFLAGS=${LDFLAGS:-}
unset MAKEFLAGS MFLAGS MAKELEVEL
HOME=$T/home
export HOME
mkdir "$HOME" "$T/tree" "$T/tree/regress" || exit 1
(cd "$TOP" && cp -Rp Makefile libut utd utctl man "$T/tree" &&
    cp regress/Makefile "$T/tree/regress") || fail "copy"

# Commands stand behind a $, what is in a program behind its cat.
awk '
/^Install$/ { on = 1 }
/^Documentation$/ { on = 0 }
!on || !/^\t/ { next }
{ text = substr($0, 2); is = sub(/^\$ /, "", text) }
is && file { print "END"; file = 0 }
text ~ /^cat [a-z]+\.c$/ {
	print "cat >" substr(text, 5) " <<\\END"
	file = 1
	next
}
is || file || more { print text; more = text ~ /\\$/ }' "$TOP/README" \
    >"$T/commands" || fail "awk"
[ "$(wc -l <"$T/commands")" -ge 35 ] || fail "README: $(cat "$T/commands")"

# In /usr/local is what stands below DESTDIR.
cc() {
	for a in "$@"; do
		shift
		set -- "$@" "$(echo "$a" | sed "s,/usr/local,$T/dest&,")"
	done
	command $CC $CFLAGS $LDFLAGS "$@"
}

# What is for everybody is only tried.
make() {
	[ "$*" != install ] || set -- "DESTDIR=$T/dest" install
	(cd "$T/tree" && command $MAKE CC="$CC" CFLAGS="$CFLAGS" \
	    LDFLAGS="$LDFLAGS" "$@") >"$T/make.out" 2>&1 ||
	    fail "make $*: $(tail -n 5 "$T/make.out")"
}

end_utd() {
	[ ! -s "$UT_RUNDIR/utd.pid" ] || kill "$(cat "$UT_RUNDIR/utd.pid")"
}
trap 'end_utd; finish' EXIT
# On its own, or -e would mean nothing.
(set -e; cd "$HOME"; . "$T/commands") >"$T/said" 2>&1
[ $? -eq 0 ] || fail "README: $(cat "$T/said")"
end_utd
[ -x "$T/dest/usr/local/bin/utctl" ] || fail "make install"
said() {
	n=$(grep -c -e "$2" "$T/said")
	[ "$n" -ge "$1" ] || fail "$n times '$2': $(cat "$T/said")"
}
said 1 '^utctl: 3 events, 0 lost, [0-9]* bytes in .*/home/trace$'
for n in 0 1 2; do
	said 2 "^20..-..-.. .* hello\[.*\] hello:greet { n = $n, who = \"world\" }"
done
said 1 ' sort\[.*\] libc:malloc { '
said 1 ' calls\[.*\] func:entry { '
case $CFLAGS in
*UT_POSIX*)	;;
*)	said 1 '  func main (calls)$' ;;
esac
said 1 '^ *1  .*[0-9]  func '
said 1 '^ *200  .*[0-9]  work:job$'
for what in one other; do
	said 1 "^ *100  .*[0-9]  work:job  $what\$"
done
said 1 '^sort\[.*\]: [0-9]* bytes in [0-9]* blocks live at the end$'
said 1 '^work\[.*\]: [1-9][0-9]* locks\{0,1\}, '
! grep '^??$' "$T/said" || fail "no name"
said 1 'mine stopped: 3 events, 0 lost'
said 1 'mine destroyed'

# Moved, it is as good.
mv "$HOME/ut" "$T/moved" || exit 1
PKG_CONFIG_PATH=$T/moved/lib/pkgconfig
export PKG_CONFIG_PATH
cc -o "$T/hello" "$HOME/hello.c" $(pkg-config --cflags --libs ut) \
    -Wl,-rpath,"$(pkg-config --variable=libdir ut)" || fail "cc, moved"
for how in '' '-w malloc'; do
	expect 0 '[1-9][0-9]* events, 0 lost' "$T/moved/bin/utctl" record $how \
	    -o "$T/t$how" -- "$T/hello"
done
make uninstall PREFIX="$T/moved"
[ ! -e "$T/moved" ] || fail "uninstall left $(find "$T/moved")"
