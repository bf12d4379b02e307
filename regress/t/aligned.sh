# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Foreign traces: where a field begins behind one that is empty, but aligned.
# Each byte of the stream is its own offset, so a number of one byte says where
# it was read; the length of sequences is 0.  babeltrace2, where there is one,
# says the same.

. ./common.sh

u8='integer { size = 8; align = 8; }'
mkdir "$T/t" || exit 1
# The magic number, four bytes, a 0, and those from 9 on.
{
	printf '\301\374\037\301\4\5\6\7\0'
	i=9
	while [ $i -lt 64 ]; do
		printf "\\$(printf %o $i)"
		i=$((i + 1))
	done
} >"$T/t/stream"

# at OFFSET FIELDS: that is where the field after them begins.
at() {
	cat >"$T/t/metadata" <<-END
	/* CTF 1.8 */
	trace { major = 1; minor = 8; byte_order = be;
	    packet.header := struct {
		integer { size = 32; align = 8; } magic;
		integer { size = 32; align = 8; } four;
	    };
	};
	stream { };
	event {
	    name = "e:v";
	    fields := struct { $u8 n; $2 $u8 after; $u8 rest[$((63 - $1))]; };
	};
	END
	for reader in 'utctl view' babeltrace2; do
		command -v "${reader%% *}" >/dev/null 2>&1 || continue
		$reader "$T/t" >"$T/out" 2>"$T/err" ||
		    fail "$2: $reader: $(cat "$T/err")"
		grep -q " after = $1," "$T/out" ||
		    fail "$2: $reader: not at $1: $(cat "$T/out")"
	done
	utctl stat -v after "$T/t" >"$T/out" || fail "$2: stat"
	grep -q " $1  *$1  *e:v\$" "$T/out" ||
	    fail "$2: stat: $(cat "$T/out")"
	[ "$(utctl view -f "after == $1" "$T/t" | wc -l)" -eq 1 ] ||
	    fail "$2: -f: not at $1"
}

long='integer { size = 64; align = 64; }'
byte='integer { size = 8; align = 64; }'
at 9 ''
at 16 "$byte a[0];"
at 16 "$byte a[n];"
at 16 "$long a[0];"
at 16 "$long a[n];"
at 9 'integer { size = 64; align = 8; } a[n];'
at 9 'string a[n];'
at 16 "$byte a[n][3];"
at 16 "struct { $byte x; } a[n];"
at 16 "struct { $u8 x; } align(64) a[0];"
at 16 "struct { $u8 x; struct { $byte y[3]; } z; } a[n];"
at 16 "struct { $byte x[0]; } a;"
at 24 "struct { $u8 x; $byte y[0]; } a;"
at 16 'struct { } align(64) a;'
at 16 "enum : $byte { A, B } a[n];"
at 16 'floating_point { exp_dig = 8; mant_dig = 24; align = 64; } a[n];'
at 24 "$byte a[0]; $u8 x; $byte b[n];"
# Letters with padding between them are no text.
at 25 'integer { size = 8; align = 64; encoding = UTF8; } a[2];'
