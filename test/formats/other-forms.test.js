'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')
const { buildHeapTree, isHeapProfile } = require('../../lib/formats/profile/heap-tree')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { toCpuProfile, toHeapProfile } = require('../../lib/formats/profile/other-forms')
const { craft } = require('../fixtures/profiles/profiles')
const { cli } = require('../cli/cli')
const { makeScratch } = require('../store/scratch')

/** Of every function below the root: its place, whose it is, and its own time in milliseconds. */
function timesOf (profile) {
  const made = toCpuProfile(profile)
  assertCpuProfile(made)
  const found = []
  const waiting = [buildCallTree(made, { appRoot: '/srv/app' })]
  for (const { frame, selfMicros, children } of waiting) {
    waiting.push(...children)
    if (frame.name !== '(root)') found.push([frame.name, frame.file, frame.line, frame.origin, Math.round(selfMicros / 1e3)])
  }
  return found
}

// As v8-profiler wrote it, and Chrome until 2016: lines from 1, seconds beside microseconds.
const oldNode = (id, functionName, url, lineNumber, hitCount, children = []) =>
  ({ functionName, url, lineNumber, callUID: 1000 + id, bailoutReason: '', id, scriptId: url === '' ? 0 : 30 + id, hitCount, children })
const OLD_TREE = () => oldNode(1, '(root)', '', 0, 0, [
  oldNode(2, 'serve', '/srv/app/app.js', 12, 1, [oldNode(3, 'parse', '/srv/app/lib/parse.js', 40, 2), oldNode(4, 'emit', 'events.js', 120, 0)]),
  oldNode(5, '(program)', '', 0, 1), oldNode(6, 'sort', 'native array.js', 700, 0), oldNode(7, 'load', 'internal/module.js', 9, 0)
])
const SAMPLES = [2, 3, 3, 5]
const EXPECTED = [
  ['serve', 'app.js', 12, 'app', 10], ['(program)', '', 0, 'meta', 10], ['sort', '', 700, 'native', 0], ['load', 'node:internal/module', 9, 'node', 0],
  ['parse', 'lib/parse.js', 40, 'app', 20], ['emit', 'node:events', 120, 'node', 0]
]

for (const [unit, perSecond] of [['seconds', 1], ['milliseconds', 1e3], ['microseconds', 1e6]]) {
  test(`a tree of nodes with timestamps, its beginning and end in ${unit}`, () => {
    const timestamps = [10, 20, 30, 40].map(ms => (500 + ms / 1e3) * 1e6)
    const profile = { typeId: 'CPU', uid: '1', title: 'x', head: OLD_TREE(), startTime: 500 * perSecond, endTime: 500.04 * perSecond, samples: SAMPLES, timestamps }
    assert.deepEqual(timesOf(profile), EXPECTED)
  })
}

test('a tree of nodes without timestamps: the samples are as far apart as each other', () => {
  assert.deepEqual(timesOf({ head: OLD_TREE(), startTime: 500, endTime: 500.04, samples: SAMPLES }), EXPECTED)
})

test('a tree of nodes that was only counted', () => {
  assert.deepEqual(timesOf({ head: OLD_TREE(), startTime: 500, endTime: 500.04 }), EXPECTED)
  const withoutIds = JSON.parse(JSON.stringify(OLD_TREE(), (key, value) => key === 'id' ? undefined : value))
  assert.deepEqual(timesOf({ head: withoutIds, startTime: 500, endTime: 500.04 }), EXPECTED)
})

const MODERN = craft([[['serve', 'parse'], 30_000], [['serve'], 10_000], [['(idle)'], 20_000]])
const busy = profile => timesOf(profile).map(([name, , , , ms]) => [name, ms])

test('the form of today comes back as it is', () => {
  assert.deepEqual(toCpuProfile(MODERN), JSON.parse(JSON.stringify(MODERN)))
})

test('nodes that name the one above them', () => {
  const above = new Map(MODERN.nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id])))
  const nodes = MODERN.nodes.map(({ children, ...node }) => ({ ...node, ...(above.has(node.id) && { parent: above.get(node.id) }) }))
  assert.deepEqual(busy({ ...MODERN, nodes }), busy(MODERN))
})

test('timestamps in place of timeDeltas, and neither of them', () => {
  const { timeDeltas, ...rest } = MODERN
  let at = rest.startTime
  const timestamps = timeDeltas.map(delta => { at += delta; return at })
  assert.deepEqual(busy({ ...rest, timestamps }), busy(MODERN))
  const even = busy(rest)
  assert.equal(even.reduce((sum, [, ms]) => sum + ms, 0), 60)
})

test('ticks of lines in place of samples and counts', () => {
  const { samples, timeDeltas, ...rest } = MODERN
  const ticks = { parse: 3, serve: 1, '(idle)': 2 }
  const nodes = rest.nodes.map(({ hitCount, ...node }) => {
    const count = ticks[node.callFrame.functionName]
    return count === undefined ? node : { ...node, positionTicks: [{ line: 7, ticks: count }] }
  })
  assert.deepEqual(busy({ ...rest, nodes }), busy(MODERN))
})

test('counts that no recording has are refused, as is what is no profile', () => {
  for (const hitCount of [1e12, -1, 0.5, 'x']) {
    const { samples, timeDeltas, ...rest } = MODERN
    const nodes = rest.nodes.map(node => ({ ...node, hitCount }))
    assert.throws(() => assertCpuProfile(toCpuProfile({ ...rest, nodes })), { code: 'ERR_LOOPSCOPE_INVALID_PROFILE' })
  }
  for (const other of [null, 5, [], {}, { head: 5 }, { head: { children: 5 } }, { head: { children: [null, 5] } }, { nodes: [null], samples: [] }, { nodes: 'x', head: [] }]) {
    assert.throws(() => assertCpuProfile(toCpuProfile(other)), { code: 'ERR_LOOPSCOPE_INVALID_PROFILE' })
    assert.equal(isHeapProfile(toHeapProfile(other)), false)
  }
})

const heapFrame = (functionName, url, lineNumber) => ({ functionName, scriptId: url === '' ? '0' : '7', url, lineNumber, columnNumber: 3 })
// As Chrome 69 and Node.js 10 wrote it.
const HEAD = {
  callFrame: heapFrame('(root)', '', -1),
  selfSize: 0,
  children: [{ callFrame: heapFrame('keep', '/srv/app/app.js', 9), selfSize: 2e6, children: [{ callFrame: heapFrame('from', 'buffer.js', 99), selfSize: 1e6, children: [] }] }]
}

test('a heap profile that has no samples, no ids, or describes its functions in the nodes', () => {
  const flat = ({ callFrame, children, ...node }) =>
    ({ ...callFrame, lineNumber: callFrame.lineNumber + 1, columnNumber: callFrame.columnNumber + 1, ...node, ...(children.length > 0 && { children: children.map(flat) }) })
  for (const head of [HEAD, flat(HEAD)]) {
    const made = toHeapProfile({ head })
    assert.equal(isHeapProfile(made), true)
    const [keep] = buildHeapTree({ profile: made, before: null }, { appRoot: '/srv/app' }).children
    assert.deepEqual([keep.frame.name, keep.frame.file, keep.frame.line, keep.selfBytes, keep.totalBytes], ['keep', 'app.js', 10, 2e6, 3e6])
    assert.deepEqual([keep.children[0].frame.file, keep.children[0].frame.origin], ['node:buffer', 'node'])
  }
})

test('report, flame and diff read them', async t => {
  const folder = makeScratch(t)
  const write = (name, content) => {
    fs.writeFileSync(path.join(folder, name), JSON.stringify(content))
    return path.join(folder, name)
  }
  const cpu = write('old.cpuprofile', { head: OLD_TREE(), startTime: 500, endTime: 500.04, samples: SAMPLES, timestamps: [10, 20, 30, 40].map(ms => 5e8 + ms * 1e3) })
  const heap = write('old.heapprofile', { head: HEAD })
  const root = ['--root', '/srv/app']
  assert.match((await cli(['report', cpu, ...root])).stdout, /0\.04 s, 4 samples[^]* 20\.0 +50\.0% +parse lib\/parse\.js:40/)
  assert.match((await cli(['report', heap, ...root])).stdout, /^3\.0 MB$[^]* 2\.00 +66\.7% +3\.00 {2}keep app\.js:10/m)
  for (const file of [cpu, heap]) {
    assert.match((await cli(['flame', file, '-o', '-'])).stdout, /^<!doctype html>/i)
    const { code, stdout } = await cli(['diff', file, file, '--json'])
    assert.deepEqual([code, JSON.parse(stdout).rows], [0, []])
  }
})
