// Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
//
// speedscope.js DIR FILE: what speedscope's importer of trace events, from its
// package in DIR, makes of the file: calls and microseconds of each name, and
// how often it warns.
const fs = require('fs'), vm = require('vm');

const dir = process.argv[2] + '/dist/release/';
const main = fs.readdirSync(dir).find(f => /^speedscope-\w+\.js$/.test(f));
let code = fs.readFileSync(dir + main, 'utf8');
const name = pattern => pattern.exec(code)[1];
const begin = name(/(\w+)=re\(\(\)=>\{"use strict";(?:\w+\(\);)*\w+=\["line"/);
const run = name(
    /function (\w+)\(t\)\{return \w+\(t\)\?\w+\(t\):\w+\(t\)\?\w+\(t\.traceEv/);
code = code.slice(0, code.lastIndexOf('console.log(`speedscope v')) +
    `globalThis.importer=t=>{${begin}();return ${run}(t)};})();`;

// The page that it wants to be in.
const any = () => new Proxy(function () {}, {
	get: (t, k) => k === Symbol.toPrimitive ? () => '' :
	    k === 'prototype' ? {} : any(),
	apply: any, construct: any, set: () => true
});
let warnings = 0;
const world = { console: { log() {}, assert() {}, warn() { warnings++ } },
    performance, setTimeout, URL, TextDecoder, TextEncoder };
for (const n of ['window', 'document', 'navigator', 'location', 'localStorage',
    'HTMLElement', 'requestAnimationFrame', 'fetch'])
	world[n] = any();
world.globalThis = world.self = world;
vm.createContext(world);
vm.runInContext(code, world);

const names = {};
for (const p of world.importer(JSON.parse(fs.readFileSync(process.argv[3],
    'utf8'))).profiles) {
	const open = [];
	p.forEachCall((node, at) => open.push(at), (node, at) => {
		const n = names[node.frame.name.split(' {')[0]] ??= [0, 0];
		n[0]++;
		n[1] += at - open.pop();
	});
}
for (const n of Object.keys(names).sort())
	console.log(n, names[n][0], names[n][1].toFixed(3));
console.log('warnings', warnings);
