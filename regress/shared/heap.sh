# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl heap have in common.

. ./common.sh

# planted: the calls of stdin in order; $T/trace, $PID.
planted() {
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -e 'libc:*' -e calls:thread -e 'ut:*' -- \
	    ./prog/calls >"$T/record.out" 2>"$T/record.err" ||
	    fail "record: $(cat "$T/record.err")"
	utctl view "$T/trace" >"$T/view.out" || fail "view"
	PID=$(sed -n '1s/.* calls\[\([0-9]*\):.*/\1/p' "$T/view.out")
}

# The threads by their numbers, and times by those of the events they are of.
named() {
	awk -v pid="$PID" '
	FNR == NR {
		if (/ calls:thread /) {
			split($3, part, /[:\]]/)
			tid[part[2]] = $(NF - 1)
		} else if (/ libc:/)
			at[$1 " " $2] = ++n
		next
	}
	{
		gsub("\\[" pid ":", "[:")
		gsub("\\[" pid "\\]", "[]")
		for (t in tid)
			gsub("\\[:" t "\\]", "[" tid[t] "]")
		for (w in at)
			if ((i = index($0, w)) > 0)
				$0 = substr($0, 1, i - 1) "#" at[w] \
				    substr($0, i + length(w))
		print
	}' "$T/view.out" "$1"
}

# The rows of the table of callers.
caller_rows() {
	awk '/^ *bytes .* caller$/ { on = 1; next } on && NF == 0 { exit } on' \
	    "$1"
}
