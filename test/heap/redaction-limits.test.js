'use strict'

// What redaction does not take out is told to everybody who shares a snapshot: the examples of docs/heap.md, planted.

const test = require('node:test')
const assert = require('node:assert/strict')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const vm = require('node:vm')
const { MIN_OBJECTS, redactSnapshot } = require('../../lib/observer/heap/redaction/redact')
const { makeScratch } = require('../store/scratch')

const DOCS = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'heap.md'), 'utf8')

/** The rows of the table of examples. */
const ROWS = [...DOCS.matchAll(/^\| ([^|`]+) \| `([^`]+)` \| (stays|gone) \| (stays|gone) \|$/gm)].map(([, what, example, values, strict]) => ({ what, example, values, strict }))

const ownName = example => ({ [example]: {}, rest: {} }) // a number would have no edge, and so no name

/** How each kind of example comes into a heap; those that are not here are names of properties. */
const PLANT = new Map([
  ['the same, in five objects or more', example => Array.from({ length: 5 }, () => ownName(example))],
  ['name of a function or class', example => vm.runInThisContext(`(() => function ${example} () {})()`)],
  ['path of a file', example => vm.runInThisContext('(() => 1)', { filename: example })],
  ['integer key', example => ({ [example]: {} })]
])

/** @param {string} text */
function isIn (text, { what, example }) {
  return what === 'integer key' ? new RegExp(`[,\\n]${example},`).test(text) : text.includes(example)
}

test('the examples of what stays are true, each in either mode', async t => {
  assert.ok(ROWS.length >= 9, `${ROWS.length}`)
  const dir = makeScratch(t)
  const kept = ROWS.map(({ what, example }) => (PLANT.get(what) ?? ownName)(example))
  const original = v8.writeHeapSnapshot(path.join(dir, 'original.heapsnapshot'))
  for (const mode of ['values', 'strict']) {
    const to = path.join(dir, mode)
    await redactSnapshot(original, to, { mode, nameKey: randomBytes(32) })
    const text = fs.readFileSync(to, 'latin1')
    for (const row of ROWS) assert.equal(isIn(text, row) ? 'stays' : 'gone', row[mode], `${row.what}, ${mode}`)
  }
  assert.equal(kept.length, ROWS.length)
})

test('the number of objects that strict requires is the documented one', () => {
  assert.equal(MIN_OBJECTS.strict, 5)
  assert.match(DOCS, /\| `strict` \| also names of properties that fewer than five objects have \|/)
})

test('a name is kept by strict from five objects on', async t => {
  const dir = makeScratch(t)
  const names = Array.from({ length: 8 }, (_, at) => `${['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'][at]}OfThem`)
  const kept = names.map((name, count) => Array.from({ length: count }, () => ownName(name)))
  const original = v8.writeHeapSnapshot(path.join(dir, 'original.heapsnapshot'))
  const to = path.join(dir, 'strict')
  await redactSnapshot(original, to, { mode: 'strict', nameKey: randomBytes(32) })
  const { strings } = JSON.parse(fs.readFileSync(to))
  assert.deepEqual(names.filter(name => strings.includes(name)), names.slice(5))
  assert.equal(kept.length, names.length)
})
