# Copyright (c) 2026 The libut authors.  ISC licence: see README.
#
# Completion of utctl(1) for bash.  utctl help knows the commands and options.

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

_utctl_wrappers()
{
	"$1" help record 2>/dev/null | sed -n 's/^  -w \([a-z]*\) .*/\1/p'
}

_utctl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words= actions=

	if [ "$COMP_CWORD" -eq 1 ]; then
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
		*,-o|*,-R)
			actions='-A directory'
			;;
		view,*|stat,*|heap,*|locks,*|export,*)
			words=$(_utctl_sessions "$tool")
			actions='-A directory'
			;;
		load,*)
			actions='-A file'
			;;
		record,-w)
			words=$(_utctl_wrappers "$tool")
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
}

complete -o filenames -F _utctl utctl
