'use strict'

// An observer that only follows the memory of its process, with a clock that runs faster than time.

const inspector = require('node:inspector')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')
const { parentPort, workerData } = require('node:worker_threads')
const { SharedState } = require('../../lib/link/shared-state')
const { HeapSampler } = require('../../lib/observer/heap/sampler')
const { MemoryWatch } = require('../../lib/observer/memory/memory-watch')
const { SiteWatch } = require('../../lib/observer/memory/sites/site-watch')
const { ThreadSessions } = require('../../lib/observer/threads/thread-sessions')

const { state, scale } = workerData
const now = () => performance.now() * scale
/** @type {Map<number, (value: any) => void>} */
const waiting = new Map()
let asked = 0

/** @param {string} what  @param {object} about  asked of the main thread */
const ask = (what, about) => new Promise(resolve => {
  waiting.set(++asked, resolve)
  parentPort.postMessage({ id: asked, what, about })
})

const session = new inspector.Session()
session.connectToMainThread()
const post = promisify(session.post).bind(session)
const sampler = new HeapSampler({ post, rateSeconds: 0.1 })
const memory = new SharedState(state)
const sites = new SiteWatch({
  sampler: () => sampler,
  main: { read: ask },
  buffersBytes: () => memory.notedMemory?.buffersBytes ?? null,
  heapBytes: () => memory.notedMemory?.heapUsedBytes ?? 0,
  hasSession: () => true,
  routesOf: () => new Map(),
  threadSessions: new ThreadSessions({
    open: async () => {},
    post,
    listen: (event, listener) => {
      session.on(event, listener)
      return () => session.off(event, listener)
    }
  }),
  toOriginal: async frames => frames,
  appRoot: path.join(__dirname, '..', '..'),
  now,
  wait: (ms, value, options) => sleep(ms / scale, value, options),
  maxReadShare: 1
})

const watch = new MemoryWatch({
  state: memory,
  main: { readOrLast: async () => ({ value: await ask('memoryOwners', {}), at: Date.now(), isStale: false }) },
  blockedMs: () => 0,
  recorder: { hasSession: false, post: async () => undefined },
  sites,
  interval: (ms, work) => {
    const timer = setInterval(work, ms / scale)
    return () => clearInterval(timer)
  },
  now
})
watch.start()

parentPort.on('message', message => {
  if ('answer' in message) return waiting.get(message.id)(message.answer)
  watch.stop()
  session.disconnect()
  parentPort.postMessage({ ...watch.state(), counts: watch.counts() })
  parentPort.close()
})
