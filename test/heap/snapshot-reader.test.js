'use strict'

// Files that are no heap snapshots, or no whole ones, or say wrong things of themselves.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const zlib = require('node:zlib')
const { analyzeSnapshot } = require('../../lib/heap-diff/comparison/load-snapshots')
const { makeDirectory } = require('../store/scratch')
const { snapshotOf, writeSnapshot } = require('./snapshots')
const { summarize } = require('./statistics')

const folder = makeDirectory()
test.after(() => fs.rmSync(folder, { recursive: true, force: true }))

const small = () => snapshotOf([
  { type: 'synthetic', name: '', size: 0, edges: [['shortcut', 'global', 1]] },
  { name: 'Thing', size: 16, edges: [['property', 'text', 2]] },
  { type: 'string', name: 'ein "Zitat" und ü', size: 24 }
])

const text = snapshot => JSON.stringify(snapshot)

/** What is wrong, and how the file comes to be so. */
const BROKEN = {
  'an empty file': () => '',
  'a file that breaks off in the nodes': () => text(small()).slice(0, text(small()).indexOf('"edges"') - 4),
  'a file that breaks off in the strings': () => text(small()).slice(0, -12),
  'a file without its end': () => text(small()).slice(0, -2),
  'a gzip file': () => zlib.gzipSync(text(small())),
  'a file that is not JSON': () => 'Heap dump of pid 12\n'.repeat(10_000),
  'JSON that is something else': () => text({ nodes: [], endTime: 1 }),
  'a list': () => '[]',
  'four billion nodes in the header': () => text({ ...small(), snapshot: { ...small().snapshot, node_count: 4e9 } }),
  'more nodes in the header than in the file': () => text({ ...small(), snapshot: { ...small().snapshot, node_count: 5 } }),
  'fewer nodes in the header than in the file': () => text({ ...small(), snapshot: { ...small().snapshot, node_count: 2 } }),
  'more edges in the header than in the file': () => text({ ...small(), snapshot: { ...small().snapshot, edge_count: 3 } }),
  'a count that is no number': () => text({ ...small(), snapshot: { ...small().snapshot, node_count: 'many' } }),
  'a header without fields': () => text({ ...small(), snapshot: { meta: {}, node_count: 3, edge_count: 2 } }),
  'a header without types': () => text({ ...small(), snapshot: { ...small().snapshot, meta: { ...small().snapshot.meta, node_types: [] } } }),
  'a header without the field of names': () => text({ ...small(), snapshot: { ...small().snapshot, meta: { ...small().snapshot.meta, node_fields: ['type', 'label', 'id', 'self_size', 'edge_count', 'detachedness'] } } }),
  'a last node of one number': () => text({ ...small(), nodes: [...small().nodes, 1] }),
  'an edge behind the last node': () => text(change(small(), 'edges', 2, 18)),
  'an edge between nodes': () => text(change(small(), 'edges', 2, 7)),
  'an edge of no type': () => text(change(small(), 'edges', 0, 99)),
  'a node of no type': () => text(change(small(), 'nodes', 0, 99)),
  'a name behind the last string': () => text(change(small(), 'nodes', 1, 99)),
  'a name behind every string': () => text(change(small(), 'nodes', 1, 2 ** 40)),
  'more edges of nodes than edges': () => text(change(small(), 'nodes', 4, 2 ** 33)),
  'a location of no node': () => text({ ...small(), locations: [600, 1, 2, 3] }),
  'a negative number': () => text(change(small(), 'nodes', 3, -8))
}

function change (snapshot, array, at, value) {
  snapshot[array][at] = value
  return snapshot
}

for (const [what, make] of Object.entries(BROKEN)) {
  test(`reports what is wrong with ${what}`, async () => {
    const file = path.join(folder, 'broken.heapsnapshot')
    fs.writeFileSync(file, make())
    const rssBefore = process.memoryUsage.rss()
    await assert.rejects(analyzeSnapshot(file), error => {
      assert.equal(error.code, 'ERR_LOOPSCOPE_INVALID_SNAPSHOT')
      assert.ok(error.message.includes(file) && /expected .+, got ./.test(error.message), error.message)
      return true
    })
    assert.ok(process.memoryUsage.rss() - rssBefore < 500e6, 'nothing is allocated on the word of a header')
  })
}

test('a complete file is read, also with unknown keys', async () => {
  const { strings, ...rest } = small()
  const analysis = await analyzeSnapshot(writeSnapshot({ ...rest, scopes: [1, [2, 3]], scope_uses: [], strings }, folder))
  assert.deepEqual(summarize(analysis).map(({ name, count, shallowBytes, retainedBytes }) => [name, count, shallowBytes, retainedBytes]), [['Thing', 1, 16, 40], ['(string)', 1, 24, 24]])
  assert.equal(analysis.graph.strings.get(analysis.graph.name[2]), 'ein "Zitat" und ü')
  analysis.graph.close()
})

test('locations without fields in the header are left out', async () => {
  const snapshot = { ...small(), locations: [6, 1, 2, 3] }
  const { location_fields: _, ...meta } = snapshot.snapshot.meta
  const analysis = await analyzeSnapshot(writeSnapshot({ ...snapshot, snapshot: { ...snapshot.snapshot, meta } }, folder))
  analysis.graph.close()
  assert.equal(analysis.graph.locations.length, 1)
})

test('sizes above 4 GiB stay what they are', async () => {
  const analysis = await analyzeSnapshot(writeSnapshot(change(small(), 'nodes', 9, 5 * 2 ** 30), folder))
  assert.equal(summarize(analysis)[0].shallowBytes, 5 * 2 ** 30)
  analysis.graph.close()
})

test('reading can be cancelled, and reports its progress', async () => {
  const file = writeSnapshot(snapshotOf([{ type: 'synthetic', name: '', size: 0 }, ...Array.from({ length: 50_000 }, () => ({ name: 'Thing' }))]), folder)
  const seen = []
  const giveUp = new AbortController()
  const onProgress = ({ stage, bytes }) => {
    seen.push([stage, bytes])
    giveUp.abort(new Error('enough'))
  }
  await assert.rejects(analyzeSnapshot(file, { onProgress, signal: giveUp.signal }), /enough|abort/)
  assert.deepEqual(seen.map(([stage]) => stage), ['reading'])
  assert.ok(seen[0][1] > 0)
})
