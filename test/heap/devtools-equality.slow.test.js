'use strict'

// The engine against Chrome DevTools' own code: every class, every column.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { isDeepStrictEqual } = require('node:util')
const { analyzeSnapshot } = require('../../lib/heap-diff/comparison/load-snapshots')
const { toBaseline } = require('../../lib/heap-diff/comparison/baseline')
const { compare } = require('../../lib/heap-diff/comparison/comparison')
const { makeScratch } = require('../store/scratch')
const { snapshotOf, writeSnapshot, writtenBy } = require('./snapshots')
const { statisticsOf, summarize } = require('./statistics')

const folders = [writtenBy('varied-app.js'), writtenBy('leaks/run.js', folder => ['kept-requests', folder])]
const [varied, leaking] = folders

test.after(async () => { for (const folder of folders) fs.rmSync(await folder, { recursive: true, force: true }) })

async function devTools (file) {
  const { parse } = await import('heap-snapshot-toolkit')
  return parse(fs.createReadStream(file, 'utf8'))
}

const byKey = rows => Object.fromEntries(rows.sort((a, b) => a.key < b.key ? -1 : 1).map(({ key, ...row }) => [key, row]))

function summaryOf (snapshot) {
  const aggregates = Object.entries(snapshot.getAggregatesByClassKey(true, 'allObjects'))
  return byKey(aggregates.map(([key, { name, count, self, maxRet, distance }]) => ({ key, name, count, shallowBytes: self, retainedBytes: maxRet, distance })))
}

/**
 * Every context of node:vm has an object that is named like V8's own type. DevTools gives both the same key and keeps the one
 * it met last; here both are rows, of which the same one is left.
 */
function asDevToolsShows (rows, theirs, twins) {
  const shown = { ...rows }
  for (const twin of twins) {
    const key = twin.replace(' (by name)', '')
    if (!(key in theirs)) delete shown[key]
    else if (isDeepStrictEqual(rows[twin], theirs[key])) shown[key] = rows[twin]
    delete shown[twin]
  }
  return shown
}

const twinsOf = analysis => summarize(analysis).map(({ key }) => key).filter(key => key.endsWith(' (by name)'))

async function assertSameSummary (file) {
  const [analysis, theirs] = await Promise.all([analyzeSnapshot(file), devTools(file)])
  const expected = summaryOf(theirs)
  assert.deepEqual(asDevToolsShows(byKey(summarize(analysis)), expected, twinsOf(analysis)), expected)
  assert.equal(analysis.heapBytes, theirs.totalSize)
  const { total, native, v8heap } = theirs.getStatistics()
  assert.deepEqual(statisticsOf(analysis), {
    totalBytes: total,
    nativeBytes: native.total,
    typedArrayBytes: native.typedArrays,
    codeBytes: v8heap.code,
    stringBytes: v8heap.strings,
    arrayBytes: v8heap.jsArrays,
    systemBytes: v8heap.system
  })
  analysis.graph.close()
  return Object.keys(summaryOf(theirs)).length
}

async function assertSameComparison (before, after) {
  const base = await analyzeSnapshot(before)
  base.graph.close()
  const current = await analyzeSnapshot(after)
  const { classes, balance } = compare(toBaseline(base), current)
  const twins = twinsOf(current)
  current.graph.close()
  const [theirBase, theirs] = [await devTools(before), await devTools(after)]
  // As DevTools does: the newer snapshot says how plain objects are grouped.
  const rows = Object.entries(theirs.calculateSnapshotDiff(theirBase.uid, theirBase.aggregatesForDiff(theirs.interfaceDefinitions())))
  const ours = classes.filter(({ newCount, deletedCount }) => newCount + deletedCount > 0)
    .map(({ key, newCount, deletedCount, allocatedBytes, freedBytes }) => ({ key, newCount, deletedCount, countDelta: newCount - deletedCount, allocatedBytes, freedBytes, sizeDelta: allocatedBytes - freedBytes }))
  const expected = byKey(rows.map(([key, { addedCount, removedCount, countDelta, addedSize, removedSize, sizeDelta }]) =>
    ({ key, newCount: addedCount, deletedCount: removedCount, countDelta, allocatedBytes: addedSize, freedBytes: removedSize, sizeDelta })))
  assert.deepEqual(asDevToolsShows(byKey(ours), expected, twins), expected)
  assert.equal(balance.sizeDeltaBytes + balance.survivorGrowthBytes + balance.otherBytes, balance.heapDeltaBytes)
  assert.equal(balance.otherBytes, theirs.profile.snapshot.extra_native_bytes ? theirs.profile.snapshot.extra_native_bytes - theirBase.profile.snapshot.extra_native_bytes : 0)
  return rows.length
}

test('summary and statistics of an application with Maps, closures, WeakMaps, contexts and Express', async () => {
  assert.ok(await assertSameSummary(path.join(await varied, 'before.heapsnapshot')) > 200)
  assert.ok(await assertSameSummary(path.join(await varied, 'after.heapsnapshot')) > 200)
})

test('summary of a snapshot with V8\'s internals and the values of numbers', async () => {
  assert.ok(await assertSameSummary(path.join(await varied, 'internals.heapsnapshot')) > 100)
})

test('comparison before and after load', async () => {
  const folder = await varied
  assert.ok(await assertSameComparison(path.join(folder, 'before.heapsnapshot'), path.join(folder, 'after.heapsnapshot')) > 30)
})

test('comparison of a server that keeps its requests', async () => {
  const folder = await leaking
  assert.ok(await assertSameComparison(path.join(folder, 'kept-requests.first.heapsnapshot'), path.join(folder, 'kept-requests.third.heapsnapshot')) > 20)
})

test('what only weak edges, or only each other, hold', async t => {
  const folder = makeScratch(t)
  const nodes = [
    { type: 'synthetic', name: '', size: 0, edges: [['element', 1, 1], ['shortcut', 'global', 2]] },
    { type: 'synthetic', name: '(GC roots)', size: 0, edges: [['element', 1, 2], ['weak', '1', 4]] },
    { name: 'global', edges: [['property', 'kept', 3], ['weak', 'w', 6]] },
    { name: 'Kept', edges: [['property', 'self', 3], ['internal', 'table', 8]] },
    { name: 'Orphan', edges: [['property', 'child', 5], ['property', 'kept', 3]] },
    { name: 'OrphanChild' },
    { name: 'LoopOne', edges: [['property', 'other', 7]] },
    { name: 'LoopTwo', edges: [['property', 'other', 6], ['property', 'kept', 3]] },
    { type: 'array', name: '', size: 100, edges: [['internal', '1', 9]] },
    { type: 'hidden', name: 'system / Odd', size: 50 }
  ]
  const file = writeSnapshot(snapshotOf(nodes), folder)
  assert.ok(await assertSameSummary(file) >= 6)
})
