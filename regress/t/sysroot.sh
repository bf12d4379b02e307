# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names for addresses: of files below another directory, of what was stripped
# off them, and no names of files that are others.

. ./shared/symbols.sh

# Below another directory, stripped; the names are of what was stripped off.
debug=$T/root/usr/lib/debug/.build-id/${ID%"${ID#??}"}
mkdir -p "$debug" "$T/root/opt"
objcopy --only-keep-debug "$BIN/libone.so" "$debug/${ID#??}.debug" ||
    fail "objcopy"
strip -o "$T/root/opt/libx.so" "$BIN/libone.so" || fail "strip"
{
	module "$T/root/opt/libx.so" $BASE /opt/libx.so
	callers $BASE "$hid+1" "$one+1"
} | told
expects "not there" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
options="-R $T/root"
expects "stripped, with names apart" 'hidden+0x1 (libx.so)' \
    'lib_one+0x1 (libx.so)'
rm "$T/root/opt/libx.so"
expects "only the names" 'hidden+0x1 (libx.so)' 'lib_one+0x1 (libx.so)'
strip -o "$T/root/opt/libx.so" "$BIN/libone.so"
mv "$debug" "$debug.away"
expects "stripped" "libx.so+$(printf 0x%x $((hid + 1)))" \
    'lib_one+0x1 (libx.so)'
cp "$BIN/libone.so" "$T/root/opt/libx.so"
expects "not stripped" 'hidden+0x1 (libx.so)' 'lib_one+0x1 (libx.so)'
[ ! -s "$T/view.err" ] || fail "found: $(cat "$T/view.err")"
# Another file in its place: another build ID.
cp "$BIN/libtwo.so" "$T/root/opt/libx.so"
expects "replaced" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
other="^utctl: -R $T/root: files of the trace are there, but of other builds: "
grep -q "$other" "$T/view.err" || fail "another build: $(cat "$T/view.err")"
mv "$T/root/opt/libx.so" "$T/libx.away"
expects "none" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
grep -q ": no file of the trace was found there$" "$T/view.err" ||
    fail "no file: $(cat "$T/view.err")"
mv "$T/libx.away" "$T/root/opt/libx.so"
mkdir -p "$debug"
cp "$BIN/libtwo.so" "$debug/${ID#??}.debug"
expects "replaced names" "libx.so+$(printf 0x%x $((hid + 1)))" \
    "libx.so+$(printf 0x%x $((one + 1)))"
[ "$(wc -l <"$T/view.err")" -eq 1 ] || fail "-R: $(cat "$T/view.err")"
options=-N
expects "-N" "$(printf 0x%x $((BASE + hid + 1)))" \
    "$(printf 0x%x $((BASE + one + 1)))"

# Below another directory, which nothing leads out of.
mkdir "$T/root/etc" && cp "$BIN/libone.so" "$T/root/etc/libx.so" || fail "cp"
ln -s /etc/libx.so "$T/root/opt/liblink.so"
ln -s ../../../etc "$T/root/opt/up"
ln -s "$BIN/libone.so" "$T/root/opt/libout.so"
ln -s ../../bin/libone.so "$T/root/opt/libup.so"
ln -s libloop.so "$T/root/opt/libloop.so"
for f in /etc/./libx.so /opt/liblink.so /opt/up/libx.so /../etc/libx.so \
    /opt/libout.so /opt/libup.so /opt/../../bin/libone.so \
    /opt/libloop.so; do
	module "$BIN/libone.so" $BASE "$f"
	callers $BASE "$one+1"
done | told
rm "$debug/${ID#??}.debug"
number=$(printf 0x%x $((one + 1)))
options="-R $T/root"
expects "links" 'lib_one+0x1 (libx.so)' 'lib_one+0x1 (liblink.so)' \
    'lib_one+0x1 (libx.so)' 'lib_one+0x1 (libx.so)' \
    "libout.so+$number" "libup.so+$number" "libone.so+$number" \
    "libloop.so+$number"
complains "-R $T/none: No such file" utctl view -R "$T/none" "$T/trace"
complains 'lib.c: not a directory' utctl stat -R "$T/lib.c" "$T/trace"
complains '-R is given twice' utctl view -R "$T" -R "$T" "$T/trace"

# No build ID: a file of that size, which nobody has changed since.
options=
$CC $CFLAGS -Wl,--build-id=none -fPIC -shared -o "$BIN/libnone.so" \
    "$T/lib.c" || fail "libnone.so"
one=$(addr "$BIN/libnone.so" lib_one)
number=libnone.so+$(printf 0x%x $((one + 1)))
sleep 0.1
{
	module "$BIN/libnone.so" $BASE
	callers $BASE "$one+1"
} | told
expects "no ID" 'lib_one+0x1 (libnone.so)'
sleep 0.1
cp -p "$BIN/libnone.so" "$BIN/copy"
mkdir -p "$T/root$BIN"
cp -p "$BIN/libnone.so" "$T/root$BIN/libnone.so"
mv "$BIN/copy" "$BIN/libnone.so"
expects "copied" "$number"
options="-R $T/root"
expects "copied below -R" 'lib_one+0x1 (libnone.so)'
touch "$T/root$BIN/libnone.so"
expects "changed below -R" "$number"
options=
{
	module "$BIN/libnone.so" $BASE |
	    awk '{ $4 += 4096; print }'
	callers $BASE "$one+1"
} | told
expects "another size" "$number"
{
	module "$BIN/libnone.so" $BASE "$BIN/libnone.so" "$ID"
	callers $BASE "$one+1"
	module "$BIN/libone.so" 0x30000000 "$BIN/libone.so" ''
	callers 0x30000000 "$(addr "$BIN/libone.so" lib_one)+1"
} | told
expects "ID on one side" "$number" \
    "libone.so+$(printf 0x%x $(($(addr "$BIN/libone.so" lib_one) + 1)))"
