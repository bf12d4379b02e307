# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# otlp.py DIR OPTION...: the lines of export -F otlp and -F otlp-logs are what
# opentelemetry-proto v1 describes, and have the pairs, nesting, other events,
# fields and losses that view has.  Prints how many spans, spans that have not
# ended, records and lost events there are.
import json, re, subprocess, sys

# Members of messages, and the types of their values.  64 bits are text, enums
# are numbers, IDs are hexadecimal, [] is repeated.
MESSAGES = {
    "TraceRequest": {"resourceSpans": ["ResourceSpans"]},
    "LogsRequest": {"resourceLogs": ["ResourceLogs"]},
    "ResourceSpans": {"resource": "Resource", "scopeSpans": ["ScopeSpans"],
        "schemaUrl": "text"},
    "ResourceLogs": {"resource": "Resource", "scopeLogs": ["ScopeLogs"],
        "schemaUrl": "text"},
    "Resource": {"attributes": ["KeyValue"], "droppedAttributesCount": "u32"},
    "ScopeSpans": {"scope": "Scope", "spans": ["Span"], "schemaUrl": "text"},
    "ScopeLogs": {"scope": "Scope", "logRecords": ["LogRecord"],
        "schemaUrl": "text"},
    "Scope": {"name": "text", "version": "text", "attributes": ["KeyValue"],
        "droppedAttributesCount": "u32"},
    "Span": {"traceId": "id16", "spanId": "id8", "traceState": "text",
        "parentSpanId": "id8", "flags": "u32", "name": "text",
        "kind": "kind", "startTimeUnixNano": "u64",
        "endTimeUnixNano": "u64", "attributes": ["KeyValue"],
        "droppedAttributesCount": "u32", "events": [], "links": [],
        "droppedEventsCount": "u32", "droppedLinksCount": "u32",
        "status": "Status"},
    "Status": {"message": "text", "code": "u32"},
    "LogRecord": {"timeUnixNano": "u64", "observedTimeUnixNano": "u64",
        "severityNumber": "severity", "severityText": "text",
        "body": "AnyValue", "attributes": ["KeyValue"],
        "droppedAttributesCount": "u32", "flags": "u32",
        "traceId": "id16", "spanId": "id8", "eventName": "text"},
    "KeyValue": {"key": "text", "value": "AnyValue"},
    "AnyValue": {"stringValue": "text", "boolValue": "bool",
        "intValue": "i64", "doubleValue": "double",
        "arrayValue": "ArrayValue", "kvlistValue": "KeyValueList",
        "bytesValue": "text"},
    "ArrayValue": {"values": ["AnyValue"]},
    "KeyValueList": {"values": ["KeyValue"]},
}
ADDRESSES = "addr", "call_site"     # as export has them


def id_of(n):
    return lambda v: re.fullmatch("[0-9a-f]{%d}" % (2 * n), v) and \
        int(v, 16) != 0


def decimal(least, most):
    return lambda v: isinstance(v, str) and re.fullmatch("-?[0-9]+", v) and \
        least <= int(v) <= most


SCALARS = {"text": lambda v: isinstance(v, str), "id8": id_of(8),
    "id16": id_of(16), "u64": decimal(0, 2**64 - 1),
    "i64": decimal(-2**63, 2**63 - 1), "bool": lambda v: v in (True, False),
    "double": lambda v: isinstance(v, float),
    "u32": lambda v: isinstance(v, int) and 0 <= v < 2**32,
    "kind": lambda v: v in range(1, 6), "severity": lambda v: v in range(25)}


def check(kind, v):
    if kind in SCALARS:
        assert SCALARS[kind](v), (kind, v)
        return
    assert isinstance(v, dict) and set(v) <= set(MESSAGES[kind]), (kind, v)
    assert kind != "AnyValue" or len(v) <= 1, v
    for name, x in v.items():
        of = MESSAGES[kind][name]
        if not isinstance(of, list):
            check(of, x)
            continue
        assert isinstance(x, list), (kind, name)
        for y in x:
            check(of[0], y)
        if of == ["KeyValue"]:
            keys = [y["key"] for y in x]
            assert len(keys) == len(set(keys)), keys


def value(v):
    for kind, x in v.items():
        if kind == "arrayValue":
            return [value(y) for y in x["values"]]
        if kind == "kvlistValue":
            return attributes(x["values"])
        return int(x) if kind == "intValue" else x


def attributes(l):
    return {a["key"]: value(a["value"]) for a in l}


def unique(pairs):
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


# Each span or record of lines, with its resource and its own attributes.
def parse(data, logs):
    names = ("resourceLogs", "scopeLogs", "logRecords") if logs else \
        ("resourceSpans", "scopeSpans", "spans")
    all = []
    assert data == b"" or data.endswith(b"\n")
    for line in data.decode().split("\n")[:-1]:
        assert len(line) < 1 << 20, len(line)
        doc = json.loads(line, object_pairs_hook=unique)
        check("LogsRequest" if logs else "TraceRequest", doc)
        for r in doc[names[0]]:
            for s in r[names[1]]:
                for x in s[names[2]]:
                    x["resource"] = attributes(r["resource"]["attributes"])
                    x["own"] = attributes(x["attributes"])
                    all.append(x)
    return all


def utctl(*args):
    p = subprocess.run(("utctl",) + args, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert p.returncode == 0, (args, p.returncode, p.stderr)
    return p.stdout


def exported(dir, *options):
    return [parse(utctl("export", "-F", f, *options, dir), f != "otlp")
        for f in ("otlp", "otlp-logs")]


# As in JSON for programs with doubles.
def plain(v):
    return {k: plain(x) for k, x in v.items()} if isinstance(v, dict) else \
        [plain(x) for x in v] if isinstance(v, list) else str(v) if \
        isinstance(v, int) and abs(v) > 2**53 else v


def fields_of(own, prefix=""):
    return plain({k[len(prefix):]: v for k, v in own.items() if k.startswith(
        prefix) and k not in ("thread.id", "thread.name", "ut.unended") +
        ADDRESSES and
        (prefix or not k.startswith("end."))})


def who(x):
    return x["resource"]["process.pid"], x["own"]["thread.id"]


def main(dir, *options):
    spans, logs = exported(dir, *options)
    view = [json.loads(l) for l in utctl("view", "-ijO", *options,
        dir).splitlines()]
    keyed = {n: e for o in options if "," in o
        for e, n in enumerate(o.split(",")[:2])}
    names = {v["event"] for v in view if "event" in v}

    def part(name):             # 0: it begins a pair, 1: it ends one
        for b, e in ("_begin", "_end"), ("_entry", "_exit"), \
                (":entry", ":exit"):
            if name.endswith(b) and name[:-len(b)] + e in names:
                return 0
            if name.endswith(e) and name[:-len(e)] + b in names:
                return 1
        return keyed.get(name)

    def key(ns, who, fields):
        return json.dumps([int(ns), who, fields], sort_keys=True)
    starts, ends, others = {}, {}, {}
    for s in spans:
        k = key(s["startTimeUnixNano"], who(s), fields_of(s["own"]))
        starts.setdefault(k, []).append(s)
        if "ut.unended" not in s["own"]:
            took = int(s["endTimeUnixNano"]) - int(s["startTimeUnixNano"])
            ends.setdefault((int(s["endTimeUnixNano"]), took), []).append(s)
    for l in logs:
        if "ut.file" not in l["own"]:
            k = key(l["timeUnixNano"], who(l), fields_of(l["own"]))
            others.setdefault(k, []).append(l)
    byid = {s["spanId"]: s for s in spans}
    assert len(byid) == len(spans)

    def depth(s):
        p = byid.get(s.get("parentSpanId"))
        assert p is None or p["traceId"] == s["traceId"] and who(p) == who(
            s) and int(p["startTimeUnixNano"]) <= int(s["startTimeUnixNano"])
        return 0 if p is None else 1 + depth(p)
    lost = 0
    for v in view:
        if "event" not in v:
            lost += v.get("discarded") or v["lost_packets"] or 0
            continue
        fields = {k: x for k, x in v["fields"].items() if k[-4:] != "_sym" and
            k not in ADDRESSES}
        k = key(v["ns"], (v["vpid"], v["vtid"]), fields)
        of = part(v["event"])
        if of == 1:
            if "took_ns" in v:
                l = ends[int(v["ns"]), int(v["took_ns"])]
                s = next(s for s in l if v["event"] in keyed or
                    depth(s) == v["depth"])
                l.remove(s)
            continue
        x = (starts if of == 0 and k in starts else others)[k].pop()
        if of is None:
            assert x["body"] == {"stringValue": v["event"]}, (x, v)
            assert x["severityNumber"] == (21, 19, 18, 17, 13, 10, 9,
                5)[min(v["level"], 7)]
            assert ("spanId" in x) == (v["depth"] > 0)
            assert "spanId" not in x or depth(byid[x["spanId"]]) + 1 == v[
                "depth"] and x["traceId"] == byid[x["spanId"]]["traceId"]
        r = x["resource"]
        assert [r.get(n) for n in ("service.name", "host.name", "ut.boot_id",
            "ut.session", "ut.trace")] == [v.get(n) for n in ("procname",
            "host", "boot_id", "session", "trace")], (r, v)
        if not starts.get(k, 1):
            del starts[k]
    left = [l for d in (starts, ends, others) for l in d.values() if l]
    assert not left, left[:2]
    told = sum(l["own"].get("ut.count", 0) for l in logs
        if "ut.file" in l["own"] and l["severityNumber"] == 13)
    assert told == lost, (told, lost)
    print(len(spans), len([s for s in spans if "ut.unended" in s["own"]]),
        len(logs), lost)


if __name__ == "__main__":
    main(*sys.argv[1:])
