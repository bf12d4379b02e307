/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * The script of a page: it reads the data and draws them.  All text goes into
 * the page as text, never as HTML.
 */

'use strict';

const D = JSON.parse(document.getElementById('data').textContent);
const HEAT = 128, ROWS = 80, SLOTS = 512, DEEP = 24;
const SOME = 15;	/* rows of a table that are shown at first */
const WAIT = -1, HOLD = -2, KEYED = -3;
const root = document.querySelector('main');

/* An element: attributes, and functions for events, and what is in it. */
function el(tag, attrs, ...inner) {
	const svg = /^(svg|path|rect|pattern|title)$/.test(tag);
	const e = svg ? document.createElementNS('http://www.w3.org/2000/svg',
	    tag) : document.createElement(tag);
	for (const [k, v] of Object.entries(attrs || {}))
		if (typeof v === 'function')
			e.addEventListener(k, v);
		else
			e.setAttribute(k, v);
	e.append(...inner.filter(x => x !== null && x !== undefined));
	return e;
}

/*
 * Numbers as text.
 */

const digits = v => v.toLocaleString('en', { maximumSignificantDigits: 3 });
const count = v => v.toLocaleString('en');

function unit(v, step, units) {
	let i = 0;
	while (Math.abs(v) >= step * 0.9995 && i < units.length - 1) {
		v /= step;
		i++;
	}
	return digits(v) + ' ' + units[i];
}

const span = ns => unit(ns, 1000, ['ns', 'µs', 'ms', 's']);
const bytes = v => unit(v, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);

/* A time behind the beginning, as exact as that step is. */
function at(ns, step) {
	const n = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step ||
	    D.length / 1e5 || 1))));
	return (ns < 0 ? '-' : '+') + (Math.abs(ns) / 1e9).toFixed(n) + ' s';
}

const many = (n, what) => count(n) + ' ' + what + (n === 1 ? '' : 's');

function who(i) {
	const t = D.tracks[i];
	if (t === undefined)
		return 'a thread that is not listed';
	if (t.tid < 0)
		return t.name;
	return (t.host ? t.host + ' ' : '') + (t.thread || t.name || '-') +
	    '[' + (t.pid ?? '') + ':' + (t.tid ?? '') + ']';
}

/* The process that has a heap, or a lock. */
const process = (r, name) => (r.host ? r.host + ' ' : '') +
    `${name}[${r.pid ?? '-'}]`;

/* Colours of the style: asked for once in each drawing. */
const palette = new Map();

function colour(name) {
	if (!palette.has(name))
		palette.set(name, getComputedStyle(document.documentElement)
		    .getPropertyValue('--' + name));
	return palette.get(name);
}

/* The edge of a half octave, in ns. */
const edge = row => Math.pow(2, row / 2);

/* Threes of a flat array, or so many. */
function* groups(list, n) {
	for (let i = 0; i < list.length; i += n)
		yield list.slice(i, i + n);
}

/*
 * Parts of the page.
 */

function section(id, title, ...inner) {
	const s = el('section', { id: id, 'aria-label': title },
	    el('h2', {}, title), ...inner);
	root.append(s);
	nav.append(el('a', { href: '#' + id }, title), ' ');
	return s;
}

/* Text whose options, as -b, are not broken into two lines. */
const whole = text => text.split(/((?<![^ (])-[a-z](?: block)?(?!\w))/).map(
    (v, i) => i % 2 === 0 ? v : el('span', { class: 'whole' }, v));

/* Text that may be broken after punctuation, before it is within a word. */
const broken = text => (text || '').split(
    /(?<=[^\W_][:_<(\/,.]+)(?=[^\W\d])|(?=\+0x)/).flatMap(v =>
    [v, el('wbr')]).slice(0, -1);

/* A paragraph. */
const say = (text, kind) => el('p', { class: kind || '' }, ...whole(text));
const dim = text => say(text, 'dim');

/*
 * A table: columns have a name, the value to sort by, and the text; the class
 * is n for numbers.
 */
function table(caption, cols, rows, go) {
	const head = el('tr'), body = el('tbody');
	const t = el('table', { 'aria-label': caption }, el('thead', {}, head),
	    body);
	const hint = el('span', {}, ' (scroll sideways to see all)');
	const more = el('button', { class: 'b', click: () =>
	    fill(shown === SOME ? Infinity : SOME) });
	const name = cols.find(c => !c.text);
	/* There is no room for all: the name is what is seen. */
	if (innerWidth <= 600)
		cols = [name, ...cols.filter(c => c !== name)];
	let shown = SOME;
	function fill(n) {
		shown = n;
		more.hidden = rows.length <= SOME;
		more.textContent = n === SOME ? many(rows.length - n,
		    'more row') : 'fewer rows';
		body.replaceChildren(...rows.slice(0, n).map(r => {
			const tr = el('tr', go ? { class: 'go', tabindex: 0,
			    click: () => go(r), keydown: e =>
			    e.key === 'Enter' && go(r) } : {});
			tr.append(...cols.map(c => el('td',
			    { class: c.text ? c.n : 't' }, ...c.text ?
			    [c.text(r)] : broken(c.value(r)))));
			return tr;
		}));
	}
	function sort(c, th) {
		const up = th.getAttribute('aria-sort') === 'descending' ||
		    (c.n !== 'n' && !th.hasAttribute('aria-sort'));
		for (const other of head.children)
			other.removeAttribute('aria-sort');
		th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
		rows = [...rows].sort((a, b) => {
			const x = c.value(a), y = c.value(b);
			return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
		});
		fill(shown);
	}
	for (const c of cols) {
		const th = el('th', { scope: 'col', class: c.n || '' });
		th.append(c.value ? el('button', { click: () => sort(c, th) },
		    c.name) : c.name);
		head.append(th);
	}
	fill(shown);
	function cut() {
		const w = box.scrollWidth - box.clientWidth;
		hint.hidden = w <= 2;
		box.classList.toggle('cut', w - box.scrollLeft > 2);
	}
	const box = el('div', { class: 'wide', scroll: cut }, t);
	new ResizeObserver(cut).observe(box);
	return el('div', {}, el('p', { class: 'dim' }, caption, hint),
	    box, more);
}

/* A column of text; and one of numbers. */
const txt = (name, value) => ({ name, value });

function num(name, get, text) {
	return { name: name, n: 'n', value: get,
	    text: r => get(r) === undefined ? '' : (text || count)(get(r)) };
}

/*
 * Losses are hatched over a chart of that width, and length in ns; near ones
 * are one mark.  A loss may begin before the first event.
 */
function lossMarks(w, h, len) {
	const n = 256, on = new Array(n + 1).fill(false), marks = [];
	const place = t => Math.max(-1, Math.floor(t / len * n));
	for (const l of D.losses)
		on.fill(true, Math.max(0, place(l[0])), place(l[1]) + 1);
	for (let i = 0, k; i < n; i = k + 1) {
		for (k = i; k < n && on[k]; k++)
			;
		if (k > i)
			marks.push(el('rect', { x: i / n * w, y: 0, height: h,
			    width: (k - i) / n * w, fill: 'url(#hatch)' },
			    el('title', {}, 'events were lost')));
	}
	return marks;
}

function lossText(l) {
	const what = l[3] === 2 ? 'older events were removed or overwritten' :
	    l[3] === 1 ? many(l[2], 'packet') + ' lost' : l[2] === 0 ?
	    'events may be lost' : many(l[2], 'event') + ' lost';
	return what + (l[4] > 1 ? `, ${count(l[4])} times,` : '') + ' from ' +
	    at(l[0]) + ' to ' + at(l[1]) + (l[5] < 0 ? '' :
	    ` in ${who(l[5])}`);
}

/* The times below a chart of that many ns, at so many places. */
const axis = (len, n) => el('div', { class: 'x', 'aria-hidden': 'true' },
    ...[...Array(n).keys()].map(i => el('span', {}, at(i * len / (n - 1),
    len / 100))));

/*
 * A chart of steps: the values of slots of that length, in ns.  It tells the
 * value at the pointer, or at the cursor that the arrows move.
 */
function steps(values, slot, h, name, ticks, text) {
	const w = values.length, top = Math.max(1, ...values), pts = [];
	const cursor = el('rect', { y: 0, width: 1, height: h, class: 'at' });
	const said = el('output', {});
	let on = -1;
	for (let i = 0; i < values.length; i++) {
		const y = (h - values[i] / top * (h - 2)).toFixed(1);
		pts.push(i + ',' + y + 'H' + (i + 1));
	}
	function tell(i) {
		const from = i * slot, to = from + slot;
		on = Math.max(-1, Math.min(w - 1, i));
		cursor.setAttribute('x', on);
		said.textContent = i < 0 ? 'each step is ' + span(slot) :
		    `${at(from, slot / 10)}: ${text(values[on], on)}` +
		    (lossy(from, to) ? ', events were lost' : '');
	}
	const svg = el('svg', { viewBox: `0 0 ${w} ${h}`, height: h,
	    preserveAspectRatio: 'none', role: 'img', 'aria-label': name,
	    tabindex: 0, focus: () => tell(Math.max(0, on)),
	    blur: () => tell(-1), pointerleave: () => tell(-1),
	    pointermove: e => tell(Math.floor(e.offsetX / svg.clientWidth * w)),
	    keydown: e => {
		const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		if (d === undefined)
			return;
		e.preventDefault();
		tell(Math.max(0, Math.min(w - 1, on + d)));
	    } }, el('path', { d: 'M0,' + h + 'L' + pts.join('L') + 'V' + h +
	    'Z', fill: 'var(--c0)' }), ...lossMarks(w, h, w * slot), cursor);
	tell(-1);
	return el('div', { class: 'steps' }, svg, axis(w * slot, ticks), said);
}

/* So many slots of the grid are in use. */
const used = () => Math.min(SLOTS, Math.floor(D.length / D.slot) + 1);

/* Sums of neighbours, so that there are at most so many. */
function coarse(slots, most) {
	const n = used(), k = Math.ceil(n / most);
	const sums = new Array(Math.ceil(n / k)).fill(0);
	slots.forEach((v, i) => {
		sums[Math.min(sums.length - 1, Math.floor(i / k))] += v;
	});
	return { sums: sums, slot: k * D.slot };
}

/*
 * The data, made ready: bars by thread, and in rows that do not overlap.
 */

function unpack(list, size) {
	let begin = 0;
	return [...groups(list || [], size)].map(v => {
		begin += v[0];
		return { b: begin, e: begin + v[1], track: v[2], row: v[3],
		    what: v[4], by: v[5] ? v[5] - 1 : undefined };
	});
}

/* The first row that is free, from that one on. */
function place(rows, bar, from) {
	let i = from;
	while (rows[i] && rows[i].length > 0 &&
	    rows[i][rows[i].length - 1].e > bar.b)
		i++;
	(rows[i] = rows[i] || []).push(bar);
	bar.at = i;
}

function layout(spans, locks) {
	const tracks = D.tracks.map((t, i) => ({ i: i, rows: [], deep: 0,
	    cells: t.cells, name: who(i), events: t.events }));
	for (const b of spans.filter(v => v.row !== KEYED && v.row < DEEP)) {
		const t = tracks[b.track];
		(t.rows[b.row] = t.rows[b.row] || []).push(b);
		t.deep = t.rows.length;
	}
	for (const b of spans.filter(v => v.row === KEYED))
		place(tracks[b.track].rows, b, tracks[b.track].deep);
	for (const t of tracks)
		t.deep = t.rows.length;
	for (const b of locks.filter(v => D.tracks[v.track]?.cells.length > 0))
		place(tracks[b.track].rows, b, tracks[b.track].deep);
	for (const t of tracks)
		t.rows = Array.from(t.rows, r => r || []);
	return tracks.filter(t => t.rows.length > 0 || t.cells.length > 0);
}

const spans = unpack(D.bars, 5), locks = unpack(D.lock_bars, 6);
const lockNames = new Map((D.locks || []).map(l => [l.number, l.name]));
const byNumber = new Map(D.by_event.map(e => [e.number, e]));
const kept = new Map();
const instants = unpack(D.instants, 5).map(v => {
	kept.set(v.what, (kept.get(v.what) || 0) + 1);
	return { t: v.b, track: v.track, what: v.what,
	    name: byNumber.get(v.what).name };
}).filter(v => kept.get(v.what) + byNumber.get(v.what).undrawn ===
    byNumber.get(v.what).events);

function barText(b) {
	const lock = lockNames.get(b.what) || 'a lock';
	const took = span(b.e - b.b);
	if (b.row !== WAIT && b.row !== HOLD)
		return `${D.pairs[b.what]?.name} ${took}`;
	return (b.row === WAIT ? 'waits for' : 'holds') + ` ${lock} ${took}` +
	    (b.by === undefined ? '' : `, held by ${who(b.by)}`);
}

/*
 * What the page finds, in words.
 */

function whySlow(s) {
	const end = s.begin + s.took, sums = new Map();
	let worst = { ns: 0 };
	for (const b of locks) {
		const part = Math.min(b.e, end) - Math.max(b.b, s.begin);
		if (b.row !== WAIT || b.track !== s.track || part <= 0)
			continue;
		const key = `${b.what} ${b.by}`, known = sums.get(key)?.ns || 0;
		sums.set(key, { bar: b, ns: known + part });
		if (known + part > worst.ns)
			worst = sums.get(key);
	}
	if (worst.ns > s.took / 4)
		return 'of which it waited ' + (locks.length < D.nlock_bars ?
		    'at least ' : '') + `${span(worst.ns)} for ` +
		    (lockNames.get(worst.bar.what) || 'a lock') +
		    (worst.bar.by === undefined ? '' :
		    `, held by ${who(worst.bar.by)}`);
	return (s.self < s.took / 2 ? `of which ${span(s.took - s.self)} in ` +
	    'pairs within it' : 'mostly not in pairs within it') +
	    (D.locks ? '' : '; locks are not recorded');
}

/* Were events lost then? */
const lossy = (from, to) => D.losses.some(l => l[0] <= to && l[1] >= from);

/*
 * Changes of a series of slots, the greatest first: when, and from what to
 * what.  A change beside a loss may be none.
 */
function changes(v, w, slot, score) {
	const all = [], best = [];
	for (let k = w; k + w <= v.length; k++) {
		const c = score(v.slice(k - w, k), v.slice(k, k + w));
		if (c && !lossy((k - w) * slot, (k + w) * slot))
			all.push({ ...c, k: k, at: k * slot,
			    early: k * slot < D.length / 10 });
	}
	for (const c of all.sort((a, b) => b.z - a.z))
		if (best.every(x => Math.abs(x.k - c.k) >= w))
			best.push(c);
	return best;
}

/* So many of the greatest, but the start of the run comes last. */
const greatest = (list, n) => list.sort((a, b) => a.early - b.early ||
    b.z - a.z).slice(0, n);

const sum = v => v.reduce((a, b) => a + b, 0);

/*
 * Events that change together are one.  Samples of allocations are no calls,
 * and modules are the tracer's.
 */
function rateChanges(n) {
	const all = [], best = [];
	for (const e of D.by_event.filter(x => x.slots && x.events > 50 &&
	    !/^ut:|^libc:.*_sample$/.test(x.name))) {
		const s = coarse(e.slots, 64), per = 4 * s.slot / 1e9;
		all.push(...changes(s.sums.slice(0, -1), 4, s.slot, (l, r) => {
			const a = sum(l), b = sum(r);
			const z = Math.abs(a - b) / Math.sqrt(a + b + 1);
			return z > 8 && Math.max(a, b) >= 2 * Math.min(a, b) ?
			    { z, a: a / per, b: b / per, name: e.name } : null;
		}));
	}
	for (const c of greatest(all, Infinity)) {
		const same = best.find(x => Math.abs(x.k - c.k) < 4);
		if (same === undefined)
			best.push({ ...c, more: new Set() });
		else if (same.name !== c.name)
			same.more.add(c.name);
	}
	return best.slice(0, n).map(c => ({ at: c.at, text: `at ` +
	    `${at(c.at, D.length / 64)} ${c.name} went from ` +
	    `${digits(c.a)} to ${digits(c.b)} a second` + (c.more.size === 0 ?
	    '' : ', and with it ' + [...c.more].slice(0, 2).join(', ') +
	    (c.more.size > 2 ? ', ...' : '')) }));
}

function timeChanges(n) {
	const all = [];
	for (const p of D.pairs.filter(x => x.heat && x.calls > 50)) {
		const n = new Array(HEAT).fill(0), rows = [...n];
		for (const [t, row, k] of groups(p.heat, 3)) {
			n[t] += k;
			rows[t] += k * row;
		}
		all.push(...changes([...n.keys()], 8, 4 * D.slot, (l, r) => {
			const nl = sum(l.map(i => n[i]));
			const nr = sum(r.map(i => n[i]));
			const d = sum(r.map(i => rows[i])) / nr -
			    sum(l.map(i => rows[i])) / nl;
			return nl > 15 && nr > 15 && Math.abs(d) >= 2 ? { d,
			    z: Math.abs(d) * Math.sqrt(Math.min(nl, nr)),
			    name: p.name } : null;
		}));
	}
	return greatest(all, n).map(c => ({ at: c.at, text: 'at ' +
	    `${at(c.at, D.length / 64)} ${c.name} began to take ` +
	    `${digits(edge(Math.abs(c.d)))} times as ` +
	    (c.d > 0 ? 'long' : 'little') }));
}

/*
 * The heap that grew most, from the last time that it was as small as ever.
 * That a process begins is no change: it has to be small for as long as it
 * grows, or to grow for a quarter of the run.
 */
function growth() {
	let best = null;
	for (const h of D.heap || []) {
		const v = levels(h), k = v.indexOf(Math.max(...v));
		const first = h.slots[0];
		const least = Math.min(...v.slice(first, k + 1));
		const up = v[k] - least;
		const i = v.slice(0, k).findLastIndex(x => x <= least +
		    up / 20);
		if (k >= v.length / 10 && i >= first && v[k] >= 2 * v[i] &&
		    (i - first >= k - i || k - i >= v.length / 4) &&
		    up > (best?.up || 0))
			best = { h, up, from: v[i], to: v[k],
			    begin: (k - i > 1 ? i + 1 : i) * D.slot };
	}
	const took = best && best.h.peak_at - best.begin;
	return best === null ? [] : [{ at: best.begin, text: 'from ' +
	    `${at(best.begin, took / 10)} to ` +
	    `${at(best.begin + took, took / 10)} the heap of ` +
	    `${process(best.h, best.h.name)} grew from ` +
	    `${about(best.h)}${bytes(best.from)} to ` +
	    `${about(best.h)}${bytes(best.to)}, by ${bytes((best.to -
	    best.from) / took * 1e9)} a second` + (lossy(best.begin,
	    best.begin + took) ? ' (events were lost then)' : '') }];
}

function whatChanged() {
	const slow = timeChanges(2), heap = growth();
	const list = [...slow, ...rateChanges(4 - slow.length), ...heap];
	const all = list.sort((a, b) => a.at - b.at).map(c => c.text);
	if (D.losses.length > 0)
		all.push('not known for times near those of which events ' +
		    'were lost');
	return all.join('; ');
}

/* Pairs and locks that were left out, as events were lost. */
const leftOut = (n, what) => 'events were lost' + (n > 0 ? `, and ${what} ` +
    `left out: ${count(n)}` : '');

function heldMost() {
	const l = [...D.locks].sort((a, b) => b.contended_ns -
	    a.contended_ns)[0];
	const w = D.waits.find(x => x.by !== undefined);
	const left = leftOut(D.locks_left_out, 'waits and holds');
	if (D.locks_known && !D.locks_nobody && !l)
		return null;
	if (D.locks_nobody && (!l || l.contended === 0))
		return 'not known: the trace does not say which threads ' +
		    'events are of';
	if (!D.locks_known && (!l || l.contended === 0))
		return (l?.acquired > 0 ? 'no thread had to wait, as far as ' +
		    'is known: ' : 'not known whether a thread had to wait: ') +
		    left;
	if (!l || l.contended === 0)
		return 'no thread had to wait for a mutex or a read-write ' +
		    'lock' + (D.selected ? ', in what is selected' : '');
	return `threads waited ${D.locks_known ? '' : 'at least '}` +
	    `${span(l.contended_ns)} in all for ${l.name}, which others had, ` +
	    many(l.contended, 'time') + (w ? '; the longest wait, ' +
	    `${span(w.took)} of ${who(w.track)}, was while ${who(w.by)} had ` +
	    `${lockNames.get(w.lock) || 'a lock'}, from ${w.by_caller}` : '') +
	    (D.locks_known ? '' : `; ${left}`);
}

/* Figures that are not exact. */
const about = h => h.every || h.lossy ? '~' : '';
const margin = (h, n) => h.every && n ? ` (± ${bytes(n)})` : '';

function keepsMost() {
	const h = D.heap[0], top = h?.callers[0];
	if (!top)
		return D.losses.length > 0 && 'not known: events were lost';
	const a = about(h);
	return `${process(h, h.name)} had at most ${a}${bytes(h.peak)}` +
	    `${margin(h, h.peak_margin)}, at ` +
	    `${at(h.peak_at, D.length / 1e3)}, of which ${a}` +
	    `${bytes(top.peak)} by ${top.caller}; at the end ` +
	    (h.bytes === h.peak ? 'as much' : a + bytes(h.bytes) +
	    margin(h, h.margin) + (h.keeps > 0 ?
	    `, ${a}${bytes(h.keeps)} by ${h.keeper}` : '')) +
	    (h.lossy ? `; not certain: events were lost` : '') +
	    (h.every ? '; estimated from samples' : '');
}

/* Samples may be fewer than what ran. */
function cpu() {
	const most = D.cpu.map(f => `${digits(100 * f.ns / D.cpu_ns)} % in ` +
	    f.name).join(', '), share = D.cpu_ns / (D.length || 1);
	const some = D.by_event.some(e => e.name === 'cpu:unsampled') ?
	    '; some threads could not be sampled' : '';
	if (D.cpu_ns === 0)
		return 'not known: there is no sample' + some;
	return 'samples tell of ' + (D.losses.length > 0 ? 'at least ' : '') +
	    `${span(D.cpu_ns)} in ${span(D.length)} (` + (share > 1 ?
	    `${digits(share)} CPUs` : `${digits(100 * share)} % of a CPU`) +
	    `): ${most}${some}`;
}

function slow() {
	const s = oddest(), left = D.left_out > 0 ? leftOut(D.left_out,
	    (s ? '' : 'all ') + 'pairs') : '';
	return s ? `${D.pairs[s.pair].name} took ${span(s.took)} at ` +
	    `${at(s.begin)} in ${who(s.track)}, ${whySlow(s)}` + (left &&
	    `; others may be slower: ${left}`) : left && `not known: ${left}`;
}

/* Who lost most, as far as is known. */
function losers() {
	const all = [...D.tracks.keys()].filter(i => D.tracks[i].lost > 0).sort(
	    (a, b) => D.tracks[b].lost - D.tracks[a].lost);
	return all.length === 0 ? '' : '. As far as is known whose they ' +
	    'were, these lost most: ' + all.slice(0, 3).map(i =>
	    `${who(i)} (${count(D.tracks[i].lost)})`).join(', ') +
	    (all.length > 3 ? `, of ${many(all.length, 'thread')} that lost ` +
	    'some' : '');
}

/* The greatest losses, and which part of the events was lost. */
function lost() {
	const all = D.events + D.discarded;
	const most = [...D.losses].sort((a, b) => b[2] - a[2]).slice(0, 3);
	const n = sum(D.losses.map(l => l[4]));
	if (n === 0)
		return 'none';
	return (D.discarded > 0 && !D.selected ? `${count(D.discarded)} of ` +
	    `${many(all, 'event')} (${digits(100 * D.discarded / all)} %); ` :
	    '') + (n > 3 ? `${many(n, 'time')}; the greatest: ` : '') +
	    most.map(lossText).join('; ') + losers() + (D.discarded > 0 ?
	    '. To lose none: record with larger buffers or more of them ' +
	    '(-b, -n of record), with -m block, or fewer events' : '');
}

/* The slowest of what is mostly faster, if there is one: not all of main(). */
function oddest() {
	const odd = s => D.pairs[s.pair].calls >= 10 &&
	    s.took > 2 * D.pairs[s.pair].p50;
	return D.slowest.find(odd) || D.slowest[0];
}

function findings() {
	const all = [['Losses', lost(), D.losses.length > 0 ?
	    { class: 'lost' } : {}], ['CPU', D.cpu && cpu()],
	    ['Slowest', slow()], ['Locks', D.locks && heldMost()],
	    ['Memory', D.heap && keepsMost()], ['Changes', whatChanged()]];
	return el('ul', {}, ...all.filter(v => v[1]).map(v => el('li', v[2],
	    el('b', {}, v[0] + ': '), ...whole(v[1]))));
}

/*
 * The sections.
 */

const lostToo = D.losses.length > 0 ? ' Or they were among the events that ' +
    'were lost.' : '';

function recorded() {
	const names = new Map(), clocks = new Map();
	for (const t of D.tracks.filter(x => x.events > 0)) {
		const p = names.get(t.name) || { name: t.name || '-', events: 0,
		    threads: 0, pids: new Set() };
		p.events += t.events;
		p.threads++;
		p.pids.add(`${t.host} ${t.pid}`);
		names.set(t.name, p);
	}
	const nlost = D.discarded > 0 ? `${count(D.discarded)} lost` :
	    D.lost_packets > 0 ? `${many(D.lost_packets, 'packet')} lost` :
	    D.losses.length > 0 ? 'not from the start' : 'none lost';
	const runs = [...new Set(D.traces.map(t => t.path.replace(
	    /(\/ust\/.*)?\/metadata$/, '').replace(/.*\//, '')))];
	const h1 = el('h1', {}, runs.slice(0, 3).join(', ') + (runs.length > 3 ?
	    ', ...' : '') + ': ' + (D.events === 0 ? 'no events' +
	    (D.selected ? ' are selected' : '') + ', ' : `${span(D.length)}, ` +
	    `${many(names.size, 'program')}, ${many(D.events, 'event')}, `),
	    el('span', D.losses.length > 0 ? { class: 'lost' } : {}, nlost));
	document.title = h1.textContent;
	for (const c of D.traces.flatMap(t => t.clocks))
		clocks.set(c.name, Math.max(c.error, clocks.get(c.name) || 0));
	document.querySelector('header').append(h1, say(D.from ?
	    `${D.from} to ${D.to}` : 'Nothing was recorded' + (D.selected ?
	    ' of what is selected.' : D.losses.length > 0 ? ' but losses.' :
	    ': was there an event that a program reached?')),
	    D.events > 0 || D.losses.length > 0 ? findings() : '', nav);
	section('recorded', 'What was recorded',
	    say('Hosts: ' + [...new Set(D.traces.map(t => t.host ||
	    'not known'))].join(', ') + '. Clocks: ' + [...clocks].map(c =>
	    c[0] + (c[1] ? ` (dates to ${span(c[1])})` : '')).join(', ') + '.'),
	    dim(D.traces.map(t => t.path.replace(/\/metadata$/, '') +
	    (t.moved ? ` (dates moved by ${t.moved})` : '')).join(', ')),
	    D.ntracks > D.tracks.length ? say(count(D.ntracks -
	    D.tracks.length) + ' threads are not listed: select some with ' +
	    '-p or -t.', 'lost') : null,
	    table('Programs', [num('events', r => r.events),
	    num('processes', r => r.pids.size), num('threads', r => r.threads),
	    txt('program', r => r.name)], [...names.values()].sort((a, b) =>
	    b.events - a.events)),
	    D.short ? say('There were many long names: some are cut.', 'lost') :
	    null,
	    D.losses.length > 3 ? table('Losses', [num('from', l => l[0],
	    v => at(v)), num('to', l => l[1], v => at(v)),
	    num('how many', l => l[2]), num('times', l => l[4]),
	    txt('thread', l => l[5] < 0 ? 'not known' : who(l[5])),
	    txt('what', l => ['events', 'packets', 'older events: removed or ' +
	    'overwritten'][l[3]])], [...D.losses].sort((a, b) => b[2] -
	    a[2])) : null);
}

function rates() {
	const list = D.by_event.filter(e => e.slots).slice(0, 12);
	if (list.length === 0)
		return;
	section('rates', 'Rates over time', dim('Events per second; ' +
	    'point at a chart, or go to it and use the arrows, to see more.' +
	    (D.losses.length ? ' Hatched: events were lost.' : '') +
	    (D.by_event.length > list.length ? ` The ${list.length} most ` +
	    `frequent of ${count(D.by_event.length)} events.` : '')),
	    el('div', { class: 'many' }, ...list.map(e => {
		const s = coarse(e.slots, 128);
		const top = `at most ${digits(Math.max(...s.sums) / s.slot *
		    1e9)}/s`;
		return el('figure', {}, el('figcaption', {}, el('b', {},
		    e.name), el('br'), `${count(e.events)}, ${top}`),
		    steps(s.sums, s.slot, 40, `${e.name}, ${top}`, 3, v =>
		    `${many(v, 'event')}, ${digits(v / s.slot * 1e9)}/s`));
	    })));
}

function events() {
	section('events', 'Events', table('By event; first and last are ' +
	    'seconds after the beginning', [
	    num('events', r => r.events),
	    num('per second', r => D.length ? r.events / D.length * 1e9 : 0,
	    digits), num('bytes', r => r.bytes),
	    num('first', r => r.first, v => at(v, 1e3)),
	    num('last', r => r.last, v => at(v, 1e3)),
	    txt('event', r => r.name)], D.by_event));
}

/* So many took as long as that half octave is. */
const took = (row, n) => `${count(n)} took ${span(edge(row))} ` +
    (row === ROWS - 1 ? 'or longer' : `to ${span(edge(row + 1))}`);

/* Bars of a histogram, on the same scale for all. */
function bars(p, lo, hi) {
	const list = [...groups(p.hist, 2)];
	const top = Math.max(...list.map(v => v[1]));
	return el('svg', { viewBox: `0 0 ${hi - lo + 1} 16`, height: 16,
	    preserveAspectRatio: 'none', role: 'img', 'aria-label': 'from ' +
	    `${span(p.min)} to ${span(p.max)}, half up to ${span(p.p50)}` },
	    ...list.map(([row, n]) => {
		const h = Math.max(1, n / top * 16);
		return el('rect', { x: row - lo, y: 16 - h, width: 0.9,
		    height: h, fill: 'var(--c0)' }, el('title', {}, took(row,
		    n)));
	    }));
}

function pairs() {
	const list = D.pairs.filter(p => p.calls > 0).sort((a, b) =>
	    b.total - a.total);
	const rows = list.flatMap(p => p.hist.filter((v, i) => i % 2 === 0));
	const lo = Math.min(...rows), hi = Math.max(...rows);
	const open = D.pairs.filter(p => p.unended > 0);
	if (D.pairs.length === 0)
		return section('pairs', 'Pairs', dim('No pairs of events: ' +
		    'put spans into the program (UT_SPAN), record functions ' +
		    '(record -w func), or name the pairs with -D begin,end.' +
		    lostToo));
	section('pairs', 'How long pairs took',
	    D.unended + D.unbegun + D.left_out > 0 ? dim(count(D.unended) +
	    ` begun and not ended, ${count(D.unbegun)} ended and not begun, ` +
	    `${count(D.left_out)} left out: events were lost.`) : null,
	    list.length === 0 ? dim('No pair has both its events.') :
	    table('By pair; total counts nested calls of the same once; ' +
	    'histograms from ' + span(edge(lo)) + ' to ' + span(edge(hi + 1)), [
	    num('calls', r => r.calls), num('total', r => r.total, span),
	    num('self', r => r.self, span), num('p50', r => r.p50, span),
	    num('p99', r => r.p99, span), num('max', r => r.max, span),
	    { name: 'histogram', text: r => bars(r, lo, hi), n: 'h' },
	    txt('pair', r => r.name)], list),
	    open.length === 0 ? null : table('Begun, and not ended', [
	    num('not ended', r => r.unended), num('open', r => r.open),
	    txt('pair', r => r.name)], open));
	if (list.some(p => p.heat))
		heat(list.filter(p => p.heat));
}

/* One hue, by lightness: the darker the more, and in the dark the lighter. */
function shade(v) {
	const dark = matchMedia('(prefers-color-scheme: dark)').matches;
	return 'hsl(205 75% ' + (dark ? 22 + 66 * v : 88 - 66 * v) + '%)';
}

function heat(list) {
	const pick = el('select', { 'aria-label': 'pair', change: draw });
	const box = el('div', { class: 'heat' }), said = el('output', {},
	    'The stronger the colour, the more pairs.');
	list.forEach((p, i) => pick.append(el('option', { value: i }, p.name)));
	function draw() {
		const p = list[pick.value], cells = [...groups(p.heat, 3)];
		const lo = Math.min(...cells.map(c => c[1])) - 1;
		const hi = Math.max(...cells.map(c => c[1])) + 1;
		const top = Math.log(1 + Math.max(...cells.map(c => c[2])));
		const w = Math.ceil(used() / 4), h = hi - lo + 1, high = 11;
		const svg = el('svg', { viewBox: '0 0 ' + w + ' ' + h,
		    height: h * high, preserveAspectRatio: 'none', role: 'img',
		    'aria-label': `${p.name}: time to the right, duration ` +
		    `upwards, ${span(edge(lo))} to ${span(edge(hi))}` },
		    ...lossMarks(w, h, w * 4 * D.slot));
		for (const [t, r, n] of cells)
			svg.append(el('rect', { x: t, y: hi - r, width: 1,
			    height: 1, fill: shade(Math.log(1 + n) / top),
			    pointerenter: () => {
				said.textContent = took(r, n) + ' at ' +
				    at(t * 4 * D.slot, D.slot);
			    } }));
		box.replaceChildren(el('div', { class: 'y' }, ...[hi + 1, (hi +
		    lo + 1) / 2, lo].map(r => el('span', {}, span(edge(r))))),
		    svg, el('span'), axis(w * 4 * D.slot, innerWidth <=
		    600 ? 3 : 5));
	}
	pick.value = Math.max(0, list.indexOf(D.pairs[oddest()?.pair]));
	draw();
	section('heat', 'Durations over time', pick, box, said);
}

/* The number of a stack says nothing, nor does a function's name again. */
const fieldText = r => r.fields.replace(/^\{ stack = [^}]* \}(, )?/, '')
    .replace(/^\{ addr = .*, call_site = (.*) \}$/, 'called at $1')
    .replace(/^\{ addr = .*/, '');

function slowest() {
	if (D.slowest.length > 0)
		section('slowest', 'The slowest', table('Choose one to see ' +
		    'it in the timeline', [
		    num('took', r => r.took, span),
		    num('self', r => r.self, span),
		    num('began', r => r.begin, v => at(v)),
		    txt('pair', r => D.pairs[r.pair].name),
		    txt('fields of the beginning', fieldText),
		    txt('thread', r => who(r.track)),
		    txt('because', whySlow)],
		    D.slowest, r => show(r.begin, r.begin + r.took, r.track)));
}

/*
 * The timeline: rows of all threads below one another, from t0 to t1.
 */

const HEAD = 26, ROW = 15, AXIS = 18;
const RUN = Math.max(1, D.length);
const T = { t0: 0, t1: RUN, x: 0.5, y: 0, top: 1,
    on: false };	/* has a place been chosen, by whatever? */

/* The shortest time that is shown: numbers of ns are exact to so much. */
const LEAST = Math.max(20, D.length * Math.pow(2, -44));

function zoom(factor, x) {
	const c = T.t0 + (T.t1 - T.t0) * x, len = Math.min(RUN * 1.02,
	    Math.max(LEAST, (T.t1 - T.t0) * factor));
	move(c - len * x, len);
}

function move(t0, len) {
	const edge = len / 102;
	T.t0 = Math.max(-edge, Math.min(RUN + edge - len, t0));
	T.t1 = T.t0 + len;
	draw();
}

/* Show all, and point at nothing. */
function all() {
	T.mark = undefined;
	clear();
	move(-RUN * 0.01, RUN * 1.02);
}

function clear() {
	T.on = false;
	T.hover = undefined;
	T.said.textContent = 'Point at the chart, or go to it and use the ' +
	    'arrows: here is what is there.';
	draw();
}

/* Show that time, of that thread, and a little around it. */
function show(b, e, track) {
	const t = T.tracks.find(v => v.i === track);
	const len = Math.max(LEAST, (e - b) * 1.4);
	T.x = 0.5;
	T.y = t ? t.y + HEAD + ROW / 2 + ROW * Math.max(0,
	    t.rows.findIndex(r => r.some(v => v.b === b && v.e === e))) : 0;
	T.on = true;
	T.mark = { b: b, e: e, track: track };
	move((b + e - len) / 2, len);
	document.getElementById('timeline').scrollIntoView();
	T.box.scrollTop = T.y - 80;
	T.canvas.focus({ preventScroll: true });
	tell();
}

/* The first bar of a row, whose bars do not overlap, that ends after then. */
function firstAfter(row, t) {
	let lo = 0, hi = row.length;
	while (lo < hi) {
		const mid = (lo + hi) >> 1;
		if (row[mid].e < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* A round number of ns between marks, some 100 pixels apart. */
function tick(len, width) {
	const least = len / Math.max(2, width / 110);
	const p = Math.pow(10, Math.floor(Math.log10(least)));
	return [1, 2, 5, 10].map(v => v * p).find(v => v >= least);
}

/* The part of a bar that is seen, which may be far longer: x, and width. */
function seen(x, w) {
	const from = Math.max(x, -6);
	return [from, Math.min(x + w, T.canvas.clientWidth + 6) - from];
}

function hatch(c, left, y, length, h, style) {
	const [x, w] = seen(left, length);
	if (w <= 0)
		return;
	c.save();
	c.beginPath();
	c.rect(x, y, w, h);
	c.clip();
	c.strokeStyle = style;
	c.beginPath();
	for (let i = Math.floor((x - h) / 6) * 6; i < x + w; i += 6) {
		c.moveTo(i, y + h);
		c.lineTo(i + h, y);
	}
	c.stroke();
	c.restore();
}

/* A wait is drawn with horizontal lines, unlike the hatch of a loss. */
function lines(c, left, y, length, h) {
	const [x, w] = seen(left, length);
	c.fillStyle = colour('wait');
	for (let i = 0; i < h; i += 3)
		c.fillRect(x, y + i, w, 1);
}

function drawBar(c, b, left, y, length) {
	const [x, w] = seen(left, length);
	const fill = colour(['c4', 'c1', 'c2', 'c3', 'c6'][b.what % 5]);
	const h = ROW - 2;
	if (b.row === WAIT) {
		lines(c, x, y, w, h);
	} else if (b.row === HOLD) {
		c.strokeStyle = colour('hold');
		c.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, w - 1), h - 1);
	} else {
		c.fillStyle = fill;
		c.fillRect(x, y, w > 3 ? w - 1 : w, h);
	}
	if (w < 30)
		return;
	const from = Math.max(x, 0);
	c.save();
	c.beginPath();
	c.rect(from, y, x + w - from - 2, h);
	c.clip();
	if (b.row === WAIT) {
		c.fillStyle = colour('bg');
		c.fillRect(from + 2, y + 1, c.measureText(barText(b)).width + 4,
		    h - 2);
	}
	c.fillStyle = b.row === WAIT || b.row === HOLD ? colour('fg') : '#000';
	c.fillText(barText(b), from + 4, y + h - 3);
	c.restore();
}

/* From the hold that ended to the wait that it ended. */
function drawArrow(c, b, px, y) {
	const t = T.at[b.by], x = px(b.e);
	let from;
	if (t === undefined)
		return;
	for (const row of t.rows.slice(t.deep))
		for (let i = firstAfter(row, b.b); i < row.length &&
		    row[i].b < b.e; i++)
			if (row[i].row === HOLD && row[i].what === b.what)
				from = row[i];
	const y0 = t.y + HEAD + (from ? from.at : t.deep) * ROW + ROW / 2;
	const y1 = y + (y0 < y ? 0 : ROW - 2), d = y0 < y ? -5 : 5;
	c.strokeStyle = c.fillStyle = colour('wait');
	c.beginPath();
	c.moveTo(from ? px(Math.min(from.e, b.e)) : x, y0);
	c.lineTo(x, y1);
	c.stroke();
	c.beginPath();
	c.moveTo(x, y1);
	c.lineTo(x - 3, y1 + d);
	c.lineTo(x + 3, y1 + d);
	c.fill();
}

/* A loss of a thread is on its rows alone, if the thread has some. */
function drawLosses(c, px, top) {
	const rows = new Map(T.tracks.map(t => [t.i, t]));
	for (const l of D.losses) {
		const t = rows.get(l[5]), x = px(l[0]);
		if (l[5] < 0)
			hatch(c, x, 0, Math.max(2, px(l[1]) - x), T.view,
			    colour('loss'));
		else if (t && t.y < top + T.view && t.end > top)
			hatch(c, x, t.y - top, Math.max(2, px(l[1]) - x),
			    t.end - t.y, colour('loss'));
	}
}

function drawTrack(c, t, px, width) {
	const arrows = [];
	c.fillStyle = colour('bg');
	c.fillRect(0, t.y + 1, c.measureText(t.name).width + 5, 13);
	c.fillStyle = colour('fg');
	c.fillText(t.name, 2, t.y + 11);
	c.fillStyle = colour('c0');
	for (const [i, n] of groups(t.cells, 2)) {
		const x = px(i * D.slot), w = Math.max(1, px((i + 1) * D.slot) -
		    x);
		const h = 1 + 8 * Math.log(1 + n) / Math.log(1 + T.top);
		if (x + w > 0 && x < width)
			c.fillRect(x, t.y + HEAD - 3 - h, w, h);
	}
	t.rows.forEach((row, k) => {
		const y = t.y + HEAD + k * ROW;
		let last = -1;
		for (let i = firstAfter(row, T.t0); i < row.length &&
		    row[i].b <= T.t1; i++) {
			const x = px(row[i].b), w = Math.max(1, px(row[i].e) -
			    x);
			if (x + w < last + 1)
				continue;
			drawBar(c, row[i], x, y, w);
			last = x + w;
			if (row[i].by !== undefined && w > 24)
				arrows.push([row[i], y]);
		}
	});
	return arrows;
}

function drawInstants(c, px) {
	c.fillStyle = colour('fg');
	for (const v of instants) {
		const t = T.at[v.track], x = px(v.t);
		if (t && v.t >= T.t0 && v.t <= T.t1)
			c.fillRect(x - 0.75, t.y + HEAD - 12, 1.5, 10);
	}
}

/* Lines of the grid, which is drawn first; or the times at them, last. */
function drawAxis(c, px, width, text) {
	const step = tick(T.t1 - T.t0, width);
	let end = 0;
	if (text)
		c.clearRect(0, 0, width, AXIS);
	c.fillStyle = colour(text ? 'dim' : 'line');
	const first = Math.ceil(T.t0 / step) * step;
	for (let i = 0; i <= (T.t1 - first) / step; i++) {
		const t = first + i * step, name = at(t, step);
		const w = c.measureText(name).width;
		const x = px(t) + (px(t) + w + 4 < width ? 3 : -w - 3);
		if (!text) {
			c.fillRect(px(t), AXIS, 1, T.view);
		} else if (x >= end) {
			c.fillRect(px(t), 0, 1, AXIS);
			c.fillText(name, x, 11);
			end = x + w + 6;
		}
	}
}

function draw() {
	const width = T.canvas.clientWidth, r = window.devicePixelRatio || 1;
	const c = T.canvas.getContext('2d'), top = T.box.scrollTop;
	const px = t => (t - T.t0) / (T.t1 - T.t0) * width;
	palette.clear();
	T.canvas.width = width * r;
	T.canvas.height = T.view * r;
	c.scale(r, r);
	c.font = '11px system-ui, sans-serif';
	if (T.mark) {
		c.fillStyle = colour('soft');
		c.fillRect(px(T.mark.b), 0, Math.max(1, px(T.mark.e) -
		    px(T.mark.b)), T.view);
	}
	drawLosses(c, px, top);
	drawAxis(c, px, width, false);
	c.translate(0, -top);
	for (const [b, y] of T.tracks.filter(t => t.y < top + T.view &&
	    t.end > top).flatMap(t => drawTrack(c, t, px, width)))
		drawArrow(c, b, px, y);
	drawInstants(c, px);
	if (T.on) {
		c.fillStyle = colour('fg');
		c.globalAlpha = 0.1;
		c.fillRect(0, T.y - ROW / 2, width, ROW);
		c.globalAlpha = 1;
	}
	c.translate(0, top);
	drawAxis(c, px, width, true);
	c.fillStyle = colour('fg');
	if (T.on)
		c.fillRect(T.x * width, 0, 1, T.view);
}

/*
 * Say in words what is under the crosshair, which is in the run and on the
 * nearest strip or row.
 */
function tell() {
	const len = T.t1 - T.t0, width = Math.max(100, T.canvas.clientWidth);
	const t = Math.max(0, Math.min(D.length, T.t0 + len * T.x));
	const near = len / width * 3, found = [];
	T.on = true;
	T.x = (t - T.t0) / len;
	const stop = T.stops.reduce((a, s) => Math.abs(s.y - T.y) <
	    Math.abs(a.y - T.y) ? s : a, T.stops[0]);
	const track = stop?.track, row = stop?.row;
	T.y = stop ? stop.y : 0;
	let b;
	for (const v of track ? instants : [])
		if (v.track === track.i && Math.abs(v.t - t) <= near &&
		    found.length < 3)
			found.push(v.name);
	if (row) {
		const m = T.mark, i = firstAfter(row, t - near);
		b = row.slice(i, i + 9).find(v => v.b <= t && v.e >= t) ||
		    row[i];
		b = row.find(v => v.b === m?.b && v.e === m.e && m.b <= t &&
		    m.e >= t) || b;
		if (b && b.b <= t + near)
			found.unshift(`${barText(b)}, from ${at(b.b, 1)} to ` +
			    at(b.e, 1));
	}
	if (track && !b) {
		const i = Math.floor(t / D.slot);
		const cell = [...groups(track.cells, 2)].find(v => v[0] === i);
		if (cell)
			found.push(many(cell[1], 'event') + ' in these ' +
			    span(D.slot));
	}
	const gone = D.losses.filter(l => l[0] <= t + near / 3 && l[1] >= t -
	    near / 3 && (l[5] < 0 || l[5] === track?.i));
	T.said.textContent = at(t, near / 3) + (track ? ', ' + track.name :
	    '') + ': ' + (found.join('; ') || 'nothing') + (gone.length === 0 ?
	    '' : '. ' + gone.slice(0, 2).map(lossText).join('; ') +
	    (gone.length > 2 ? `; and ${count(gone.length - 2)} more` : ''));
	draw();
}

/* The crosshair moves to another time, which is then seen. */
function step(part) {
	const len = T.t1 - T.t0;
	if (T.on)
		T.x += part;
	if (T.x < 0 || T.x > 1) {
		const t = Math.max(0, Math.min(RUN, T.t0 + len * T.x));
		move(t - len / 2, len);
		T.x = (t - T.t0) / len;
	}
}

function keys(e) {
	const row = d => {
		const i = T.stops.findIndex(s => s.y >= T.y);
		T.y = T.stops[T.on ? i + d : 0]?.y ?? T.y;
	};
	const acts = {
		ArrowLeft: () => step(-1 / 64), ArrowRight: () => step(1 / 64),
		ArrowUp: () => row(-1), ArrowDown: () => row(1),
		'+': () => zoom(0.5, T.x), '=': () => zoom(0.5, T.x),
		'-': () => zoom(2, T.x), Home: all
	};
	if (e.ctrlKey || e.metaKey || e.altKey || !acts[e.key])
		return;
	e.preventDefault();
	T.hover = undefined;
	acts[e.key]();
	if (e.key === 'Home')
		return;
	tell();
	if (T.y < T.box.scrollTop + AXIS || T.y > T.box.scrollTop +
	    T.box.clientHeight - ROW)
		T.box.scrollTop = T.y - T.box.clientHeight / 2;
}

/* One pointer pans, two zoom; a mouse that is not pressed only points. */
function pointers(canvas) {
	const down = new Map();
	function point(e) {
		T.x = Math.max(0, Math.min(1, e.offsetX / canvas.clientWidth));
		T.hover = e.offsetY;
		T.y = e.offsetY + T.box.scrollTop;
	}
	canvas.addEventListener('pointerdown', e => {
		down.set(e.pointerId, e.offsetX);
		canvas.setPointerCapture(e.pointerId);
		point(e);
		tell();
	});
	for (const end of ['pointerup', 'pointercancel'])
		canvas.addEventListener(end, e => down.delete(e.pointerId));
	canvas.addEventListener('pointermove', e => {
		const w = canvas.clientWidth, len = T.t1 - T.t0;
		const before = [...down.values()];
		point(e);
		if (down.has(e.pointerId)) {
			down.set(e.pointerId, e.offsetX);
			const now = [...down.values()];
			if (now.length === 2)
				zoom((Math.abs(before[0] - before[1]) + 1) /
				    (Math.abs(now[0] - now[1]) + 1),
				    (now[0] + now[1]) / 2 / w);
			else
				move(T.t0 - (now[0] - before[0]) / w * len,
				    len);
		}
		tell();
	});
	canvas.addEventListener('pointerleave', e => {
		T.hover = undefined;
		if (e.pointerType === 'mouse' &&
		    document.activeElement !== canvas)
			clear();
	});
	canvas.addEventListener('wheel', e => {
		if (!e.ctrlKey && !e.shiftKey)
			return;
		e.preventDefault();
		zoom(Math.pow(1.002, e.deltaY || e.deltaX), e.offsetX /
		    canvas.clientWidth);
		tell();
	}, { passive: false });
	canvas.addEventListener('dblclick', e => {
		zoom(0.25, e.offsetX / canvas.clientWidth);
		tell();
	});
}

/* A legend names what the timeline has. */
function legend() {
	const waits = locks.filter(b => b.row === WAIT);
	const all = [[true, 'var(--c0)', 'how many events there were in ' +
	    span(D.slot)], [spans.length > 0, 'var(--c4)', 'a pair, of any ' +
	    'colour'], [waits.length > 0, 'url(#lines)', 'a wait for a lock' +
	    (waits.some(b => b.by !== undefined) ? '; an arrow comes from ' +
	    'who held it' : '')], [waits.length < locks.length, 'none',
	    'a lock that is held'], [D.losses.length > 0, 'url(#hatch)',
	    'events were lost: on all rows if nobody knows whose']];
	return el('p', { class: 'dim' }, ...all.filter(v => v[0]).map(v =>
	    el('span', { class: 'key' }, el('svg', { viewBox: '0 0 20 12' },
	    el('rect', { x: 0.5, y: 0.5, width: 19, height: 11, fill: v[1],
	    stroke: v[1] === 'none' ? 'var(--hold)' : 'none' })), v[2])),
	    instants.length > 0 ? 'Ticks: other events.' : null);
}

function timeline() {
	const key = k => el('button', { class: 'b', click: () => keys(
	    { key: k[1], preventDefault: () => 0 }) }, k[0]);
	let y = AXIS;
	T.tracks = layout(spans, locks);
	T.at = [];
	T.stops = [];
	for (const t of T.tracks) {
		t.y = y;
		T.stops.push({ y: y + HEAD - ROW / 2, track: t },
		    ...t.rows.map((row, k) => ({ y: y + HEAD + ROW * (k + 0.5),
		    track: t, row: row })));
		T.top = Math.max(T.top, ...t.cells.filter((v, i) =>
		    i % 2 === 1));
		T.at[t.i] = t;
		t.end = y += HEAD + t.rows.length * ROW + 6;
	}
	T.height = y;
	T.view = Math.min(y, 540);
	T.canvas = el('canvas', { tabindex: 0, role: 'application',
	    'aria-label': 'timeline of threads: arrows move a cursor, plus ' +
	    'and minus zoom, Home shows all', keydown: keys, focus: () =>
	    T.on || T.hover !== undefined || tell() });
	T.canvas.style.height = T.view + 'px';
	T.said = el('output', { 'aria-live': 'polite' });
	T.box = el('div', { class: 'tl', scroll: () => {
		if (T.hover === undefined)
			return draw();
		T.y = T.hover + T.box.scrollTop;
		tell();
	} }, el('div', {}, T.canvas));
	T.box.firstChild.style.height = T.height + 'px';
	pointers(T.canvas);
	const left = D.nkept < D.nbars || locks.length < (D.nlock_bars || 0);
	section('timeline', 'Timeline of threads', legend(),
	    left ? say('The longest are drawn one by one: ' +
	    [D.nbars > 0 && `${count(D.nkept)} of ${many(D.nbars, 'pair')}`,
	    D.nlock_bars > 0 && `${count(locks.length)} of ` +
	    `${count(D.nlock_bars)} waits and holds`].filter(Boolean).join(
	    ', ') + '. The strip counts all. Select a part with -b and -u ' +
	    'of report to see each one there.') : null,
	    D.ntracks > D.shown ? say(`${count(D.ntracks - D.shown)} of ` +
	    `${count(D.ntracks)} threads are left out: ${D.shown} are drawn, ` +
	    (D.ntracks > D.tracks.length ? 'of the first ' +
	    `${count(D.tracks.length)} ` : '') + 'those that were longest in ' +
	    'pairs or in waits for locks, or have most events. Select others ' +
	    'with -p or -t of report.') : null,
	    el('p', {}, ...[['←', 'ArrowLeft'], ['→', 'ArrowRight'],
	    ['+', '+'], ['−', '-'], ['whole run', 'Home']].map(key),
	    el('span', { class: 'dim' }, ' or drag, pinch, Ctrl and wheel; ' +
	    'arrows move a cursor, + and − zoom where it is, Home shows ' +
	    'all')), T.said, T.box);
	new ResizeObserver(draw).observe(T.box);
	all();
}

function lockTables() {
	if (!D.locks || D.locks.length === 0)
		return section('locks', 'Locks', dim(D.locks_left_out > 0 ?
		    'Nothing is known of locks: ' + leftOut(D.locks_left_out,
		    'all waits and holds') + '.' : 'No events of locks: ' +
		    'record them with record -w pthread.' + lostToo));
	const times = [
	    num('waited', r => r.waited, span),
	    num('contended', r => r.contended),
	    num('contended wait', r => r.contended_ns, span),
	    num('acquired', r => r.acquired),
	    num('longest wait', r => r.wait.max, span),
	    num('held', r => r.hold_ns, span),
	    num('p99 held', r => r.hold.p99, span),
	    num('longest hold', r => r.hold.max, span)];
	section('locks', 'Locks', D.locks_known ? null : say('Not all is ' +
	    'known: ' + leftOut(D.locks_left_out, 'waits and holds') + '.',
	    'lost'), table('By lock; contended: when another thread had it', [
	    ...times, num('held at the end', r => r.held),
	    txt('lock', r => r.name + (r.first ? ', first used by ' +
	    r.first : '')),
	    txt('program', r => process(r, r.program))],
	    [...D.locks].sort((a, b) => b.waited - a.waited)),
	    D.nlocks > D.locks.length ? say(`${count(D.nlocks -
	    D.locks.length)} others were waited for less.`) : null,
	    table('By caller, or call stack, that waited for locks and took ' +
	    'them', [...times, txt('caller', r => r.caller),
	    txt('program', r => process(r, r.program))], D.callers),
	    D.ncallers > D.callers.length ? say(`${count(D.ncallers -
	    D.callers.length)} other callers waited for less.`) : null,
	    D.waits.length === 0 ? null : table('The longest waits while ' +
	    'another thread had the lock; choose one to see it', [
	    num('waited', r => r.took, span),
	    num('began', r => r.begin, v => at(v)),
	    txt('lock', r => lockNames.get(r.lock) || ''),
	    txt('thread', r => who(r.track)),
	    txt('waits in', r => r.caller),
	    txt('held by', r => r.by === undefined ? '' :
	    who(r.by)), txt('taken in', r => r.by_caller || '')],
	    D.waits, r => show(r.begin, r.begin + r.took, r.track)));
}

/*
 * Flame graphs.
 */

function grow(f) {
	const top = { name: 'all', self: 0, total: 0, kids: [] };
	const stack = [top];
	const names = [];
	for (const [deep, name, self] of groups(f.nodes, 3)) {
		if (typeof name === 'string')
			names.push(name);
		const n = { name: typeof name === 'string' ? name :
		    names[name], self: self, total: 0, kids: [],
		    up: stack[deep] };
		n.up.kids.push(n);
		stack[deep + 1] = n;
		for (let v = n; v; v = v.up)
			v.total += self;
	}
	const sort = n => {
		n.kids.sort((a, b) => b.total - a.total);
		n.kids.forEach(sort);
	};
	sort(top);
	return top;
}

/* How many parts have that in their names, and their share in all. */
function search(n, text, within) {
	const hit = !n.rest && n.name.includes(text);
	const all = { parts: hit ? 1 : 0, total: hit && !within ? n.total : 0 };
	for (const k of n.kids) {
		const v = search(k, text, within || hit);
		all.parts += v.parts;
		all.total += v.total;
	}
	return all;
}

function flame(f) {
	const top = grow(f), text = f.unit === 'ns' ? span : bytes;
	const box = el('div', { class: 'fl', keydown: walk });
	const said = el('output', { 'aria-live': 'polite' });
	const found = el('span', { 'aria-live': 'polite', class: 'dim' });
	const find = el('input', { type: 'search', placeholder: 'search',
	    'aria-label': 'search in ' + f.title, input: () => fill(focus) });
	/* The narrowest part that is drawn is 2 pixels wide. */
	const least = 2 / Math.max(200, root.clientWidth);
	let focus = top, nodes = new Map();
	const percent = (v, n) => digits(100 * v / (n.total || 1)) + ' %';
	function label(n) {
		return `${n.name}, ${text(n.total)}, ${percent(n.total, top)}` +
		    ' of all' + (n.rest ? '' : `, ${text(n.self)} itself`);
	}
	function put(n, parent, x, w, row) {
		const tell = () => { said.textContent = label(n); };
		const b = el('button', { tabindex: n === focus ? 0 : -1,
		    'aria-label': label(n), click: () => fill(n), focus: tell,
		    pointerenter: tell }, w < least * 5 ? '' : n.name);
		let h = 7;
		for (const c of n.name)
			h = (h * 31 + c.codePointAt(0)) % 997;
		b.style.left = x * 100 + '%';
		b.style.width = w * 100 + '%';
		b.style.top = row * 18 + 'px';
		b.style.setProperty('--hue', 20 + h % 40);
		b.style.setProperty('--light', 62 + h % 22 + '%');
		b.classList.toggle('rest', n.rest === true);
		b.classList.toggle('hit', find.value !== '' && (n.rest ?
		    search(n, find.value).parts > 0 :
		    n.name.includes(find.value)));
		box.append(b);
		nodes.set(b, n);
		Object.assign(n, { button: b, parent: parent, drawn: [] });
		parent?.drawn.push(n);
		return row;
	}
	function below(n, parent, x, w, row) {
		const wide = k => w * k.total / n.total >= least;
		const kids = n.kids.filter(wide);
		const rest = n.kids.slice(kids.length);
		const total = sum(rest.map(k => k.total));
		let most = put(n, parent, x, w, row);
		if (wide({ total }))
			kids.push({ name: many(rest.length, 'narrow part'),
			    self: 0, total: total, kids: rest, up: n,
			    rest: true });
		for (const k of kids) {
			const part = w * k.total / n.total;
			most = Math.max(most, k.rest ? put(k, n, x, part, row +
			    1) : below(k, n, x, part, row + 1));
			x += part;
		}
		return most;
	}
	function fill(n) {
		const up = [], had = box.contains(document.activeElement);
		focus = n;
		nodes = new Map();
		box.replaceChildren();
		for (let v = n.up; v; v = v.up)
			up.unshift(v);
		up.forEach((v, i) => put(v, up[i - 1], 0, 1, i));
		box.style.height = (below(n, up[up.length - 1], 0, 1,
		    up.length) + 1) * 18 + 'px';
		said.textContent = label(n);
		if (had)
			n.button.focus({ preventScroll: true });
		const all = search(top, find.value);
		const here = search(n, find.value);
		found.textContent = !find.value ? '' : all.parts === 0 ?
		    ' none found' : ` ${many(all.parts, 'part')}, ` +
		    `${percent(all.total, top)} of all` + (n === top ? '' :
		    `; here ${count(here.parts)}, ` +
		    `${percent(here.total, n)} of what is shown`);
	}
	function walk(e) {
		const n = nodes.get(e.target), near = n?.parent?.drawn || [];
		const to = { ArrowUp: n?.parent, ArrowDown: n?.drawn[0],
		    ArrowLeft: near[near.indexOf(n) - 1],
		    ArrowRight: near[near.indexOf(n) + 1] }[e.key];
		if (e.key === 'Escape')
			fill(top);
		if (!to)
			return;
		e.preventDefault();
		to.button.focus();
	}
	fill(top);
	return el('figure', {}, el('h3', {}, f.title), f.full ? dim('There ' +
	    'were too many parts: some count for those that they are in.') :
	    null, find, found, said, box);
}

function flames() {
	const list = [...D.flames, ...(D.heap_flames || [])];
	if (list.length === 0)
		return section('flames', 'Flame graphs', dim('No stacks: ' +
		    'record samples (record -w cpu), functions (-w func), ' +
		    'spans, or allocations with all callers (-g -w malloc).'));
	section('flames', 'Flame graphs', dim(
	    'The width is the share; grey: parts that are too narrow to ' +
	    'draw. Choose a part to zoom in, the top one to zoom out; ' +
	    'arrows walk, Escape shows all.'),
	    ...list.map(flame));
}

/*
 * Where there was no call, what was live before is.  A process that has no
 * event any more is taken for one that has ended.
 */
function levels(h) {
	const v = [];
	let last = 0, i = 0;
	for (const [slot, most, left] of groups(h.slots, 3)) {
		while (i < slot)
			v[i++] = last;
		v[i++] = most;
		last = left;
	}
	while (i <= h.until)
		v[i++] = last;
	while (i < used())
		v[i++] = 0;
	return v;
}

function heaps() {
	if (!D.heap || D.heap.length === 0)
		return section('heap', 'Heap', dim(D.heap_nobody ?
		    'Not known: the trace does not say which process an ' +
		    'allocation is of.' : 'No allocations: record them with ' +
		    'record -w malloc, or with all their callers, ' +
		    '-g -w malloc.' + lostToo));
	section('heap', 'Heap over time', D.nheaps > D.heap.length ? say(
	    `The ${D.heap.length} greatest of ${count(D.nheaps)} heaps: a ` +
	    'process that runs another program begins a new one.') :
	    null, ...D.heap.map(h => {
		const v = levels(h), a = about(h);
		const all = `at most ${a}${bytes(h.peak)}` +
		    `${margin(h, h.peak_margin)} at ` +
		    `${at(h.peak_at, D.length / 1e3)}, ${a}${bytes(h.bytes)}` +
		    `${margin(h, h.margin)} in ${a}` +
		    `${many(h.blocks, 'block')} at the end`;
		return el('div', {}, el('h3', {}, process(h, h.name)),
		    say(`${all}; ${a}${many(h.allocations, 'allocation')} of ` +
		    a + bytes(h.allocated) + (h.every ? ', estimated from ' +
		    'samples' : '') + (h.unsure_bytes ? '; ' +
		    `${bytes(h.unsure_bytes)} may ` +
		    'have been freed: events were lost' : '') + (h.twice ?
		    `; ${count(h.twice)} freed twice` : '')),
		    steps(v, D.slot, 70, all, innerWidth > 600 ? 6 : 3,
		    (n, i) => i > h.until ? 'no event of it any more' :
		    a + bytes(n)), table('Who had it at the ' +
		    'peak, and who at the end', [
		    num('at the peak', r => r.peak, bytes),
		    num('at the end', r => r.bytes, bytes),
		    num('blocks', r => r.blocks), num('calls', r => r.calls),
		    num('allocated', r => r.allocated, bytes),
		    txt('caller', r => r.caller)], h.callers),
		    h.ncallers > h.callers.length ? say(`${count(h.ncallers -
		    h.callers.length)} other callers had less.`) : null);
	    }));
}

const nav = el('nav', { 'aria-label': 'sections' });

document.body.append(el('svg', { class: 'defs', 'aria-hidden': 'true' },
    el('pattern', { id: 'hatch', width: 4, height: 4, patternUnits:
    'userSpaceOnUse', patternTransform: 'rotate(45)' }, el('rect',
    { width: 1.6, height: 4, fill: 'var(--loss)' })), el('pattern', { id:
    'lines', width: 20, height: 3, patternUnits: 'userSpaceOnUse' },
    el('rect', { width: 20, height: 1, fill: 'var(--wait)' }))));
root.replaceChildren();
recorded();
rates();
events();
pairs();
slowest();
timeline();
lockTables();
flames();
heaps();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
