# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# Prints the values that JSON has at the path "want", one a line.  A path is the
# names of members, with blanks between them.  The name of an object in a list
# is the value of its first member, and these names are the values of the list:
# "sessions s channels" is "c", if "sessions s channels c lost" is a number.

function show(at, v) {
	if (at == want " ") {
		gsub("\001", "\\\\", v)
		gsub("\002", "\"", v)
		print v
	}
}

function begin(kind,	where) {
	where = key == "" ? path[deep] : path[deep] key " "
	unnamed[deep + 1] = kind == "{" && type[deep] == "["
	path[++deep] = where
	type[deep] = kind
	key = ""
}

function scalar(v) {
	if (type[deep] == "{")
		show(path[deep] key " ", v)
	if (type[deep] == "[" || unnamed[deep])
		show(path[deep], v)
	if (unnamed[deep])
		path[deep] = path[deep] v " "
	unnamed[deep] = 0
	key = ""
}

{
	gsub(/\\\\/, "\001")
	gsub(/\\"/, "\002")
	n = split($0, part, "\"")
	for (i = 1; i <= n; i++) {
		if (i % 2 == 0) {
			if (type[deep] == "{" && key == "")
				key = part[i]
			else
				scalar(part[i])
			continue
		}
		gsub(/[][{}]/, " & ", part[i])
		m = split(part[i], token, /[:, ]+/)
		for (j = 1; j <= m; j++) {
			if (token[j] == "{" || token[j] == "[")
				begin(token[j])
			else if (token[j] == "}" || token[j] == "]")
				deep--
			else if (token[j] != "")
				scalar(token[j])
		}
	}
}
