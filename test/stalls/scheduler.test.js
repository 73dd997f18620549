'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { Worker } = require('node:worker_threads')
const { Scheduler } = require('../../lib/observer/stalls/scheduler')

const hasSchedstat = fs.existsSync('/proc/thread-self/schedstat')
const skip = !hasSchedstat && 'this system does not tell the CPU time of a thread'

/** Busy until the thread itself, and not only the wall clock, has had its time. */
function burnCpu (ms, cpuMs) {
  const until = cpuMs() + ms
  while (cpuMs() < until);
}

function ask (worker, question) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.postMessage(question)
  })
}

const OBSERVER = `
  const { parentPort } = require('node:worker_threads')
  const scheduler = new (require(${JSON.stringify(require.resolve('../../lib/observer/stalls/scheduler'))}).Scheduler)()
  parentPort.on('message', burnMs => {
    const until = performance.now() + burnMs
    while (performance.now() < until);
    parentPort.postMessage(scheduler.read())
  })`

test('the main thread\'s CPU time grows with its work', () => {
  const scheduler = new Scheduler()
  const before = scheduler.read()
  burnCpu(60, () => process.cpuUsage().user / 1e3)
  const after = scheduler.read()
  assert.ok(after.cpuMs - before.cpuMs >= 30, `${after.cpuMs - before.cpuMs} ms`)
  scheduler.close()
})

test('read in another thread, the two threads are distinguished', { skip }, async t => {
  const worker = new Worker(OBSERVER, { eval: true })
  t.after(() => worker.terminate())
  const before = await ask(worker, 0)
  const own = new Scheduler()
  burnCpu(100, () => own.read().observerCpuMs) // of the thread that reads: here the main one
  const afterMain = await ask(worker, 0)
  assert.ok(afterMain.cpuMs - before.cpuMs >= 100)
  assert.ok(afterMain.observerCpuMs - before.observerCpuMs < 100)

  const afterOwn = await ask(worker, 200)
  assert.ok(afterOwn.observerCpuMs > afterMain.observerCpuMs)
  assert.ok(afterOwn.runQueueMs >= before.runQueueMs)
  own.close()
})

test('after close() it returns what it can and does not throw', () => {
  const scheduler = new Scheduler()
  scheduler.close()
  scheduler.close()
  const { cpuMs, runQueueMs, observerRunQueueMs } = scheduler.read()
  assert.ok(cpuMs > 0)
  assert.deepEqual([runQueueMs, observerRunQueueMs], [null, null])
})
