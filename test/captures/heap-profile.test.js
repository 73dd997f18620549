'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const { run } = require('./running')

const held = []
function holdOrders () {
  for (let at = 0; at < 5000; at++) held.push({ at, text: 'x'.repeat(50) + at, list: [at, at, at, at, at, at, at, at] })
  if (held.length > 200_000) held.splice(0, 5000) // a busy machine takes its time, and the heap must not grow all of it
}
class Subscription {}

test('a heap profile names the function that allocates, in every format', async t => {
  const { handle } = await run(t)
  const orders = setInterval(holdOrders, 100)
  t.after(() => {
    clearInterval(orders)
    held.length = 0 // the next tests walk the heap
  })
  const [cpu, artifact] = await Promise.all([
    handle.capture('cpu', { seconds: 1 }),
    handle.capture('heap-profile', { seconds: 1, format: 'text' })
  ])
  assert.match(await artifact.text(), /holdOrders heap-profile\.test\.js|holdOrders test\/captures\/heap-profile\.test\.js/)
  assert.ok(JSON.parse(await cpu.text()).nodes.length > 0, 'the CPU recorder goes on meanwhile')
  const [heapprofile, pprof, flamegraph] = await Promise.all(['heapprofile', 'pprof', 'flamegraph'].map(format => handle.capture('heap-profile', { seconds: 2, format })))
  assert.ok((await heapprofile.text()).includes('"holdOrders"'))
  assert.ok(gunzipSync(require('node:fs').readFileSync(pprof.path)).includes('holdOrders'))
  assert.ok((await flamegraph.text()).includes('holdOrders'))
  assert.deepEqual([heapprofile, pprof, flamegraph].map(({ name }) => name.split('.').slice(1).join('.')), ['heapprofile', 'pb.gz', 'html'])
  assert.ok(held.length > 0)
})

test('readers of what is alive and of all that was allocated take turns at the one sampler', async t => {
  const { handle } = await run(t, { recorder: false })
  const profiles = await Promise.all([
    handle.capture('heap-profile', { seconds: 0.5, mode: 'live' }),
    handle.capture('heap-profile', { seconds: 0.5, mode: 'all' }),
    handle.capture('heap-profile', { seconds: 0.5, mode: 'live' })
  ])
  for (const artifact of profiles) assert.ok(JSON.parse(await artifact.text()).head.children)
  const [live, all] = profiles
  assert.ok(all.from >= live.to || live.from >= all.to, 'one after the other')
})

test('a heap profile under way can be cancelled', async t => {
  const { handle } = await run(t, { recorder: false })
  const controller = new AbortController()
  const capture = handle.capture('heap-profile', { seconds: 200, signal: controller.signal })
  setTimeout(() => controller.abort(new Error('enough')), 100)
  await assert.rejects(capture, { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED' })
  const again = await handle.capture('heap-profile', { seconds: 0.1 })
  assert.ok(again.bytes > 0)
})

test('a heap histogram counts what there is', async t => {
  const { handle } = await run(t, { recorder: false })
  const kept = Array.from({ length: 777 }, () => new Subscription())
  const artifact = await handle.capture('heap-histogram')
  assert.deepEqual([artifact.format, artifact.contentType], ['json', 'application/json; charset=utf-8'])
  const { type, classes, pid } = JSON.parse(await artifact.text())
  assert.deepEqual([type, pid, classes.find(({ name }) => name === 'Subscription').count], ['loopscope-heap-histogram', process.pid, kept.length])
  assert.match(await (await handle.capture('heap-histogram', { format: 'text' })).text(), /777 {2}Subscription/)
})
