'use strict'

// What the other threads of a process had of the processors: told apart by their names, added up over a minute, also of those that have ended.

const test = require('node:test')
const assert = require('node:assert/strict')
const { Worker } = require('node:worker_threads')
const { ThreadLoadMeter, readThreadTimes, withKinds } = require('../../lib/observer/threads/thread-load')

const MINUTE_MS = 60_000
const kindsOf = (names, major, { own = [] } = {}) => {
  const threads = names.map((name, index) => ({ id: String(process.pid + index), name, cpuMs: 1 }))
  return withKinds(threads, { own, observed: String(process.pid), major }).map(([, { kind }]) => kind)
}

test('Node 24 and 26 name their threads; those of the application have other names, or none', () => {
  const names = ['MainThread', 'DelayedTaskSche', 'V8Worker', 'node-V8Worker', 'SignalInspector', 'v8:ProfEvntProc', 'libuv-worker', 'WorkerThread', 'pool-job']
  const kinds = ['observed', 'engine', 'engine', 'engine', 'engine', 'engine', 'pool', 'worker', 'worker']
  assert.deepEqual(kindsOf(names, 24), kinds)
})

test('Node 22 names only some of its own, Node 20 none: the first are of V8', () => {
  const names22 = ['node', 'DelayedTaskSche', ...Array(5).fill('node'), 'node', 'libuv-worker']
  assert.deepEqual(kindsOf(names22, 22).slice(5), ['engine', 'engine', 'worker', 'pool'])
  assert.deepEqual(kindsOf(Array(9).fill('node'), 20).slice(5), ['engine', 'engine', 'worker', 'worker'])
})

test('threads of loopscope are none of the application', () => {
  assert.deepEqual(kindsOf(['MainThread', 'WorkerThread', 'loopscope sourc', 'WorkerThread'], 26, { own: [String(process.pid + 1), String(process.pid + 2)] }), ['observed', 'own', 'own', 'worker'])
})

/** A process that a test moves on: `ran` is what its threads had since the start. */
function subject () {
  const known = { atMs: 0, processMs: 0, threads: {} }
  const load = new ThreadLoadMeter({
    threadPid: 1,
    now: () => known.atMs,
    processMs: () => known.processMs,
    readTimes: () => new Map(Object.entries(known.threads).map(([id, [kind, cpuMs]]) => [id, { name: kind, kind, cpuMs }]))
  })
  return { known, load }
}

test('processor time of workers and of the pool is added up, not that of the main thread', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { known, load } = subject()
  Object.assign(known, { threads: { 1: ['observed', 500], 2: ['worker', 100] }, processMs: 600 })
  load.start()
  Object.assign(known, { atMs: 5000, processMs: 6600, threads: { 1: ['observed', 1500], 2: ['worker', 4100], 3: ['worker', 1000], 4: ['pool', 300] } })
  t.mock.timers.tick(5000)
  Object.assign(known, { atMs: 10_000, processMs: 6900 })
  const { ms, workerMs, poolMs, peak, busiest } = load.read(MINUTE_MS)
  assert.deepEqual({ ms, workerMs, poolMs, peak, busiest }, { ms: 10_000, workerMs: 5000, poolMs: 300, peak: 1, busiest: [{ name: 'worker', ms: 5000 }] })
  load.stop()
})

test('the time of threads that have ended is kept, and what is older than a minute is forgotten', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { known, load } = subject()
  known.threads = { 1: ['observed', 0] }
  load.start()
  Object.assign(known, { atMs: 5000, processMs: 3000, threads: { 1: ['observed', 1000] } })
  t.mock.timers.tick(5000)
  assert.equal(load.read(MINUTE_MS).workerMs, 2000)
  for (let turn = 0; turn < 13; turn++) {
    known.atMs += 5000
    t.mock.timers.tick(5000)
  }
  assert.equal(load.read(MINUTE_MS).workerMs, 0)
  load.stop()
})

test('workers that are started and end all the time are distinguished from one that ended', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { known, load } = subject()
  known.threads = { 1: ['observed', 0], 2: ['worker', 0] }
  load.start()
  const pass = (workerMs, endedMs) => {
    known.atMs += 5000
    known.processMs += workerMs + endedMs
    known.threads[2][1] += workerMs
    t.mock.timers.tick(5000)
  }
  for (let turn = 0; turn < 5; turn++) pass(turn === 0 ? 0 : 3000, turn === 0 ? 4000 : 0)
  assert.equal(load.read(MINUTE_MS).areShortLived, false)
  for (let turn = 0; turn < 12; turn++) pass(500, 2000)
  assert.equal(load.read(MINUTE_MS).areShortLived, true)
  load.stop()
})

test('where the system has no figures nothing is reported', () => {
  const load = new ThreadLoadMeter({ threadPid: 1, readTimes: () => null })
  load.start()
  assert.equal(load.read(MINUTE_MS), null)
  load.stop()
})

test('a real worker that burns is seen', { skip: process.platform !== 'linux' && 'Linux only' }, async t => {
  const load = new ThreadLoadMeter({ threadPid: process.pid })
  load.start()
  t.after(() => load.stop())
  const worker = new Worker('for (;;);', { eval: true })
  t.after(() => worker.terminate())
  const from = readThreadTimes({ threadPid: process.pid })
  assert.ok([...from.values()].some(({ kind }) => kind === 'observed'))
  while (load.read(MINUTE_MS).workerMs < 300) await new Promise(resolve => setTimeout(resolve, 20))
  await worker.terminate()
  assert.ok(load.read(MINUTE_MS).workerMs >= 200)
})
