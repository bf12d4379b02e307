# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The object files of each program and of the library lie in layers: what a file
# uses of another lies below it.  Prints the floors, from the bottom up.  Files
# that use one another in a circle share a floor, and have to be named here.  So
# do directories that use another one.

. ./common.sh

circle() {
	echo "$*"
}

# All files of each circle that there is.  The list shrinks with the code: one
# that is gone has to go here, too.
named() {
	circle libut/find libut/listener
}

# Each directory, or file, and the directories of which it may use something.
# "main" is what is only there to bring a program's parts together.
rooms() {
	cat <<-'EOF'
	libut libut/common libut/expr libut/unwind
	libut/common
	libut/expr libut/common
	libut/unwind libut/common
	utd libut/common
	utd/consumer/output utd libut/common
	utd/consumer utd/consumer/output utd libut/common
	utd/parent/talk utd libut/common
	utd/parent/want utd/parent/talk utd libut/common libut/expr
	utd/parent/store utd/parent/want utd/parent/talk utd libut/common
	utd/parent/store/consumers utd/consumer
	utd/parent/link utd/parent/store utd/parent/want utd/parent/talk utd libut/common
	utd/parent/act utd/parent/link utd/parent/store utd/parent/want utd/parent/talk utd libut/common
	utd/parent/ask utd/parent/act utd/parent/link utd/parent/store utd/parent/want utd/parent/talk utd libut/common
	utd/parent utd/parent/ask utd/parent/act utd/parent/link utd/parent/store utd/parent/want utd/parent/talk utd libut/common
	utctl libut/common
	utctl/ctf/meta utctl libut/common
	utctl/ctf utctl/ctf/meta utctl libut/common libut/expr
	utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/stat utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/held utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/export utctl/held utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/top utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/report utctl/held utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/serve utctl/show utctl/ctf utctl/ctf/meta utctl libut/common
	utctl/ctl utctl libut/common libut/expr
	utctl/rec utctl/ctl utctl/show utctl/sym utctl/ctf utctl/ctf/meta utctl libut/common
	EOF
}

main() {
	echo utd/utd utctl/utctl
}

need nm
MAKE=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKELEVEL

# The external names of object files, a line each: file, name, type.
symbols() {
	for o; do
		nm -P -g "$o.o" >"$T/nm" 2>"$T/nm.err" ||
		    fail "nm $o.o: $(cat "$T/nm.err")" >&2
		awk -v file="$o" 'NF > 1 { print file, $1, $2 }' "$T/nm"
	done
}

# What these lines say: "floor N FILE", and "circle FILE FILE ..." if there is
# one.  Undefined names are U, or w or v if they are weak, too.
layers() {
	sort | awk '
	!($1 in floor) {
		floor[$1] = 0
		files[++n] = $1
	}
	$3 !~ /^[Uwv]$/ {
		home[$2] = $1
		next
	}
	{
		from[++nuses] = $1
		name[nuses] = $2
	}
	END {
		for (i = 1; i <= nuses; i++)
			if (name[i] in home && home[name[i]] != from[i])
				uses[from[i], home[name[i]]] = 1
		for (pair in uses)
			gets[pair] = 1
		for (k = 1; k <= n; k++)
			for (i = 1; i <= n; i++) {
				if (!((files[i], files[k]) in gets))
					continue
				for (j = 1; j <= n; j++)
					if ((files[k], files[j]) in gets)
						gets[files[i], files[j]] = 1
			}
		do {
			moved = 0
			for (pair in uses) {
				split(pair, p, SUBSEP)
				least = floor[p[2]] + !((p[2], p[1]) in gets)
				if (floor[p[1]] < least) {
					floor[p[1]] = least
					moved = 1
				}
			}
		} while (moved)
		for (i = 1; i <= n; i++)
			print "floor", floor[files[i]], files[i]
		for (i = 1; i <= n; i++) {
			if (done[files[i]] || !((files[i], files[i]) in gets))
				continue
			line = "circle"
			for (j = i; j <= n; j++)
				if ((files[i], files[j]) in gets &&
				    (files[j], files[i]) in gets) {
					line = line " " files[j]
					done[files[j]] = 1
				}
			print line
		}
	}'
}

# What a file uses of a directory that it may use nothing of.
trespass() {
	rooms | awk -v main="$(main)" '
	function room(file) {
		if (!(file in top))
			sub("/[^/]*$", "", file)
		return file in top ? "main" : file
	}
	BEGIN {
		for (n = split(main, m, " "); n > 0; n--)
			top[m[n]] = 1
	}
	FILENAME == "-" {
		for (i = 2; i <= NF; i++)
			may[$1, $i] = 1
		next
	}
	$3 !~ /^[Uwv]$/ {
		home[$2] = $1
		next
	}
	{
		from[++n] = $1
		name[n] = $2
	}
	END {
		for (i = 1; i <= n; i++) {
			if (!(name[i] in home))
				continue
			here = room(from[i])
			there = room(home[name[i]])
			if (here != "main" && here != there &&
			    !((here, there) in may) &&
			    !((from[i], there) in may))
				print from[i], "uses", name[i], "of", \
				    home[name[i]]
		}
	}' - "$1"
}

# A file that defines a function and calls another: object NAME OTHER.
object() {
	printf 'int %s(void);\nint %s(void);\nint\n%s(void)\n{\n%s\n}\n' \
	    "$1" "$2" "$1" "	return $2() + 1;" >"$1.c"
	$CC $CFLAGS -c "$1.c" || fail "cannot compile $1.c"
}

# It has to see a circle of three, and what lies above.
cd "$T" || exit 1
object ut_a ut_b
object ut_b ut_c
object ut_c ut_a
object ut_d ut_a
for o in ut_a ut_b ut_c ut_d; do
	nm -P -g $o.o 2>/dev/null | grep -q "^_*$o [^Uwv]" ||
	    skip "nm cannot read object files of $CC"
done
symbols ut_a ut_b ut_c ut_d >"$T/symbols"
layers <"$T/symbols" >"$T/trial"
printf '%s\n' 'floor 0 ut_a' 'floor 0 ut_b' 'floor 0 ut_c' 'floor 1 ut_d' \
    'circle ut_a ut_b ut_c' | diff - "$T/trial" ||
    fail "a circle is not seen: $(cat "$T/trial")"
printf '%s\n' 'utctl/ctf/a ut_a T' 'utctl/show/b ut_b T' 'utctl/ctf/a ut_b U' \
    'utctl/show/b ut_a U' >"$T/trial"
[ "$(trespass "$T/trial")" = "utctl/ctf/a uses ut_b of utctl/show/b" ] ||
    fail "who uses what it may not is not seen: $(trespass "$T/trial")"

# What the Makefile links each of them from.
cd "$TOP" || exit 1
: >"$T/circles"
: >"$T/trespass"
for part in LIBUT: UTD:COMMON UTCTL:COMMON; do
	more=${part#*:} part=${part%:*}
	printf 'include %s/Makefile\nlayers:\n\t@echo $(%s_OBJS) %s\n' \
	    "$TOP" "$part" "${more:+\$(${more}_OBJS)}" >"$T/objects.mk"
	$MAKE -s -f "$T/objects.mk" layers >"$T/objects" ||
	    fail "cannot ask for the objects of $part"
	set -- $(sed -e 's/\.o / /g' -e 's/\.o$//' "$T/objects")
	[ $# -gt 10 ] || fail "where are the objects of $part?"
	symbols "$@" >"$T/symbols"
	layers <"$T/symbols" >"$T/layers"
	echo "$part:"
	sed -n 's/^floor //p' "$T/layers" | sort -n | awk '
	    NR == 1 || $1 != last {
		printf "%s%2d ", NR == 1 ? "" : "\n", last = $1
	    }
	    { printf " %s", $2 }
	    END { print "" }'
	sed -n 's/^circle //p' "$T/layers" >>"$T/circles"
	trespass "$T/symbols" >>"$T/trespass"
done
sort -u "$T/circles" >"$T/there"
named | sort >"$T/named"
comm -13 "$T/named" "$T/there" >"$T/new"
[ ! -s "$T/new" ] || fail "a circle: $(cat "$T/new")"
comm -23 "$T/named" "$T/there" >"$T/old"
[ ! -s "$T/old" ] || fail "no circle any more: $(cat "$T/old")"
[ ! -s "$T/trespass" ] || fail "$(sort -u "$T/trespass")"
exit 0
