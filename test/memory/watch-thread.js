'use strict'

// An observer that only follows the memory of its process, with a clock that runs faster than time.

const { parentPort, workerData } = require('node:worker_threads')
const { SharedState } = require('../../lib/link/shared-state')
const { MemoryWatch } = require('../../lib/observer/memory/memory-watch')

const { state, scale } = workerData
/** @type {((value: any) => void)[]} */
const waiting = []

const watch = new MemoryWatch({
  state: new SharedState(state),
  main: {
    readOrLast: () => new Promise(resolve => {
      waiting.push(value => resolve({ value, at: Date.now(), isStale: false }))
      parentPort.postMessage({ ask: true })
    })
  },
  blockedMs: () => 0,
  recorder: { hasSession: false, post: async () => undefined },
  interval: (ms, work) => {
    const timer = setInterval(work, ms / scale)
    return () => clearInterval(timer)
  },
  now: () => performance.now() * scale
})
watch.start()

parentPort.on('message', message => {
  if (message.owners !== undefined) return waiting.shift()(message.owners)
  watch.stop()
  parentPort.postMessage({ ...watch.state(), counts: watch.counts() })
  parentPort.close()
})
