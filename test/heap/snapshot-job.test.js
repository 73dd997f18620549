'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { Snapshots } = require('../../lib/observer/heap/snapshot/snapshot-job')
const { readMemory } = require('../../lib/probe/heap/memory-reading')
const { takeSnapshot } = require('../../lib/probe/heap/take-snapshot')
const { createStore } = require('../../lib/observer/store/store')
const { makeScratch } = require('../store/scratch')
const { runSnapshotApp } = require('./snapshot-app')
const { PLAIN } = require('./snapshot-order')

const plain = { ...PLAIN, appName: 'shop' }

/** All in one thread; the real division is in the tests that start an application. */
function create (t, { askMain = async order => takeSnapshot(order), ...parts } = {}) {
  const store = createStore({ dir: path.join(makeScratch(t), 'captures'), retention: { minFreeBytes: 0 } })
  const snapshots = new Snapshots({ askMain, readMainMemory: async () => readMemory(), ...parts })
  const take = (order = {}, signal = new AbortController().signal) => snapshots.take({ ...plain, ...order }, { store, signal })
  return { store, take }
}

const files = store => fs.existsSync(store.dir) ? fs.readdirSync(store.dir) : []

test('an application takes a redacted snapshot of itself, in private files, and reports its progress', async t => {
  const dir = path.join(makeScratch(t), 'captures')
  const { outcomes: [{ taken, stages }], stderr } = await runSnapshotApp({ dir, orders: [{}] })
  assert.deepEqual(fs.readdirSync(dir).sort(), [taken.name, `${taken.name}.json`])
  assert.equal(fs.statSync(dir).mode & 0o777, 0o700)
  for (const file of fs.readdirSync(dir)) assert.equal(fs.statSync(path.join(dir, file)).mode & 0o777, 0o600)
  assert.deepEqual([...new Set(stages.map(({ stage }) => stage))], ['estimating', 'writing', 'verifying', 'redacting'])
  assert.match(stderr, /a heap snapshot starts: the process stands still/)
  assert.match(fs.readFileSync(taken.path, 'latin1'), /\[redacted\]/)
})

test('the metadata names the process, what it cost and what identifies its objects', async t => {
  const { store, take } = create(t)
  const { name, metadata } = await take()
  assert.deepEqual(store.metadata(name), JSON.parse(JSON.stringify(metadata)))
  const { pid, startedAt, nodeVersion, pauseMs, rssBeforeBytes, peakRssBytes, rssAfterBytes, redaction, estimated } = metadata
  assert.deepEqual([pid, nodeVersion, redaction.mode], [process.pid, process.version, 'values'])
  assert.ok(Math.abs(startedAt - (Date.now() - process.uptime() * 1000)) < 1000)
  assert.ok(pauseMs > 0 && rssBeforeBytes > 0 && peakRssBytes >= rssAfterBytes && estimated.memoryBytes > 0)
})

test('another process of the application learns from it how long the next one takes', async t => {
  const dir = path.join(makeScratch(t), 'captures')
  const { outcomes: [first] } = await runSnapshotApp({ dir, orders: [{}] })
  const { pauseMsPerMb } = first.taken.metadata
  assert.ok(pauseMsPerMb > 0)
  const sidecar = `${first.taken.path}.json`
  fs.writeFileSync(sidecar, JSON.stringify({ ...first.taken.metadata, pauseMsPerMb: 1e6 }))
  const { outcomes: [second] } = await runSnapshotApp({ dir, orders: [{}] })
  assert.equal(second.code, 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED')
  assert.match(second.message, /pause: the process would stand still for/)
})

test('unredacted on demand; a second one is only taken by force, and has the same canaries', async t => {
  const { outcomes: [first, second, third] } = await runSnapshotApp({ dir: path.join(makeScratch(t), 'captures'), orders: [{ redact: 'off' }, {}, { force: true }] })
  assert.equal(fs.readFileSync(first.taken.path, 'latin1').includes('[redacted]'), false)
  assert.equal(second.code, 'ERR_LOOPSCOPE_SNAPSHOT_COOLDOWN')
  assert.equal(first.taken.metadata.canaryIds.length, 8)
  assert.deepEqual(third.taken.metadata.canaryIds, first.taken.metadata.canaryIds)
  assert.match(third.taken.metadata.estimated.basis, /the snapshot before/)
})

test('a refusal leaves nothing behind, stops nobody and needs no pause before the next', async t => {
  const memoryRoom = () => ({ limitBytes: 1e6, freeBytes: 1e6, basis: 'the test' })
  const { store, take } = create(t, { memoryRoom, askMain: () => assert.fail('it was refused') })
  for (let time = 0; time < 2; time++) await assert.rejects(take(), { code: 'ERR_LOOPSCOPE_SNAPSHOT_REFUSED' })
  assert.deepEqual(files(store), [])
  const forced = create(t, { memoryRoom })
  assert.equal((await forced.take({ force: true })).metadata.pid, process.pid)
})

test('two at once: the second is refused', async t => {
  const { take, store } = create(t)
  const first = take()
  await assert.rejects(take({ force: true }), { code: 'ERR_LOOPSCOPE_SNAPSHOT_BUSY' })
  await first
  assert.equal(store.list().length, 1)
})

test('a broken file, a failing engine and a main thread that comes round too late leave nothing behind', async t => {
  const broken = create(t, { askMain: async order => { const facts = takeSnapshot(order); fs.truncateSync(order.file, 100_000); return facts } })
  await assert.rejects(broken.take(), { code: 'ERR_LOOPSCOPE_INVALID_SNAPSHOT' })
  const failing = create(t, { askMain: async () => { throw new Error('no engine') } })
  await assert.rejects(failing.take(), /no engine/)
  const late = create(t, { askMain: async order => takeSnapshot({ ...order, notAfterMicros: 0 }) })
  await assert.rejects(late.take(), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED' })
  for (const { store } of [broken, failing, late]) assert.deepEqual(files(store), [])
})

test('a store that is removed before, or while, the main thread writes is named, and made again by the next', async t => {
  for (const redact of ['values', 'off']) {
    for (const isBefore of [true, false]) {
      let isGone = false
      const { store, take } = create(t, {
        askMain: async order => {
          const remove = () => { if (!isGone) fs.rmSync(store.dir, { recursive: true }); isGone = true }
          if (isBefore) remove()
          const facts = takeSnapshot(order)
          remove()
          return facts
        }
      })
      await assert.rejects(take({ redact }), error => error.code === 'ERR_LOOPSCOPE_STORE_UNWRITABLE' && error.message.includes(store.dir))
      assert.ok(fs.existsSync((await take({ redact, force: true })).path))
    }
  }
})

test('a descriptor whose number is another file\'s by now is not written to', async t => {
  const file = path.join(makeScratch(t), 'of-the-application')
  fs.writeFileSync(file, 'precious')
  const fd = fs.openSync(file, 'r+')
  t.after(() => fs.closeSync(fd))
  const { take } = create(t, { askMain: async order => takeSnapshot({ ...order, file: `/proc/self/fd/${fd}`, inode: order.inode ?? 'none' }) })
  await assert.rejects(take(), { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED' })
  assert.equal(fs.readFileSync(file, 'utf8'), 'precious')
})

test('cancelled while the main thread is busy: the answer comes at once, and the main thread does not begin', async t => {
  let begin
  const begun = new Promise(resolve => { begin = resolve })
  const answers = []
  const { store, take } = create(t, {
    askMain: order => {
      const answer = begun.then(() => takeSnapshot(order))
      answers.push(answer)
      return answer
    }
  })
  const controller = new AbortController()
  const taking = take({}, controller.signal)
  while (files(store).length === 0) await new Promise(resolve => setImmediate(resolve))
  controller.abort(new Error('enough'))
  await assert.rejects(taking, /enough/)
  await assert.rejects(take(), { code: 'ERR_LOOPSCOPE_SNAPSHOT_BUSY' })
  begin()
  await assert.rejects(answers[0], { code: 'ERR_LOOPSCOPE_CAPTURE_CANCELLED' })
  while (await take({ force: true }).then(() => false, ({ code }) => code === 'ERR_LOOPSCOPE_SNAPSHOT_BUSY'));
  assert.deepEqual(files(store).filter(name => name.endsWith('.partial')), [])
  assert.equal(store.list().length, 1)
})
