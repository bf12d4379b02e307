# Copyright (c) 2026 The libut authors.  ISC licence: see README.
#
# Completion of utctl(1) for bash.  utctl help knows the commands, the options
# and, with -v, the values of these.

_utctl_commands()
{
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}

_utctl_options()
{
	"$1" help "$2" 2>/dev/null | sed -n 's/^  \(-[a-zA-Z]\).*/\1/p'
}

_utctl_sessions()
{
	"$1" status 2>/dev/null | sed -n 's/^[* ] session \([^ ]*\) .*/\1/p'
}

# Several values, with commas between them: after those that are there.
_utctl_list()
{
	local before=

	[[ $cur != *,* ]] || before=${cur%,*},
	_utctl_values "$@" | sed "s/^/$before/"
}

_utctl_values()
{
	"$1" help -v "$3" "$2" 2>/dev/null
}

_utctl()
{
	# The shell takes a word apart at each colon.
	local line=${COMP_LINE:0:COMP_POINT} words= actions= argv
	read -ra argv <<<"$line"
	[[ $line != *' ' ]] || argv+=('')
	local n=${#argv[@]} tool=${argv[0]} command=${argv[1]}
	local cur=${argv[n - 1]} prev=${argv[n - 2]}

	if [ "$n" -le 2 ]; then
		words=$(_utctl_commands "$tool")
	elif [[ $cur == -* ]]; then
		words=$(_utctl_options "$tool" "$command")
	else
		case $command,$prev in
		help,*)
			words=$(_utctl_commands "$tool")
			;;
		*,-s)
			words=$(_utctl_sessions "$tool")
			;;
		record,-p|track,-p|untrack,-p)
			words=$(ps -U "$(id -u)" -o pid= 2>/dev/null)
			;;
		record,-w|view,-o)
			words=$(_utctl_list "$tool" "$command" "$prev")
			;;
		*,-o|*,-R)
			actions='-A directory'
			;;
		*,-[lLmkex]|export,-F|stat,-g|top,-g)
			words=$(_utctl_values "$tool" "$command" "$prev")
			;;
		enable-event,*|disable-event,*|events,*)
			words=$(_utctl_values "$tool" "$command" -e)
			;;
		view,*|stat,*|heap,*|locks,*|skew,*|export,*|top,*|serve,*|report,*)
			words=$(_utctl_sessions "$tool")
			actions='-A directory'
			;;
		load,*)
			actions='-A file'
			;;
		record,*)
			actions='-A command -A file'
			;;
		start,*|stop,*|destroy,*|trigger,*|rotate,*|clear,*|\
		snapshot,*|list,*|save,*)
			words=$(_utctl_sessions "$tool")
			;;
		esac
	fi
	COMPREPLY=($(compgen $actions -W "$words" -- "$cur"))
	[[ $cur != *:* || $COMP_WORDBREAKS != *:* ]] ||
		COMPREPLY=("${COMPREPLY[@]#"${cur%:*}:"}")
}

complete -o filenames -F _utctl utctl
