# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Each script in t/ is in TESTS of the Makefile, once, and each name in TESTS is
# a script.  The file kinds names tests that there are, and kinds that it
# explains.

. ./common.sh

# The lists of this tree, whatever list this run was given.
env -i PATH="$PATH" ${MAKE:-make} -s list-tests >"$T/tests" ||
    fail "make list-tests"
sort "$T/tests" >"$T/got"
ls t | sed -n 's/\.sh$//p' | sort | expected "TESTS, and t/"
awk '!/^#/ && NF { print $1 }' kinds | sort >"$T/kinds"
uniq -d "$T/kinds" >"$T/twice"
[ ! -s "$T/twice" ] || fail "kinds: more than once: $(xargs <"$T/twice")"
comm -23 "$T/kinds" "$T/got" >"$T/none"
[ ! -s "$T/none" ] || fail "kinds: no such test: $(xargs <"$T/none")"
awk '/^#\t[a-z]/ { kind[$2] = 1 }
    /^[^#]/ {
	for (i = 2; i <= NF; i++)
		if (!($i in kind))
			print $i
	if (NF == 1)
		print "none of", $1
    }' kinds >"$T/none"
[ ! -s "$T/none" ] || fail "kinds: no such kind: $(xargs <"$T/none")"
