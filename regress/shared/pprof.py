# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# pprof.py FILE: the samples of a profile.proto, a line each: the program, the
# functions from the outermost one, and the values; before them the modules, with
# their build IDs.

import sys


def fields(b):
    i = 0

    def varint():
        nonlocal i
        v = shift = 0
        while True:
            c = b[i]
            i += 1
            v |= (c & 0x7f) << shift
            shift += 7
            if c < 0x80:
                return v
    while i < len(b):
        key = varint()
        assert key & 7 in (0, 2), key
        v = varint()
        if key & 7 == 2:
            v, i = b[i:i + v], i + v
        yield key >> 3, v


def message(b):
    m = {}
    for k, v in fields(b):
        m.setdefault(k, []).append(v)
    return m


p = message(open(sys.argv[1], "rb").read())
text = [s.decode() for s in p[6]]
assert text[0] == ""
types = [message(t) for t in p[1]]
print(" ".join(text[t[1][0]] + "/" + text[t[2][0]] for t in types))
maps = {m[1][0]: text[m[5][0]] for m in map(message, p.get(3, []))}
for m in map(message, p.get(3, [])):
    print("module", ascii(text[m[5][0]]), text[m[6][0]])
functions = {f[1][0]: text[f[2][0]] for f in map(message, p.get(5, []))}
locations = {}
for loc in map(message, p[4]):
    assert loc[2][0] == 0 or loc[2][0] in maps
    lines = [functions[message(n)[1][0]] for n in loc.get(4, [])]
    locations[loc[1][0]] = lines or [hex(loc[3][0])]
for s in map(message, p[2]):
    label = message(s[3][0])
    assert text[label[1][0]] == "program" and len(s[2]) == len(types)
    names = [n for loc in s[1] for n in locations[loc]]
    print(";".join([text[label[2][0]] or "-"] + names[::-1]), *s[2])
