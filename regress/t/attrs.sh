# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The attributes of a channel: the table of utctl-session(1) against that of utctl and
# utd, which is seen in the usage lines, in JSON, and in what is refused.

. ./common.sh

page=$TOP/man/utctl-session.1

# The rows: letter|argument|name|values|default.
awk '
/^\.It Sy Option / { on = 1; next }
/^\.El/ { on = 0 }
on' "$page" >"$T/rows"
sed -e 's/^\.It Fl \(.\) Ta Va /\1||/' \
    -e 's/^\.It Fl \(.\) Ar \([a-z-]*\) Ta Va /\1|\2|/' \
    -e 's/ Ta /|/g' "$T/rows" >"$T/table"
grep -q '^[a-zA-Z]|[^|]*|[a-z_]*|[^|]*|[^|]*$' "$T/table" &&
    ! grep -v '^[a-zA-Z]|[^|]*|[a-z_]*|[^|]*|[^|]*$' "$T/table" ||
    fail "the table of $page: $(cat "$T/rows")"

# As the usage line has them, and the least value of each number that is there
# without being asked for.
options= names= least=
while IFS='|' read -r letter arg name values default; do
	case $arg,$values,$default in
	*,none)		;;
	*' to '*)	least="$least -$letter ${values%% to *}" ;;
	,*)		;;
	*)		arg=$(echo "$values" | sed 's/, / | /g') ;;
	esac
	options="$options [-$letter${arg:+ $arg}]"
	names="$names $name"
done <"$T/table"

used() {
	utctl "$1" 2>&1 | sed '/^utctl: /d' | tr '\n\t' '  ' | sed 's/  */ /g; s/ $//'
}
[ "$(used enable-channel)" = \
    "usage: utctl enable-channel$options [-s session] channel" ] ||
    fail "the table has$options; $(used enable-channel)"

# The letters, in the same order in the synopsis.
for c in enable-channel record; do
	want=$(used $c | sed 's/\[-\(.\)[^]]*\]/\
\1\
/g' | sed -n 's/^[a-zA-Z]$/&/p' | tr '\n' ' ')
	got=$(awk -v command=$c '
	$0 == ".Nm utctl Cm " command { on = 1; next }
	/^\.(Ed|Nm)/ { on = 0 }
	on && $1 == ".Op" && $3 ~ /^[a-zA-Z]$/ { printf "%s ", $3 }
	' "$TOP"/man/utctl-[rs]e[cs]*.1)
	[ "$got" = "$want" ] || fail "$c: $want, not $got"
done

start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"

# Another channel with these options, after the least that there can be.
nth=0
channel() {
	nth=$((nth + 1))
	utctl enable-channel $least "$@" c$nth 2>"$T/err"
}
refused() {
	complains "$1" utctl enable-channel $least "$2" "$3" bad
}

# What list -j prints of the last channel, and of one attribute.
shown() {
	utctl list -j s | tr '{' '\n' | sed -n "s/^\"name\":\"c$nth\",//p"
}
is() {
	value=$(member s channels c$nth "$1")
	[ "$value" = "$2" ] || fail "$1 is '$value', not '$2': $(shown)"
}

bytes() {
	case $1 in
	[0-9]*ms)	echo $((${1%ms})) ;;
	[0-9]*s)	echo $((${1%s} * 1000)) ;;
	[0-9]*k)	echo $((${1%k} * 1024)) ;;
	[0-9]*m)	echo $((${1%m} * 1048576)) ;;
	none)		echo 0 ;;
	*)		echo "$1" ;;
	esac
}

while IFS='|' read -r letter arg name values default; do
	least_was=$least
	case $letter in				# not without
	W)	least="$least -C 8k" ;;
	t)	least="$least -m block" ;;
	esac
	case $values in
	*' to '*)
		from=${values%% to *} to=${values##* to } unit=
		low=$(bytes $from) high=$(bytes $to)
		case $from in
		*ms)	unit=ms high=$((${to%m} * 60000)) ;;
		esac
		for n in $low $high; do
			channel -$letter $n$unit ||
			    fail "-$letter $n$unit: $(cat "$T/err")"
			is $name $n
		done
		for n in $((low - 1)) $((low / 2)) $((high + 1)) \
		    $((high * 2)); do
			# A time of 0 is one of its own: never.
			[ -z "$unit" ] || [ $n -ne 0 ] || continue
			refused "n[oe].*from $from to $to\$" -$letter $n$unit
		done
		;;
	*)
		for given in $(echo "$values" | tr -d ,); do
			word=$given
			set -- -$letter $word
			[ -n "$arg" ] || set -- -$letter
			[ -n "$arg" ] || [ "$word" != "$default" ] || set --
			if channel "$@"; then
				# One of the others, whichever.
				[ "$word" != auto ] || word=$(shown |
				    sed 's/.*"clock":"\([^"]*\)".*/\1/')
				is $name $word
			else
				grep -q 'cycle counter' "$T/err" ||
				    fail "$*: $(cat "$T/err")"
			fi
			[ -z "$arg" ] || refused "[hn][eo]r $given" -$letter x
		done
		;;
	esac

	# The default, and that with -p.
	least=
	channel || fail "$(cat "$T/err")"
	is $name $(bytes "${default%% (*}")
	case $default in
	*'(-p: '*)
		channel -p || fail "$(cat "$T/err")"
		default=${default##*: }
		is $name $(bytes "${default%)}")
		;;
	esac
	least=$least_was
done <"$T/table"

waits=' waits waited_us longest_us'
# All members of a channel, here and in the page.
members=name$(shown | sed 's/,"contexts".*//' | tr ',' '\n' |
    sed -n 's/^"\([a-z_]*\)":.*/ \1/p' | tr -d '\n')
counts='clock_error_ns written lost overwritten bytes'
[ "$members" = "name state$names $counts$waits" ] ||
    fail "list -j: $members"
described=$(sed -n '/^\.Em channels ,/,/^\.El/s/^\.It Va \([a-z_]*\) .*/\1/p' \
    "$TOP/man/ut_json.5" | tr '\n' ' ')
[ "$described" = "$members contexts rules registries " ] ||
    fail "ut_json(5) has $described, not $members"
stop_utd || fail "utd: status $?"
