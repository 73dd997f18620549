'use strict'

const assert = require('node:assert/strict')
const test = require('node:test')
const { parseMappings, parseStatus, readMappings, readResident } = require('../../lib/base/system/resident-memory')
const { ownersOf, withKeptPages } = require('../../lib/observer/memory/owners')

const MB = 1e6
const MAPPINGS = `00400000-00b6f000 r-xp 00000000 08:01 1183 /usr/bin/node
Rss: 2000 kB
3f4fe000-3f7c3000 rw-p 00000000 00:00 0 [heap]
Rss: 300 kB
7f9235337000-7f9235338000 ---p 00000000 00:00 0
Rss: 0 kB
7f9235338000-7f9235738000 rw-p 00000000 00:00 0
Rss: 36 kB
7f92388c5000-7f92388c6000 ---p 00000000 00:00 0
Rss: 0 kB
7f92388c6000-7f92388cc000 rw-p 00000000 00:00 0
Rss: 24 kB
7ffc0e2f1000-7ffc0e312000 rw-p 00000000 00:00 0 [stack]
Rss: 100 kB
`

test('mappings of files and the stacks of threads are told apart from memory of its own', () => {
  assert.deepEqual(parseMappings(MAPPINGS, [4 * 1024 ** 2]), { rssBytes: 2460 * 1024, fileBytes: 2000 * 1024, stackBytes: 136 * 1024 })
  assert.deepEqual(parseStatus('VmRSS:\t  110928 kB\nRssAnon:\t   72004 kB\nRssFile:\t   38824 kB\nRssShmem:\t     100 kB\n'), { rssBytes: 110928 * 1024, fileBytes: 38924 * 1024, stackBytes: null })
  assert.throws(() => parseStatus('Name: node'))
  assert.throws(() => parseMappings('', []))
})

test('this process has what both readings say, within a few percent', () => {
  const before = process.memoryUsage.rss()
  const [cheap, exact] = [readResident(), readMappings()]
  const after = process.memoryUsage.rss() // reading takes memory
  for (const { rssBytes } of [cheap, exact]) assert.ok(rssBytes > before * 0.95 && rssBytes < after * 1.05, `${[before, rssBytes, after]}`)
  if (process.platform === 'linux') assert.ok(exact.stackBytes > 8192 && exact.stackBytes < 20 * MB && cheap.fileBytes > MB, JSON.stringify({ cheap, exact }))
})

const MAIN = { heapUsedBytes: 30 * MB, heapResidentBytes: 40 * MB, externalBytes: 25 * MB, buffersBytes: 20 * MB }
const OWN = { heapResidentBytes: 8 * MB, externalBytes: 2 * MB }
const WORKERS = [{ name: 'resize', usedBytes: 5 * MB, committedBytes: 7 * MB, externalBytes: 1 * MB }, { name: 'busy', usedBytes: null, committedBytes: null, externalBytes: null }]

/** Megabytes by owner, and their sum. */
function divided (rssBytes, changes = {}) {
  const owners = ownersOf({ resident: { rssBytes, fileBytes: 50 * MB, stackBytes: 1 * MB }, main: MAIN, own: OWN, workers: WORKERS, ...changes })
  return { sum: owners.reduce((sum, { bytes }) => sum + bytes, 0), rows: Object.fromEntries(owners.map(({ owner, bytes }) => [owner, bytes / MB])) }
}

test('the owners add up to what is in memory, and the rest is native', () => {
  const { sum, rows } = divided(150 * MB)
  assert.equal(sum, 150 * MB)
  assert.deepEqual(rows, { heap: 30, worker: 8, loopscope: 10, buffers: 20, external: 5, 'heap-free': 10, code: 50, stacks: 1, native: 16 })
})

test('pages that V8 keeps of a larger heap are not native memory', () => {
  const owners = ownersOf({ resident: { rssBytes: 150 * MB, fileBytes: 50 * MB, stackBytes: 1 * MB }, main: MAIN, own: OWN, workers: WORKERS })
  const rowsWith = bytes => Object.fromEntries(withKeptPages(owners, bytes).map(({ owner, bytes }) => [owner, bytes / MB]))
  assert.deepEqual(rowsWith(6 * MB), { heap: 30, worker: 8, loopscope: 10, buffers: 20, external: 5, 'heap-free': 16, code: 50, stacks: 1, native: 10 })
  assert.deepEqual([rowsWith(90 * MB)['heap-free'], rowsWith(90 * MB).native], [26, 0])
})

test('what is allocated and not in memory is no one\'s: the sum stays', () => {
  const { sum, rows } = divided(110 * MB)
  assert.equal(sum, 110 * MB)
  assert.deepEqual([rows.buffers, rows.external, rows['heap-free'], rows.native], [11, 0, 0, 0])
})

test('where the system reports nothing, the owners have what V8 counts', () => {
  assert.deepEqual(divided(0, { resident: null }).rows, { heap: 30, worker: 8, loopscope: 10, buffers: 20, external: 5, 'heap-free': 10 })
})

test('where the system tells only the total, code and stacks are native memory', () => {
  const { sum, rows } = divided(150 * MB, { resident: { rssBytes: 150 * MB, fileBytes: null, stackBytes: null } })
  assert.equal(sum, 150 * MB)
  assert.deepEqual([rows.code, rows.stacks, rows.native], [undefined, undefined, 67])
})
