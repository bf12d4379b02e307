# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Rows as row() of bench/common.sh prints them: a table.  A row "column|NAME"
# says who is beside libut in the next ones, in place of LTTng.

function is_number(s) {
	return s ~ /^-?[0-9][0-9.]*(e[-+]?[0-9]+)?$/
}
function figure(s) {
	if (!is_number(s))
		return s
	if (s > -0.005 && s < 0.005)
		return "0.00"
	if (s >= 1000 || s <= -1000 || s == int(s))
		return sprintf("%.0f", s)
	return sprintf(s >= 100 ? "%.0f" : s >= 10 ? "%.1f" : "%.2f", s)
}
# How many times better than what is beside it: less is better, but for a rate
# and for what a snapshot has.
function ratio(unit, u, l) {
	if (!is_number(u) || !is_number(l) || u < 0.005 || l < 0.005)
		return ""
	return figure(unit ~ /\/s$|^MB$/ ? u / l : l / u)
}
BEGIN {
	FS = "|"
	format = "%-33s %-6s %13s %13s %6s %8s  %-19s %s\n"
	beside = "LTTng"
}
$1 == "column" {
	beside = $2
	next
}
NF < 5 { next }
beside != heading {
	printf format, "", "unit", "libut", beside, "ratio", "floor",
	    "goal", "met"
	heading = beside
}
{
	printf format, $1, $2, figure($3), figure($4), ratio($2, $3, $4),
	    figure($5), $6, $7
	for (i = 8; i < NF; i += 2)
		printf format, "", "", "", "", "", "", $i, $(i + 1)
}
