# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces, and programs that they name, which are small and would keep their
# reader busy for minutes, hours or for ever: each is read, or refused, with
# little of the processor.

. ./common.sh
not_cross
need python3

CPU=40		# seconds; all take one or two, or would take hundreds

cat >"$T/bomb.py" <<'END'
import os, struct, sys

name, where = sys.argv[1:]
os.makedirs(where)
M = 1 << 64
HEAD = '/* CTF 1.8 */\n' + ''.join(
    'typealias integer { size = %d; align = 8; signed = false; } := u%d;\n' %
    (n, n) for n in (8, 16, 32, 64)) + \
    'trace { major = 1; minor = 8; byte_order = le; };\n'
STREAM = 'stream { event.header := struct { u8 id; }; };\n'
WHO = 'stream { event.header := struct { u8 id; };\n' \
    '    event.context := struct { u64 vpid; u64 vtid; }; };\n'

def event(n, name, fields, more=''):
    return 'event { id = %d; name = "%s"; %s fields := struct { %s }; };\n' % (
        n, name, more, fields)

def put(meta, stream, file='s'):
    with open(where + '/metadata', 'w') as f:
        f.write(HEAD + meta)
    with open(where + '/' + file, 'wb') as f:
        f.write(stream)

def labels():
    put(STREAM + event(0, 'a:b', 'enum : u32 { %s } v;' %
        ','.join('l%d = %d' % (i, i) for i in range(60000))),
        struct.pack('<BI', 0, 59999) * 1000000)

def empty():
    put(STREAM + event(0, 'a:b', 'u8 n; %s' %
        ' '.join('u8 f%d[n];' % i for i in range(30000))),
        bytes(2000000))

def pairs():
    put(STREAM.replace('u8 id', 'u32 id') + ''.join(
        event(2 * i, 'a:%d_begin' % i, '') + event(2 * i + 1,
        'a:%d_end' % i, '') for i in range(150000)),
        struct.pack('<II', 0, 1) * 10)

def threads():
    put(WHO + event(0, 'a:b_begin', '') + event(1, 'a:b_end', ''),
        b''.join(struct.pack('<BQQ', i & 1, i // 2, (i // 2 << 32) % M ^ 7)
        for i in range(1000000)))

def addresses():
    back = pow(11400714819323198485, -1, M)
    put(WHO + event(0, 'libc:malloc', 'u64 caller; u64 ptr; u64 size;'),
        b''.join(struct.pack('<BQQQQQ', 0, 1, 1, 0,
        (0x1234567800000000 + i) * back % M, 8) for i in range(500000)))

def strings():
    p = 1099511628211
    back = pow(p, -1, M)
    out = []
    i = 0
    while len(out) < 400000:
        i += 1
        word = 0x4141414100000000 | i
        h = (14695981039346656037 ^ word) * p % M
        h ^= h >> 32
        s = struct.pack('<QQ', word, h ^ 12345 * back % M)
        if 0 not in s:
            out.append(b'\0' + s + b'\0')
    put(STREAM + event(0, 'a:b', 'string s;'), b''.join(out))

def shared():
    put('struct big { %s };\n' % ' '.join('u8 f%d;' % i
        for i in range(60000)) + STREAM.replace('u8 id', 'u32 id') +
        ''.join('event { id = %d; name = "a:%d"; fields := struct big; };\n'
        % (i, i) for i in range(200000)), bytes(60004))

def stacks():
    n = 100000
    put(WHO.replace('u8 id', 'u8 id; u32 timestamp') + ''.join(event(k,
        'a:%s' % s, '') for k, s in enumerate(('b_begin', 'b_end'))),
        b''.join(struct.pack('<BIQQ', i >= n, i, 1, 1)
        for i in range(2 * n)))

def waiters():
    f = 'u64 caller; u64 lock;'
    put(WHO + ''.join(event(k, 'pthread:mutex_' + s, f) for k, s in
        enumerate(('request', 'acquired', 'release'))), b''.join(
        [struct.pack('<BQQQQ', 0, 1, i + 2, 0, 64) for i in range(200000)] +
        [struct.pack('<BQQQQ', i % 2 + 1, 1, 1, 0, 64)
        for i in range(200000)]))

def hole():
    put(STREAM + event(0, 'a:b', ''), bytes(1000))
    os.truncate(where + '/s', 1 << 40)

def losses():
    n = 200000
    put(WHO.replace('event.header', 'packet.context := struct { '
        'u64 packet_size; u64 events_discarded; };\n    event.header') +
        event(0, 'a:b_begin', '') + event(1, 'a:b_end', ''), b''.join(
        [struct.pack('<QQ', 8 * (16 + 17 * n), 0)] +
        [struct.pack('<BQQ', 0, 1, i) for i in range(n)] +
        [struct.pack('<QQ', 8 * 16, i + 1) for i in range(n)]))

def cut():
    for i in range(3000):
        put('stream { event.header := struct { u8 id; };\n    packet.context'
            ' := struct { u64 packet_size; }; };\n' + event(0, 'a:b', ''),
            struct.pack('<QB', 8 * 100, 0), 's%d' % i)

globals()[name]()
END

# bomb NAME STATUS COMMAND OPTION...: what the script of that name makes.
bomb() {
	name=$1 want=$2
	shift 2
	rm -rf "$T/bomb"
	python3 "$T/bomb.py" "$name" "$T/bomb" || fail "bomb.py $name"
	quick "$name" "$want" "$@" "$T/bomb"
}

# quick NAME STATUS COMMAND...: it ends by itself, with that status.
quick() {
	name=$1 want=$2
	shift 2
	(
		ulimit -t $CPU
		ulimit -c 0
		$LIMIT utctl "$@"
	) >"$T/out" 2>"$T/err"
	got=$?
	[ $got -eq "$want" ] ||
	    fail "$name: status $got: $(head -n 3 "$T/err" | cut -c1-200)"
	rm -rf "$T/bomb"
}
LIMIT=
bomb labels 0 view
[ "$(grep -c 'v = l59999' "$T/out")" -eq 1000000 ] || fail "labels"
bomb empty 1 view -q
grep -q 'more than 256 fields that may be empty$' "$T/err" ||
    fail "empty: $(cat "$T/err")"
bomb pairs 0 stat -d
bomb threads 0 stat -d
grep -q '^ *500000 .*a:b$' "$T/out" || fail "threads: $(head "$T/out")"
bomb addresses 0 heap
bomb strings 0 stat -g s
bomb shared 1 view -f 'f59999 == 1'
grep -q 'the events have more than [0-9]* fields in all$' "$T/err" ||
    fail "shared: $(cat "$T/err")"
bomb stacks 0 export -F folded
bomb waiters 0 locks
bomb losses 0 export
bomb hole 1 stat
grep -q 'byte [0-9]*: nothing was ever written there$' "$T/err" ||
    fail "hole: $(cat "$T/err")"
# Here it is time that is spent, not the processor.
if command -v timeout >/dev/null 2>&1; then
	LIMIT="timeout 100"
	bomb cut 1 view -q
	LIMIT=
fi

# Programs that a trace names.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
PROGRAM='#include <stdint.h>
#include <ut.h>

UT_EVENT(m, e, UT_INFO, UT_X64(caller));

__attribute__((noinline)) void
work(int i)
{
	(void)i;
	UT(m, e, (uint64_t)(uintptr_t)__builtin_return_address(0));
}
'
# Names that are short, and stand for 70 MB each.
{
	echo "$PROGRAM"
	python3 - <<-'END'
	for i in range(20):
	    print('void w%d(void) __asm__("_Z%df%sIJ%sEEvDpPFT_DpPFT_T_T_T_T_'
	        'T_EE");' % (i, len(str(i)) + 1, i, 'g' * 965))
	    print('__attribute__((noinline)) void w%d(void)' % i)
	    print('{ work(%d); work(%d); }' % (i, i))
	print('int main(void) { %s return 0; }' %
	    ' '.join('w%d();' % i for i in range(20)))
	END
} >"$T/names.c"
build "$T/names" -Wl,--build-id "$T/names.c"
recorded -e 'm:*' -e ut:module -- "$T/names"
quick names 0 view -e 'm:*' "$T/trace"
[ "$(grep -c ' m:e ' "$T/out")" -eq 40 ] || fail "names: $(cat "$T/out")"

# Its table of symbols is a hole; the file has the build ID that is wanted.
{
	echo "$PROGRAM"
	echo 'int main(void) { work(1); work(2); return 0; }'
} >"$T/table.c"
build "$T/table" -Wl,--build-id "$T/table.c"
recorded -e 'm:*' -e ut:module -- "$T/table"
utctl view -e 'm:*' "$T/trace" | grep -q 'main+0x' || skip "no names here"
[ "$(getconf LONG_BIT)" -eq 64 ] || exit 0
python3 - "$T/table" <<-'END' || fail "no hole"
	import os, struct, sys
	f = open(sys.argv[1], 'r+b')
	n = os.fstat(f.fileno()).st_size + 4095 & ~4095
	size = 200 << 30
	f.truncate(n + size)
	f.seek(n + size)
	f.write(bytes(64) + struct.pack('<IIQQQQIIQQ', 0, 2, 0, 0, n, size, 2,
	    0, 8, 24) + struct.pack('<IIQQQQIIQQ', 0, 3, 0, 0, 0, n, 0, 0, 1,
	    0))
	f.seek(40)
	f.write(struct.pack('<Q', n + size))
	f.seek(58)
	f.write(struct.pack('<HH', 64, 3))
END
quick table 0 view -e 'm:*' "$T/trace"
grep -q 'tables of symbols of more than' "$T/err" || fail "$(cat "$T/err")"
