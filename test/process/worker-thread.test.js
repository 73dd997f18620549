'use strict'

// Diagnostics that are started in a worker thread tell of that thread.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const v8 = require('node:v8')
const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { quietMachine } = require('../runner/quiet-machine')
const { makeScratch } = require('../store/scratch')

const skip = !fs.existsSync('/proc/thread-self/schedstat') && 'this system does not tell the CPU time of a thread'
const hasBuiltin = typeof v8.startCpuProfile === 'function'
const STALL_MS = 600

const OBSERVED = `
  const { parentPort, workerData } = require('node:worker_threads')
  const lines = []
  const logger = { info () {}, error () {}, warn: (fields, message) => lines.push(message) }
  const handle = require(workerData.loopscope).createDiagnostics({ logger, dir: workerData.dir }).start()
  const work = {
    burn (ms) {
      const until = performance.now() + ms
      while (performance.now() < until);
    },
    wait: ms => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  }
  parentPort.on('message', async ({ name, ms }) => {
    if (name === 'close') {
      await handle.close()
      return parentPort.close()
    }
    const { code, message } = await handle.capture('cpu', { seconds: 0.1 }).catch(error => error)
    // A tick has to be there that the stall begins at.
    await new Promise(resolve => setTimeout(resolve, 100))
    const stalled = new Promise(resolve => handle.on('stall', stall => { if (stall.durationMs > ms / 2) resolve(stall) }))
    parentPort.postMessage('stalling')
    work[name](ms)
    parentPort.postMessage({ stall: await stalled, code, message, lines })
  })`

async function observe (t) {
  await quietMachine(t)
  const worker = new Worker(OBSERVED, { eval: true, workerData: { loopscope: require.resolve('../..'), dir: makeScratch(t) } })
  t.after(() => worker.terminate())
  return {
    async stall (name, meanwhile = () => {}) {
      worker.postMessage({ name, ms: STALL_MS })
      await once(worker, 'message')
      meanwhile()
      const [result] = await once(worker, 'message')
      return result
    },
    async close () {
      const gone = once(worker, 'exit')
      worker.postMessage({ name: 'close' })
      await gone
    }
  }
}

test('a stall of a worker thread is explained by the processor time of that thread', { skip }, async t => {
  const worker = await observe(t)
  const { stall: { evidence } } = await worker.stall('burn')
  // On a busy machine the thread stood in the queue for the rest.
  assert.ok(evidence.cpuMs + evidence.runQueueMs > STALL_MS / 2, JSON.stringify(evidence))
  await worker.close()
})

test('the processor time of the main thread is not taken for it', { skip }, async t => {
  const worker = await observe(t)
  const { stall: { evidence, cause } } = await worker.stall('wait', () => {
    const until = performance.now() + STALL_MS / 2
    while (performance.now() < until);
  })
  assert.ok(evidence.cpuMs < STALL_MS / 6, JSON.stringify(evidence))
  assert.notEqual(cause, 'gc')
  await worker.close()
})

test('it is recorded by the profiler that needs no inspector, from that thread', { skip: !hasBuiltin && 'this Node.js has no v8.startCpuProfile()' }, async t => {
  const worker = await observe(t)
  const { stall: { culprit }, code, lines } = await worker.stall('burn')
  assert.equal(culprit?.function, 'burn')
  assert.ok(code === undefined || code === 'ERR_LOOPSCOPE_EMPTY_VIEW', code)
  assert.deepEqual(lines.filter(line => line.startsWith('the recorder')), [])
  await worker.close()
})

test('without it there is no recorder, and the reason is reported', { skip: hasBuiltin && 'there is one' }, async t => {
  const worker = await observe(t)
  const { code, message, lines } = await worker.stall('burn')
  assert.deepEqual([code, /this is not the main thread$/.test(message)], ['ERR_LOOPSCOPE_RECORDER_OFF', true])
  assert.equal(lines.filter(line => line.startsWith('the recorder is off: this is not the main thread')).length, 1)
  await worker.close()
})
