# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Two programs with an event of the same name that is not the same: the
# second one's is refused, with a warning that names both, and the rest goes
# on.

. ./common.sh

build "$T/first" prog/kind.c
build "$T/same" prog/kind.c
build "$T/fields" '-DFIELDS=UT_U64(n)' -DVALUES='(uint64_t)i' prog/kind.c
build "$T/names" '-DFIELDS=UT_INT(m)' -DVALUES=i prog/kind.c
build "$T/level" -DLEVEL=UT_WARNING prog/kind.c

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'kind:*' &&
    utctl start || fail "set-up"
mkfifo "$T/hold" || fail "mkfifo"
"$T/first" 10 <"$T/hold" >"$T/ready" &
CHILDREN="$CHILDREN $!"
exec 5>"$T/hold"
until_ok grep -q done "$T/ready" || fail "first does not run"

"$T/same" 5 </dev/null >/dev/null || fail "same: $?"
utctl list s >"$T/list"
grep warning "$T/list" && fail "a warning for the same event"
"$T/fields" 100 </dev/null >/dev/null || fail "fields: $?"
expect 0 'warning: event kind:one of fields has other fields than that of first: not recorded' \
    utctl list s
grep -q "kind:one of fields" "$T/utd.log" || fail "not in utd's log"
"$T/names" 100 </dev/null >/dev/null || fail "names: $?"
expect 0 'warning: event kind:one of names has other fields' utctl list s
"$T/level" 100 </dev/null >/dev/null || fail "level: $?"
expect 0 'warning: event kind:one of level has level warning, that of first has info: not recorded' \
    utctl list s
expect 0 '"warnings":\[{"text":"event kind:one' utctl list -j s

# Each is said once, however often it happens.
"$T/level" 100 </dev/null >/dev/null || fail "level: $?"
n=$(utctl list s | grep -c 'warning: ')
[ "$n" -eq 3 ] || fail "$n warnings"
expect 0 '3 warnings' utctl list

# The first is unaffected, and so are others like it.
"$T/same" 5 </dev/null >/dev/null || fail "same: $?"
expect 0 's stopped: 20 events, 0 lost' utctl stop
readers_agree "$T/trace"
[ "$(grep -c 'kind:one.* n = ' "$T/view.out")" -eq 20 ] || fail "the trace"
[ "$(described 'kind:one"' "$T"/trace/ust/uid/*/*/metadata)" -eq 1 ] ||
    fail "more than one kind:one in the metadata"

# A session that has not seen the first takes the other.
utctl create -o "$T/new" t >/dev/null &&
    utctl enable-event -l warning 'kind:*' && utctl start || fail "set-up"
"$T/level" 7 </dev/null >/dev/null || fail "level: $?"
expect 0 't stopped: 7 events' utctl stop t

# Who destroys a session sees what nobody can list any more.
utctl list s | sed -n 's/^ *warning: //p' >"$T/listed"
[ "$(wc -l <"$T/listed")" -eq 3 ] || fail "$(cat "$T/listed")"
expect 0 's destroyed: 20 events, 0 lost, .*; 3 warnings$' utctl destroy s
sed -n 's/^utctl: warning: //p' "$T/err" | cmp -s - "$T/listed" ||
    fail "not those of list: $(cat "$T/err")"
expect 0 't destroyed: 7 events' utctl destroy -a
grep warning "$T/err" && fail "a warning of t"
utctl create -o "$T/all" s >/dev/null &&
    utctl enable-event 'kind:*' && utctl start || fail "set-up"
"$T/first" 5 </dev/null >/dev/null && "$T/level" 7 </dev/null >/dev/null ||
    fail "first and level: $?"
expect 0 's destroyed: .*; 1 warning$' utctl destroy -a
grep -q '^utctl: warning: .*level' "$T/err" || fail "-a: $(cat "$T/err")"
stop_utd || fail "utd: status $?"
