# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl skew have in common: two traces, of a and b, whose
# clocks are apart by a known time.  They need shared/rows.sh.

# host NAME OFFSET: a trace of the packets on the standard input, whose clock
# began so many ns after 1970; event IDs are sent, received, answered, got.
host() {
	mkdir "$T/$1" || exit 1
	{
		rows_metadata | sed "s/freq = /offset = $2; &/"
		for e in '"m:sent"; id = 0' '"m:received"; id = 1' \
		    '"m:answered"; id = 2' '"m:got"; id = 3'; do
			echo "event { name = $e; stream_id = 0;" \
			    "fields := struct { u32 k; }; };"
		done
	} >"$T/$1/metadata"
	rows "$1"
}
# skew ARGUMENT...: in $T.
skew() {
	(cd "$T" && utctl skew -D m:sent,m:received,k -D m:answered,m:got,k \
	    "$@")
}
view() {
	(cd "$T" && utctl view "$@")
}

# Requests 1 to 3 take 2, 1 and 3 s, and their answers 1, 3 and 2 s; b's clock
# is 1000 s less 0.25 s ahead of a's.  Request 4 is not received, 5 is not sent,
# and 6 comes twice, and 7 is received twice.
host a 1000000000000 <<-END
	c 0 10 99 0 0 0 10 1 3 15 1 0 20 2 3 27 2 0 30 3 3 36 3 0 40 4 0 50 6 0 60 6 0 65 7
END
host b 1999750000000 <<-END
	c 0 12 99 0 0 1 12 1 2 14 1 1 21 2 2 24 2 1 33 3 2 34 3 1 45 5 1 52 6 1 62 6 1 66 7 1 67 7
END
