# Copyright (c) 2026 The libut authors.  ISC licence: see README.
#
# Completion of utctl(1) for fish.  utctl help knows the commands, the options
# and, with -v, the values of these.

function __utctl_commands
    utctl help 2>/dev/null | string match -r '^  [a-z][a-z-]*  .*' |
        string replace -r '^  ([a-z-]*) *(.*)' '$1\t$2'
end

function __utctl_options
    set -l words (commandline -opc)
    utctl help $words[2] 2>/dev/null | string match -r '^  -[a-zA-Z].*' |
        string replace -r '^  (-[a-zA-Z]).*?   *(.*)' '$1\t$2'
end

function __utctl_sessions
    utctl status 2>/dev/null | string match -r '^[* ] session [^ ]* .*' |
        string replace -r '^[* ] session ([^ ]*) .*' '$1'
end

function __utctl_values
    set -l words (commandline -opc)
    utctl help -v $argv[1] $words[2] 2>/dev/null
end

# Several values, with commas between them.
function __utctl_list
    set -l before (commandline -ct | string replace -rf '(.*,).*' '$1')
    __utctl_values $argv[1] | string replace -r '^' "$before"
end

function __utctl_pids
    ps -U (id -u) -o pid= 2>/dev/null | string trim
end

function __utctl_first
    test (count (commandline -opc)) -eq 1
end

function __utctl_about
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

complete -c utctl -f -n __utctl_first -a '(__utctl_commands)'
complete -c utctl -f -n '__utctl_about help' -a '(__utctl_commands)'
complete -c utctl -n 'not __utctl_first; and string match -q -- "-*" (commandline -ct)' \
    -f -a '(__utctl_options)'
complete -c utctl -f -n '__utctl_about start stop destroy trigger rotate clear snapshot list save' \
    -a '(__utctl_sessions)'
complete -c utctl -n '__utctl_about view stat heap locks skew export top serve report' -a '(__utctl_sessions)'
complete -c utctl -f -n '__utctl_about enable-event disable-event events' \
    -a '(__utctl_values -e)'
complete -c utctl -n '__utctl_about record' -s w -x -a '(__utctl_list -w)'
complete -c utctl -n '__utctl_about view' -s o -x -a '(__utctl_list -o)'
complete -c utctl -n '__utctl_about record track untrack' -s p -x -a '(__utctl_pids)'
complete -c utctl -n '__utctl_about export' -s F -x -a '(__utctl_values -F)'
complete -c utctl -n '__utctl_about stat top' -s g -x -a '(__utctl_values -g)'
for letter in l L e x
    complete -c utctl -n '__utctl_about record view stat heap locks skew export report enable-event disable-event trigger' \
        -s $letter -x -a "(__utctl_values -$letter)"
end
for letter in m k
    complete -c utctl -n '__utctl_about record enable-channel' -s $letter -x -a "(__utctl_values -$letter)"
end
