# Copyright (c) 2026 The libut authors.  ISC licence: see README.
#
# Completion of utctl(1) for fish.  utctl help knows the commands and options.

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

function __utctl_wrappers
    utctl help record 2>/dev/null | string match -r '^  -w [a-z]+.*' |
        string replace -r '^  -w ([a-z]+) *(.*)' '$1\t$2'
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
complete -c utctl -n '__utctl_about view stat heap locks export' -a '(__utctl_sessions)'
complete -c utctl -n '__utctl_about record' -s w -x -a '(__utctl_wrappers)'
