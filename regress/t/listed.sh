# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Each script in t/ is in TESTS of the Makefile, once, and each name in TESTS is
# a script.  The file kinds names tests that there are, and kinds that it
# explains; so does each list of tests in what runs some of them.  What the file
# unreached says is not taken is in the sources.

. ./common.sh

# The lists of this tree, whatever list this run was given.
env -i PATH="$PATH" ${MAKE:-make} -s list-tests >"$T/tests" ||
    fail "make list-tests"
sort "$T/tests" >"$T/got"
ls t | sed -n 's/\.sh$//p' | sort | expected "TESTS, and t/" || exit 1
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

# The branches that the file unreached lists are in the sources.
(cd "$TOP" && awk -f regress/coverage.awk regress/unreached) >"$T/none"
[ ! -s "$T/none" ] || fail "$(head -n 3 "$T/none")"

# The words of the lists in a script, which begin with SKIP=, ONLY=, TESTS= or
# tests= and may go on over lines.
words() {
	tr '\\\n' '  ' <"$1" | awk '
	{
		list = "(SKIP|ONLY|TESTS|tests)=([a-z]+|\047[^\047]*\047|" \
		    "([$][{][A-Z_]+-)?\"[^\"]*\")"
		while (match($0, list)) {
			words = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			sub(/^[A-Za-z]+=([$][{][A-Z_]+-)?/, "", words)
			gsub(/["\047]/, "", words)
			print words
		}
	}' | tr -s ' \t' '\n\n' | grep -v '[$]' | sort -u
}
awk '/^#\t[a-z]/ { print "@" $2 }' kinds | sort - "$T/got" >"$T/known"
for script in cross.sh "$TOP/.ci/run" "$TOP/.ci/netbsd"; do
	[ -e "$script" ] || continue
	words "$script" >"$T/words"
	[ "$(wc -l <"$T/words")" -gt 9 ] || fail "$script: no lists of tests"
	comm -23 "$T/words" "$T/known" >"$T/none"
	[ ! -s "$T/none" ] ||
	    fail "$script: no such test or kind: $(xargs <"$T/none")"
done
