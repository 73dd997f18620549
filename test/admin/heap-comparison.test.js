'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createComparisons } = require('../../lib/observer/heap/comparison-job')
const { snapshotOf, writeSnapshot } = require('../heap/snapshots')
const { makeScratch } = require('../store/scratch')
const { get, run } = require('./running')
const { createSubject, TOKENS } = require('./subject')

async function snapshot (url) {
  const response = await get(`${url}/captures`, { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=60' }, body: JSON.stringify({ kind: 'heap-snapshot', force: true }) })
  const { artifact } = await response.json()
  assert.equal(response.status, 201)
  return artifact.name
}

test('two snapshots of the store are compared in each format, while the application goes on', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const before = await snapshot(url)
  await get(`${app.url}/hold?count=3000`)
  const after = await snapshot(url)
  const address = format => `${url}/heap/comparison?before=${before}&after=${after}&format=${format}`
  const report = await (await get(address('json'))).json()
  assert.deepEqual([report.type, report.incomparable], ['loopscope-heap-comparison', null])
  assert.equal(report.classes.find(({ name }) => name === 'Order').newCount, 3000)
  assert.match(await (await get(address('text'))).text(), /^Heap \d+\.\d → \d+\.\d MB\./)
  const page = await get(address('html'))
  assert.match(page.headers.get('content-disposition'), /^attachment/)
  assert.match(await page.text(), /^<!doctype html>/)
})

test('what is missing, unknown or not allowed is named in the answer', async t => {
  const subject = createSubject(t)
  const ask = (query, token = TOKENS.dump) => subject.ask(`/heap/comparison${query}`, { token })
  assert.equal((await ask('?before=a&after=b', TOKENS.profile)).status, 403)
  assert.equal((await ask('')).status, 400)
  assert.equal((await ask('?before=a&after=b&format=pdf')).status, 400)
  assert.equal((await ask('?before=a&after=b')).status, 404)
  const { name } = subject.store.write({ kind: 'heap-snapshot', extension: 'heapsnapshot', at: Date.now(), appName: 'shop', bytes: Buffer.from('{}') })
  const broken = await ask(`?before=${name}&after=${name}`)
  assert.ok(broken.status >= 400 && broken.status < 600)
})

const files = t => {
  const folder = makeScratch(t)
  const nodes = [{ type: 'synthetic', name: '', size: 0, edges: [['shortcut', 'global', 1]] }, ...Array.from({ length: 2000 }, () => ({ name: 'Thing' }))]
  return [writeSnapshot(snapshotOf(nodes), folder, 'a.heapsnapshot'), writeSnapshot(snapshotOf(nodes), folder, 'b.heapsnapshot')]
}

test('one comparison at a time, and none where memory does not suffice', async t => {
  const never = new AbortController().signal
  const order = { files: files(t), format: 'json' }
  const comparisons = createComparisons()
  const first = comparisons.compare(order, never)
  await assert.rejects(comparisons.compare(order, never), { code: 'ERR_LOOPSCOPE_COMPARISON_BUSY' })
  assert.equal(JSON.parse(Buffer.from(await first).toString()).type, 'loopscope-heap-comparison')
  await comparisons.compare(order, never)
  const poor = createComparisons({ memoryRoom: () => ({ limitBytes: 1000, freeBytes: 1000, basis: 'a test' }) })
  await assert.rejects(poor.compare(order, never), { code: 'ERR_LOOPSCOPE_COMPARISON_REFUSED', message: /memory: needs .* MB, may take 0 MB .*by a test.*loopscope diff/ })
})

test('a comparison ends when its client leaves, and faults of a file keep their code', async t => {
  const comparisons = createComparisons()
  const [good] = files(t)
  const controller = new AbortController()
  const left = comparisons.compare({ files: [good, good], format: 'json' }, controller.signal)
  controller.abort(new Error('left'))
  await assert.rejects(left, /left/)
  const never = new AbortController().signal
  await assert.rejects(comparisons.compare({ files: [good, __filename], format: 'json' }, never), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT' })
})
