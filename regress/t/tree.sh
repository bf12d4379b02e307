# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What is in the tree, and that every source says whose it is.

. ./common.sh

need git
cd "$TOP" || exit 1
[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] ||
    skip "not a git tree"
git ls-files | sed 's,/.*,,' | sort -u >"$T/top"
printf '%s\n' .ci .gitignore Makefile README libut man regress utctl utd |
    sort >"$T/want"
diff "$T/want" "$T/top" || fail "the top level: $(diff "$T/want" "$T/top" |
    grep '^[<>]' | tr '\n' ' ')"

git ls-files '*.c' '*.h' '*.cc' >"$T/sources"
[ "$(wc -l <"$T/sources")" -gt 50 ] || fail "where are the sources?"
none=
while read -r f; do
	[ -e "$f" ] || continue
	head -n 3 "$f" | grep -q 'Copyright (c) 20[0-9][0-9]' &&
	    grep -q 'Permission to use, copy, modify, and distribute' "$f" &&
	    grep -q 'THE SOFTWARE IS PROVIDED "AS IS"' "$f" ||
	    none="$none $f"
done <"$T/sources"
[ -z "$none" ] || fail "no notice in:$none"

# No files that a build makes.
git ls-files | grep -E '\.(o|a|so|log)$' && fail "built files are in the tree"
git ls-files -i -c --exclude-standard | grep . && fail "ignored, but there"
exit 0
