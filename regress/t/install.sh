# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# make install, and programs that are built with what it installed; make
# uninstall leaves nothing, and removes nothing else; what cannot be installed
# is refused before anything is done.  In a copy of the tree.

. ./common.sh
not_sanitized

MAKE=${MAKE:-make}
LDFLAGS=${LDFLAGS:-}
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir "$T/tree" || exit 1
(cd "$TOP" && cp -Rp Makefile libut utd utctl man "$T/tree") || fail "copy"
mkdir "$T/tree/regress" && cp Makefile "$T/tree/regress" || exit 1

run_make() {
	(cd "$T/tree" && $MAKE CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" \
	    "$@") >"$T/make.out" 2>&1 ||
	    fail "make $*: $(tail -n 5 "$T/make.out")"
}

# refused WHY TARGET VARIABLE=VALUE...: one line says why, and nothing has been
# made or removed, in the tree or beside it.
state() {
	(cd "$T" && find . ! -name make.out ! -name 'state.*' | sort)
}
refused() {
	why=$1
	shift
	state >"$T/state.before"
	(cd "$T/tree" && $MAKE CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" \
	    "$@") >"$T/make.out" 2>&1 && fail "make $*: not refused"
	[ "$(grep -c -e "$why" "$T/make.out")" -eq 1 ] &&
	    ! grep -q -e 'rm -f' -e 'install -m' -e ' -c ' -e mkdir \
	    "$T/make.out" || fail "make $*: $(cat "$T/make.out")"
	state >"$T/state.after"
	cmp "$T/state.before" "$T/state.after" ||
	    fail "make $*: $(diff "$T/state.before" "$T/state.after")"
}
mkdir "$T/keep" && echo >"$T/keep/file" || exit 1
for target in install install-rc uninstall uninstall-rc; do
	refused 'has a blank' $target PREFIX="$T/keep me"
	refused 'single quote' $target DESTDIR="$T/a'; touch $T/ran; '"
done
refused 'single quote' install PREFIX="$T/a
$T/b"
target=install
for c in : '&' ';' '#' % '"' '\' '`' '(' '*' '|' '<' '{'; do
	refused 'special character' $target PREFIX="$T/a${c}b"
	case $target in
	install)	target=uninstall ;;
	*)		target=install ;;
	esac
done
refused 'special character' install SBINDIR="$T/a&touch $T/ran"
refused 'not absolute' install PREFIX=instead
refused 'not absolute' uninstall LIBDIR=
refused 'a dash' uninstall DESTDIR=-rf
refused 'starts utd at boot on None' install-rc OS=None DESTDIR="$T/dest"
refused 'starts utd at boot on None' uninstall-rc OS=None DESTDIR="$T/dest"

# With DESTDIR: under it, and only there.
run_make DESTDIR="$T/dest" install
case $(uname) in
NetBSD|OpenBSD)	man=man ;;
*)		man=share/man ;;
esac
cpu= files=50
[ "$(uname)" != Linux ] || cpu=lib/libut-cpu.so files=51
for f in $cpu bin/utctl sbin/utd include/ut.h include/ut_field.h \
    lib/libut.a lib/libut.so lib/libut.so.1 lib/libut-func.so \
    lib/libut-malloc.so lib/libut-pthread.so lib/libut-func.o \
    lib/pkgconfig/ut.pc lib/ut/lttng/pkgconfig/lttng-ust.pc \
    lib/ut/lttng/liblttng-ust.so lib/ut/lttng/libut.so.1 lib/ut/lttng/libut-lttng.a \
    include/ut/lttng/ut.h include/ut/sdt/sys/sdt.h lib/ut/lttng/dtrace \
    $(cd "$TOP/libut" && printf 'include/ut/lttng/%s\n' lttng/*.h) \
    $(cd "$TOP/man" && for p in *.[1-8]; do echo "$man/man${p##*.}/$p"; done) \
    share/zsh/site-functions/_utctl \
    share/bash-completion/completions/utctl \
    share/fish/vendor_completions.d/utctl.fish share/ut/valgrind.supp; do
	[ -s "$T/dest/usr/local/$f" ] || fail "no $f"
done
case $(uname) in
Linux)	rc=utd.service rcdir=/usr/local/lib/systemd/system
	systemd-analyze unit-paths >"$T/paths" 2>/dev/null &&
	    ! grep -q -x $rcdir "$T/paths" && fail "not in unit-paths: $rcdir"
	;;
FreeBSD) rc=utd rcdir=/usr/local/etc/rc.d ;;
*)	rc=utd rcdir=/etc/rc.d ;;
esac
[ -s "$T/dest/usr/local/share/ut/$rc" ] || fail "no $rc"
# And share/ut/made.
[ "$(find "$T/dest" ! -type d | wc -l)" -eq $files ] ||
    fail "other files: $(find "$T/dest" ! -type d)"
grep -r "$T" "$T/dest/usr/local/lib/pkgconfig" && fail "DESTDIR in ut.pc"
expect 0 '10 events, 0 lost' "$T/dest/usr/local/bin/utctl" record \
    -o "$T/t0" -- ./prog/seq 1 1 10

# Probes of SystemTap need one -I, and the link is utctl.
printf '#include <sys/sdt.h>\nint\nmain(void)\n{\n%s\n}\n' \
    'DTRACE_PROBE(install, here); return 0;' >"$T/probe.c"
$CC $CFLAGS -I"$T/dest/usr/local/include/ut/sdt" -o "$T/probe" "$T/probe.c" \
    "$T/dest/usr/local/lib/libut.a" $LIBS || fail "sys/sdt.h"
expect 0 '1 events, 0 lost' utctl record -o "$T/t.sdt" -- "$T/probe"
expect 0 '^usage: utctl dtrace' "$T/dest/usr/local/lib/ut/lttng/dtrace" -h

# What starts utd at boot: each can be read by those who will, as far as they
# are here.
run_make DESTDIR="$T/dest" install-rc
cmp "$T/dest/usr/local/share/ut/$rc" "$T/dest$rcdir/$rc" || fail "$rcdir/$rc"
for f in "$TOP"/utd/rc/*bsd; do
	sh -n "$f" || fail "$f"
	grep -q '@SBINDIR@/utd' "$f" || fail "$f: no utd"
done
for f in "$TOP"/utd/rc/netbsd "$TOP"/utd/rc/freebsd; do
	grep -q '^# REQUIRE:.* syslogd' "$f" || fail "$f: before syslogd"
done
if command -v rcorder >/dev/null 2>&1 && [ -d /etc/rc.d ]; then
	for f in /etc/rc.d/*; do
		[ "${f##*/}" = utd ] || echo "$f"
	done >"$T/rcs"
	rcorder $(cat "$T/rcs") >/dev/null 2>"$T/circles.without"
	rcorder $(cat "$T/rcs") "$T/dest$rcdir/$rc" >"$T/order" \
	    2>"$T/circles" || fail "rcorder"
	diff "$T/circles.without" "$T/circles" || fail "rcorder: a circle"
	sed -n -e 's,.*/syslogd$,syslogd,p' -e 's,.*/utd$,utd,p' \
	    -e 's,.*/DAEMON$,DAEMON,p' "$T/order" | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = 'syslogd utd DAEMON ' ] ||
	    fail "rcorder: $(cat "$T/got")"
fi
grep '@SBINDIR@' "$T/dest$rcdir/$rc" && fail "not replaced in $rc"
grep -q "/usr/local/sbin/utd$" "$T/dest$rcdir/$rc" || fail "no utd in $rc"
# The commands of rotate -c inherit what the unit forbids: rsync(1) needs these.
[ $rc != utd.service ] ||
    grep -q '^RestrictAddressFamilies=.* AF_INET AF_INET6' \
    "$T/dest$rcdir/$rc" || fail "no network for commands in $rc"
# Only root's systemd-analyze has a directory to work in.
if [ $rc = utd.service ] && [ "$(id -u)" -eq 0 ] &&
    command -v systemd-analyze >/dev/null 2>&1; then
	sed "s:/usr/local/sbin/utd:$T/dest&:" "$T/dest$rcdir/$rc" \
	    >"$T/utd.service"
	systemd-analyze verify --man=no "$T/utd.service" >"$T/verified" 2>&1 ||
	    fail "$rc: $(cat "$T/verified")"
fi
run_make DESTDIR="$T/dest" uninstall-rc
run_make DESTDIR="$T/dest" uninstall
[ "$(ls -A "$T/dest")" = '' ] || fail "uninstall left $(find "$T/dest")"

# Wherever utd is, the system looks there; DESTDIR may have any name.
sp="$T/a & b:c"
run_make DESTDIR="$sp" PREFIX=/opt/ut install-rc
grep -q "/opt/ut/sbin/utd$" "$sp$rcdir/$rc" || fail "no utd in $sp$rcdir/$rc"
[ -x "$sp/opt/ut/bin/utctl" ] || fail "not in $sp: $(find "$sp")"
# Files in a directory of the project's stay, and so do these directories.
echo >"$sp/opt/ut/lib/another"
run_make DESTDIR="$sp" PREFIX=/opt/ut uninstall-rc
run_make DESTDIR="$sp" PREFIX=/opt/ut uninstall
[ "$(cd "$sp" && find . | sort | tr '\n' ' ')" = \
    '. ./opt ./opt/ut ./opt/ut/lib ./opt/ut/lib/another ' ] ||
    fail "uninstall left $(find "$sp")"
rm -rf "$sp"

# Where manuals are, for each system and where MANDIR says.
for os in Linux FreeBSD NetBSD OpenBSD; do
	case $os in
	NetBSD|OpenBSD)	want=/p/man ;;
	*)		want=/p/share/man ;;
	esac
	(cd "$T/tree" && $MAKE -n OS=$os PREFIX=/p uninstall) >"$T/make.out" ||
	    fail "make -n: $(cat "$T/make.out")"
	grep -q "'$want'/man" "$T/make.out" ||
	    fail "$os: $(cat "$T/make.out")"
done
run_make MANDIR="$T/pages" DESTDIR="$T/dest" install
[ -s "$T/dest$T/pages/man8/utd.8" ] || fail "MANDIR"
run_make MANDIR="$T/pages" DESTDIR="$T/dest" uninstall
[ "$(ls -A "$T/dest")" = '' ] || fail "uninstall left $(find "$T/dest")"

# utd elsewhere than where utctl was built to look for it.
run_make
run_make PREFIX="$T/inst" SBINDIR="$T/elsewhere" install
(
	PATH=/usr/bin:/bin
	expect 0 '10 events, 0 lost' "$T/inst/bin/utctl" record \
	    -o "$T/t1" -- ./prog/seq 1 1 10
) || exit 1
run_make PREFIX="$T/inst" SBINDIR="$T/elsewhere" uninstall
[ ! -e "$T/inst" ] && [ ! -e "$T/elsewhere" ] ||
    fail "uninstall left $(find "$T/inst" "$T/elsewhere")"
# Nothing is built again for the same paths.
run_make PREFIX="$T/inst"
run_make PREFIX="$T/inst"
grep -e ' -c ' -e ' -o ' "$T/make.out" && fail "built twice"

# With PREFIX: programs from there.  A directory that was there stays.
mkdir -p "$T/inst/lib" || exit 1
run_make PREFIX="$T/inst" install
run_make PREFIX="$T/inst" install
in=$T/inst
if command -v pkg-config >/dev/null 2>&1; then
	PKG_CONFIG_PATH=$in/lib/pkgconfig
	export PKG_CONFIG_PATH
	flags=$(pkg-config --cflags --libs ut) || fail "pkg-config"
	static=$(pkg-config --static --libs-only-other ut)
	[ "$(pkg-config --modversion ut)" = 1.0 ] || fail "the version"
	echo "pkg-config: $flags; static: $static"
else
	flags="-I$in/include -L$in/lib -lut"
fi
PATH=$in/bin:$PATH
[ "$(command -v utctl)" = "$in/bin/utctl" ] || fail "PATH"
$CC $CFLAGS $LDFLAGS -o "$T/shared" prog/kind.c $flags \
    -Wl,-rpath,"$in/lib" $LIBS || fail "shared"
$CC $CFLAGS $LDFLAGS -I"$in/include" -o "$T/static" prog/kind.c \
    "$in/lib/libut.a" $LIBS || fail "static"
for p in shared static; do
	expect 0 '5 events, 0 lost' utctl record -o "$T/t.$p" -- "$T/$p" 5
	expect 0 '^5 events' utctl view -q "$T/t.$p"
done
if command -v ldd >/dev/null 2>&1; then
	ldd "$T/shared" | grep -q "$in/lib/libut.so.1" ||
	    fail "not the libut.so that was installed"
	ldd "$T/static" | grep -q "$in/lib" && fail "static needs libut.so"
fi

# In place of LTTng-UST: through its names, from directories of their own.
printf '#include <%s>\n' lttng/tracef.h lttng/tracelog.h lttng/ust-fork.h \
    lttng/ust-thread.h lttng/ust-version.h >"$T/lttng.c"
printf '%s\n' 'int' 'main(void)' '{' \
    'lttng_ust_init_thread();' 'tracef("%s", LTTNG_UST_VERSION);' \
    '#undef lttng_ust_init_thread' 'extern void lttng_ust_init_thread(void);' \
    'lttng_ust_init_thread();' 'return 0;' '}' >>"$T/lttng.c"
flags="-I$in/include/ut/lttng -L$in/lib/ut/lttng -llttng-ust"
if command -v pkg-config >/dev/null 2>&1; then
	dir=$(pkg-config --variable=lttngdir ut)
	flags=$(PKG_CONFIG_PATH=$dir/pkgconfig &&
	    pkg-config --cflags --libs 'lttng-ust >= 2.13') ||
	    fail "pkg-config lttng-ust"
fi
for ld in '' bfd gold lld mold; do
	[ -z "$ld" ] || command -v ld.$ld >/dev/null 2>&1 || continue
	$CC $CFLAGS $LDFLAGS ${ld:+-fuse-ld=$ld} -o "$T/lttng" "$T/lttng.c" \
	    $flags -Wl,-rpath,"$in/lib" $LIBS || fail "lttng, ld.$ld"
	expect 0 ' 1 events' utctl record -o "$T/t.lttng$ld" -- "$T/lttng"
	expect 0 'tracef:event { msg = "2.13' utctl view "$T/t.lttng$ld"
done

# recipe PAGE WORD: what the page shows there, without the paths of a shell's.
recipe() {
	sed -n -e 's/\\e$/\\/' -e 's/^\\&//' -e "/^$2/,/^\\.Ed/p" "man/$1" |
	    sed -e '/^\.Ed/,$d'
}
# As the pages say, and LTTng's twice: the headers are found again.
if command -v pkg-config >/dev/null 2>&1; then
	cp "$T/lttng.c" "$T/program.c"
	echo 'extern int nothing;' >"$T/tp.c"
	cat >"$T/configure" <<-'END'
	#!/bin/sh
	for v; do
		case $v in
		*=*)	export "$v" ;;
		esac
	done
	printf 'all:\n\t%s %s -o probe probe.c %s %s\n' "$CC" "$CPPFLAGS" \
	    "$LDFLAGS" "$LIBS" >Makefile
	dtrace -h -s p.d
	END
	export CC
	chmod 755 "$T/configure"
	echo 'provider p { probe q(int); };' >"$T/p.d"
	printf '%s\n' '#include "p.h"' 'int' 'main(void)' '{' 'P_Q(1);' \
	    'return 0;' '}' >"$T/probe.c"
	(
		cd "$TOP"
		recipe ut_lttng.3 dir= >"$T/lttng.sh"
		recipe ut_sdt.3 dir= >"$T/sdt.sh"
		cd "$T"
		cc() {
			command $CC $CFLAGS $LDFLAGS "$@"
		}
		set -e
		for s in lttng sdt lttng; do
			. "./$s.sh"
		done
	) >"$T/out" 2>&1 || fail "a recipe: $(cat "$T/out")"
	expect 0 ' 1 events' utctl record -o "$T/t.program" -- "$T/program"
	expect 0 ' 1 events' utctl record -o "$T/t.probe" -- "$T/probe"
fi
expect 0 ' in ' utctl record -o "$T/wrapped" -w malloc,pthread,func -- \
    "$T/static" 1
run_make PREFIX="$T/inst" uninstall
[ "$(find "$T/inst" | tr '\n' ' ')" = "$T/inst $T/inst/lib " ] ||
    fail "uninstall left $(find "$T/inst")"
[ -e "$T/keep/file" ] && [ ! -e "$T/ran" ] || fail "what was beside it"
