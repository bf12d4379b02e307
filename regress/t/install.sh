# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# make install, and programs that are built with what it installed; make
# uninstall leaves nothing.  In a copy of the tree.

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

# With DESTDIR: under it, and only there.
run_make DESTDIR="$T/dest" install
for f in bin/utctl sbin/utd include/ut.h lib/libut.a lib/libut.so \
    lib/libut.so.1 lib/libut-malloc.so lib/libut-func.o lib/pkgconfig/ut.pc \
    share/man/man1/utctl.1 share/man/man3/ut.3 share/man/man5/ut_abi.5 \
    share/man/man5/ut_msg.5 share/man/man7/ut.7 share/man/man8/utd.8; do
	[ -s "$T/dest/usr/local/$f" ] || fail "no $f"
done
case $(uname) in
Linux)	rc=utd.service rcdir=/usr/local/lib/systemd/system ;;
FreeBSD) rc=utd rcdir=/usr/local/etc/rc.d ;;
*)	rc=utd rcdir=/etc/rc.d ;;
esac
[ -s "$T/dest/usr/local/share/ut/$rc" ] || fail "no $rc"
[ "$(find "$T/dest" ! -type d | wc -l)" -eq 16 ] ||
    fail "other files: $(find "$T/dest" ! -type d)"
grep -r "$T" "$T/dest/usr/local/lib/pkgconfig" && fail "DESTDIR in ut.pc"
expect 0 '10 events, 0 lost' "$T/dest/usr/local/bin/utctl" record \
    -o "$T/t0" -- ./prog/seq 1 1 10

# What starts utd at boot: each can be read by those who will, as far as they
# are here.
run_make DESTDIR="$T/dest" install-rc
cmp "$T/dest/usr/local/share/ut/$rc" "$T/dest$rcdir/$rc" || fail "$rcdir/$rc"
for f in "$TOP"/utd/rc/*bsd; do
	sh -n "$f" || fail "$f"
	grep -q '@SBINDIR@/utd' "$f" || fail "$f: no utd"
done
grep '@SBINDIR@' "$T/dest$rcdir/$rc" && fail "not replaced in $rc"
grep -q "/usr/local/sbin/utd$" "$T/dest$rcdir/$rc" || fail "no utd in $rc"
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
[ -z "$(find "$T/dest" ! -type d)" ] ||
    fail "uninstall left $(find "$T/dest" ! -type d)"

# With PREFIX: programs from there.
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
expect 0 ' in ' utctl record -o "$T/malloc" -w malloc -- "$T/static" 1
run_make PREFIX="$T/inst" uninstall
[ -z "$(find "$T/inst" ! -type d)" ] ||
    fail "uninstall left $(find "$T/inst" ! -type d)"
