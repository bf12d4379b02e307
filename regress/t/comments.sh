# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What is said of sources is true: the files that manuals, READMEs and comments
# name by their path are there.  Sources have no line over 80 columns, and a
# comment begins with its subject or its verb: not with a word that stands for
# something said elsewhere, and not in the middle of another one's sentence.

. ./common.sh

# The comments of C sources that begin with such a word: file, line, text.
dangling() {
	awk '
	# What is behind the first comment sign of a line, or "" if there is none.
	function comment(s) {
		while (s != "") {
			if (match(s, /^[^"\047\/]+/) ||
			    match(s, /^"([^"\\]|\\.)*"?/) ||
			    match(s, /^\047([^\047\\]|\\.)*\047?/) ||
			    (substr(s, 1, 2) != "/*" && match(s, /^\//)))
				s = substr(s, RLENGTH + 1)
			else
				return substr(s, 3) " "
		}
		return ""
	}
	BEGIN {
		n = split("it its that what who whom whose those such nor and" \
		    " or of as but likewise", w, " ")
		for (; n > 0; n--)
			bad[w[n]] = 1
	}
	FNR == 1 {
		inside = begun = 0
	}
	{
		was = inside
		rest = was ? $0 : comment($0)
		text = was && !begun ? "" : rest
		sub(/^[ \t]*\*? ?/, "", text)
		inside = (was || rest != "") && !index(rest, "*/")
		begun = inside && !was && text ~ /^[ \t]*$/
		split(tolower(text), word, /[^a-z]+/)
		if (word[1] in bad || (word[1] == "the" && word[2] == "same"))
			print FILENAME ":" FNR ": " text
	}' "$@"
}

cat >"$T/trial.c" <<'END'
/* A comment, that is one. */
int	 a;		/* what a is */
int	 b = '"';	/* and b */
/*
 * Those are two lines.
 *
 * It is another paragraph.
 */
const char *c = "/* it is none";	/* The same of c. */
int	 d;		/* the day of \"it\", or as it is */
int	 e;		/* asked for it, itself */ /* it */
END
dangling "$T/trial.c" | sed 's/^.*trial.c:\([0-9]*\):.*/\1/' >"$T/got"
printf '%s\n' 2 3 5 9 | diff - "$T/got" >"$T/diff" ||
    fail "these are not seen, or too many: $(cat "$T/diff")"

cd "$TOP" || exit 1
find libut utd utctl -name '*.[ch]' >"$T/sources"
[ "$(wc -l <"$T/sources")" -gt 100 ] || fail "no sources"
dangling $(cat "$T/sources") >"$T/dangling"
for f in $(cat "$T/sources"); do
	expand "$f" | awk -v f="$f" 'length > 80 { print f ":" FNR ": " $0 }'
done >"$T/wide"
grep -rhoE '(libut|utd|utctl|regress)/[a-z_/0-9]+\.(c|h|sh|awk)' README man \
    libut/PORTING $(find libut utd utctl -name README) $(cat "$T/sources") |
    sort -u | while read -r f; do
	[ -e "$f" ] || echo "$f"
done >"$T/gone"
[ ! -s "$T/gone" ] || fail "no such files: $(cat "$T/gone")"
[ ! -s "$T/wide" ] || fail "lines over 80 columns:
$(cat "$T/wide")"
[ ! -s "$T/dangling" ] || fail "comments that begin in the middle:
$(cat "$T/dangling")"
exit 0
