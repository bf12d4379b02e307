# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Names for addresses: what nm(1), readelf(1) and addr2line(1) say of the files
# that the events ut:module tell of.

. ./shared/symbols.sh

# Is the line a name of the place that has this name, too?
names() {
	read -r other
	[ "$other" != "$1" ] || return 0
	value=$(awk -v name="$1" '$1 == name { print $3 }' "$T/nm")
	[ -n "$value" ] && grep -q "^$other [A-Za-z] $value" "$T/nm"
}

# Each byte of a file.
whole() {
	file=$1 base=$2 name=${1##*/}
	every "$file" >"$T/addrs"
	n=$(wc -l <"$T/addrs")
	[ "$n" -gt 10 ] || fail "$name: only $n addresses"
	{
		module "$file" "$base"
		while read -r a; do
			printf 'caller 0x%x\n' $((base + a + 1))
		done <"$T/addrs"
	} | told
	shown >"$T/shown"
	want "$file" "$name" <"$T/addrs" >"$T/wanted"
	paste -d '|' "$T/addrs" "$T/shown" "$T/wanted" |
	    awk -F '|' '$3 !~ /\+0x.*\(/ && $2 ~ /\(/ { next }
		{ print $2 > got; print $3 > want }' \
	    got="$T/got" want="$T/want"
	same "$name"
	grep -c '(' "$T/got" >"$T/n"
	read -r n <"$T/n"
	[ "$n" -gt 5 ] || fail "$name: $n names"
	# Where nm has no size, the nearest symbol of the section is right.
	paste -d '|' "$T/addrs" "$T/shown" "$T/wanted" |
	    awk -F '|' '$3 !~ /\+0x.*\(/ && $2 ~ /\(/ { print $1 " " $2 }' |
	while read -r a text; do
		printf '0x%x\n' "$a" | addr2line -f -e "$file" | head -n 1 |
		    names "${text%%+0x*}" || fail "$name: $a is not $text"
	done || exit 1
	echo "$name: $n of $(wc -l <"$T/addrs") addresses have names"
}

whole "$BIN/libone.so" $BASE
whole "$BIN/pie" $BASE
$CC $CFLAGS -no-pie -Wl,--build-id -o "$BIN/fixed" "$T/main.c" \
    2>/dev/null && whole "$BIN/fixed" 0
gcc -m32 -O2 -Wl,--build-id -fPIC -shared -o "$BIN/lib32.so" "$T/lib.c" \
    2>/dev/null && whole "$BIN/lib32.so" $BASE
clang --target=mips-linux-gnu -O2 -nostdlib -shared -fPIC -fuse-ld=lld \
    -Wl,--build-id -o "$BIN/libbig.so" "$T/lib.c" 2>/dev/null &&
    whole "$BIN/libbig.so" $BASE

# A program as it runs: all of its functions, in all packets.
$CC $CFLAGS -finstrument-functions -Wl,--build-id -fPIE -pie -o "$BIN/funcs" \
    prog/funcs.c "$TOP/libut/libut-func.o" "$LIBUT" $LIBS || fail "funcs"
recorded -b 4k -n 512 -e 'func:*' -- "$BIN/funcs"
[ "$lost" -eq 0 ] || fail "$lost lost"
base=$(utctl view -j -e ut:module "$T/trace" |
    sed -n 's/.*"base":\([0-9]*\),.*bin\/funcs".*/\1/p')
case "$CFLAGS,$base" in
*UT_POSIX*,)	exit 0 ;;
*,)	fail "no module" ;;
esac
for option in -N ''; do
	utctl view $option -e func:entry "$T/trace" |
	    sed 's/.*addr = \(.*\), call_site = .*/\1/' >"$T/view$option"
done
sort -u "$T/view-N" | while read -r a; do
	echo "$a $(addr2line -f -e "$BIN/funcs" \
	    "$(printf 0x%x $((a - base)))" | head -n 1) (funcs)"
done >"$T/names"
awk 'NR == FNR { name[$1] = $2 " " $3; next } { print name[$1] }' \
    "$T/names" "$T/view-N" >"$T/want"
mv "$T/view" "$T/got"
same "funcs"
[ "$(sort -u "$T/got" | wc -l)" -eq 5 ] || fail "funcs: $(sort -u "$T/got")"
utctl view -e func:exit -b -0.000001s "$T/trace" >"$T/got" || fail "-b"
[ -s "$T/got" ] || fail "-b: nothing"
grep -v -q 'addr = [a-z]* (funcs), call_site = .*+0x' "$T/got" &&
    fail "-b: $(cat "$T/got")"
recorded -F -e 'func:*' -- "$BIN/funcs"
grep -q 'func:entry { addr = main (funcs)' "$T/record.err" ||
    fail "-F: $(tail -n 3 "$T/record.err")"
exit 0
