'use strict'

/* global gc */

// A process with one leak, or none, whose memory is followed with a fast clock: a minute takes 600 milliseconds. It prints what grows.

const { EventEmitter, once } = require('node:events')
const http = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const zlib = require('node:zlib')
const { SharedState } = require('../../lib/link/shared-state')
const { HeapWatching } = require('../../lib/probe/heap/heap-watching')

const SCALE = 100
const STEP_MS = 50
const MINUTES = 20

const kept = []
const record = step => Array.from({ length: 1500 }, (_, at) => ({ id: step * 1e4 + at, tags: [at] }))
const map = new Map()
const emitter = new EventEmitter().setMaxListeners(0)
const pool = []

const uploads = http.createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  kept.push(Buffer.concat(chunks))
  response.end()
})

async function upload (bytes) {
  const request = http.request({ port: uploads.address().port, host: '127.0.0.1', method: 'POST' })
  request.end(Buffer.alloc(bytes, 1))
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
}

async function pack () {
  const gzip = zlib.createGzip()
  gzip.write('x')
  await once(gzip, 'readable')
  kept.push(gzip)
}

/** Each is called twenty times a minute. */
const MODES = {
  map: step => map.set(step, record(step)),
  listeners: step => {
    const rows = record(step)
    emitter.on('change', () => rows.length)
  },
  closures: step => {
    const rows = record(step)
    kept.push(() => rows.length)
  },
  timers: step => {
    const rows = record(step)
    setTimeout(() => rows.length, 1e8).unref()
  },
  promises: step => {
    const rows = record(step)
    const pending = new Promise(() => {})
    pending.then(() => rows.length)
    kept.push(pending)
  },
  uploads: () => upload(400e3),
  zlib: async () => { for (let at = 0; at < 3; at++) await pack() },
  worker: () => {},
  lru: step => {
    map.set(step, record(step))
    if (map.size > 40) map.delete(map.keys().next().value)
  },
  'warm-up': step => step < 80 ? map.set(step, record(step)) : record(step),
  burst: step => {
    if (step < 120) kept.push(record(step), Buffer.alloc(200e3, 1))
    if (step === 160) kept.length = 0
  },
  'static-cache': step => step === 0 ? kept.push(Array.from({ length: 100 }, (_, at) => record(at)), Buffer.alloc(60e6, 1)) : record(step),
  pool: step => {
    pool[step % 30] = Buffer.alloc(500e3, 1)
    record(step)
  },
  'healthy-worker': () => {}
}

const WORKERS = {
  worker: 'const kept = []; setInterval(() => kept.push(Array.from({ length: 12_000 }, (_, at) => ({ at, tags: [at] }))), 50)',
  'healthy-worker': 'let last; setInterval(() => { last = Array.from({ length: 12_000 }, (_, at) => ({ at, tags: [at] })) }, 50)'
}

async function main () {
  const mode = process.argv[2]
  const state = new SharedState()
  /** @type {{ observer?: Worker }} */
  const own = {}
  const heap = new HeapWatching({ nodeFlags: [], ask: async () => [], state, isOwn: worker => worker === own.observer })
  heap.start()
  const observer = own.observer = new Worker(require.resolve('./watch-thread'), { workerData: { state: state.buffer, scale: SCALE } })
  observer.on('message', async message => { if (message.ask) observer.postMessage({ owners: await heap.owners() }) })
  if (WORKERS[mode] !== undefined) kept.push(new Worker(WORKERS[mode], { eval: true, name: 'resize' }))
  if (mode === 'uploads') await once(uploads.listen(0, '127.0.0.1'), 'listening')
  const ticks = setInterval(() => heap.note(), 20)
  for (let step = 0; step < MINUTES * 60_000 / SCALE / STEP_MS; step++) {
    await MODES[mode](step)
    if (step % 4 === 0) gc()
    await sleep(STEP_MS)
  }
  clearInterval(ticks)
  observer.removeAllListeners('message')
  observer.postMessage({ end: true })
  const [{ growing, counts }] = await once(observer, 'message')
  console.log(JSON.stringify({ growing, counts, kept: [kept.length, map.size, pool.length, emitter.listenerCount('change')] }))
  process.exit()
}

main()
