# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Prints how the branches of FILES that were not taken differ from those in the
# file unreached, and counts them; ends with 1 if they do.  Its input is that
# file, which is compared with the sources alone if there is no other, and what
# llvm-cov exports, a line for each `['.
#
# A condition that was never asked stands behind a branch that was not taken, and
# is not named unless its function was never called.

# one(TEXT): the text with single blanks.
function one(s) {
	gsub(/[ \t]+/, " ", s)
	return s
}

# source(FILE): its lines, and the function of each, whose name begins a line.
function source(f, line, name, k) {
	if (known[f]++)
		return
	for (k = 1; (getline line <f) > 0; k++) {
		if (match(line, /^[a-z_][a-z_0-9]*\(/))
			name = substr(line, 1, RLENGTH - 1)
		text[f, k] = line
		within[f, k] = name
		body[f, name] = body[f, name] " " line
	}
	close(f)
}

# condition(FILE, BRANCH): its text.
function condition(f, b, s, k) {
	s = substr(text[f, b[1]], b[2], b[1] == b[3] ? b[4] - b[2] : 999)
	if (b[1] == b[3])
		return one(s)
	for (k = b[1] + 1; k < b[3]; k++)
		s = s " " text[f, k]
	return one(s " " substr(text[f, k], 1, b[4] - 1))
}

function wrong(where, what) {
	print where ": " what
	failed = 1
}

# way(FILE, BRANCH, WHICH, COUNT, OTHER): how often it was taken, and the other.
function way(f, b, which, count, other, key) {
	all[f]++
	key = f " " within[f, b[1]]
	if (count > 0) {
		taken[f]++
		called[key] = 1
	} else if (other > 0) {
		key = key " " which " " condition(f, b)
		missed[key]++
		lines[key] = lines[key] " " b[1]
	} else
		asleep[key] = lines[key " never called"] = " " b[1]
}

function exported(f, i, b) {
	for (i = 1; i <= rows; i++) {
		split(row[i], b, ",")
		way(f, b, "true", b[5], b[6])
		# That another label was taken is that label's to say.
		if (condition(f, b) !~ /^(case .*|default)$/)
			way(f, b, "false", b[6], b[5])
	}
}

# list(ENTRY): what unreached has in a line.
function list(key, w) {
	split(key, w, " ")
	source(w[1])
	if (!((w[1], w[2]) in body) || (w[3] != "never" && !index(one(body[w[1],
	    w[2]]), substr(key, length(w[1] w[2] w[3]) + 4))))
		wrong("unreached:" FNR, "not in the source: " key)
	listed[key]++
	lucky[key] = kind == "luck:"
}

BEGIN {
	n = split(FILES, file, " ")
	for (i = 1; i <= n; i++)
		source(file[i])
}

FILENAME ~ /unreached$/ {
	if ($1 ~ /^(never|luck):$/)
		kind = $1
	if (sub(/^\t/, ""))
		list(one($0))
	next
}

/"branches":$/ {
	on = 1
	rows = 0
	next
}

on && /^[0-9]/ { row[++rows] = $0 }

on && match($0, /"filename":"[^"]*"/) {
	on = 0
	f = "/" substr($0, RSTART + 12, RLENGTH - 13)
	for (i = 1; i <= n; i++)
		if (substr(f, length(f) - length(file[i])) == "/" file[i])
			exported(file[i])
}

END {
	if (n == 0)
		exit failed
	for (key in asleep)
		if (!(key in called))
			missed[key " never called"] = 1
	for (key in missed) {
		split(key, w, " ")
		if (missed[key] > listed[key])
			wrong(w[1] ":" substr(lines[key], 2), "not taken: " \
			    substr(key, length(w[1]) + 2))
		told[w[1]] += listed[key] ? missed[key] : 0
	}
	for (key in listed)
		if (listed[key] > missed[key] && !lucky[key])
			wrong("unreached", "was taken: " key)
	for (i = 1; i <= n; i++)
		printf "%-32s %5d branches %5d taken %4d listed\n", file[i],
		    all[file[i]], taken[file[i]], told[file[i]]
	exit failed
}
