'use strict'

// A process with one leak, or none, whose memory is followed with a fast clock: of twenty minutes with full collections each takes 600 milliseconds, of three
// minutes without any six seconds. It prints what grows, and which lines keep it: those that are marked with the name of the leak.

const { AsyncLocalStorage } = require('node:async_hooks')
const { EventEmitter, once, setMaxListeners } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const zlib = require('node:zlib')
const pino = require('pino')
const { SharedState } = require('../../lib/link/shared-state')
const { BufferSites } = require('../../lib/probe/buffers/buffer-sites')
const { Collections } = require('../../lib/probe/heap/collections')
const { HeapWatching } = require('../../lib/probe/heap/heap-watching')

const STEP_MS = 50
const [SCALE, MINUTES] = globalThis.gc === undefined ? [10, 3] : [100, 20]

const kept = []
const record = step => Array.from({ length: 1500 }, (_, at) => ({ id: step * 1e4 + at, tags: [at] }))
const map = new Map()
const sessions = {}
const queue = []
const vectors = new Map()
const emitter = new EventEmitter().setMaxListeners(0)
const pool = []
const shutdown = new AbortController()
const forever = new Promise(() => {})
setMaxListeners(0, shutdown.signal)
const storage = new AsyncLocalStorage()
const clients = new Set()
const logger = pino({ level: 'silent' })
const loggers = {}
const seen = new Set()
const handlers = []
const client = { interceptors: { request: { use: handler => { handlers.push(handler) } } } }

const events = http.createServer((request, response) => {
  response.write(': welcome')
  response.history = record(clients.size)
  clients.add(response) // events
})

/** Subscribes, and leaves at once. */
async function subscribe () {
  const request = http.get({ port: events.address().port, host: '127.0.0.1', agent: false })
  const [response] = await once(request, 'response')
  response.on('error', () => {}).destroy()
}

const uploads = http.createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk) // chunks
  if (request.url === '/') kept.push(Buffer.concat(chunks)) // uploads
  if (request.url === '/chunks') kept.push(chunks)
  response.end()
})

async function upload (bytes, path = '/') {
  const request = http.request({ port: uploads.address().port, host: '127.0.0.1', method: 'POST', path })
  request.end(Buffer.alloc(bytes, 1))
  const [response] = await once(request, 'response')
  response.resume()
  await once(response, 'end')
}

async function pack () {
  const gzip = zlib.createGzip()
  gzip.write('x')
  await once(gzip, 'readable')
  kept.push(gzip) // zlib
}

function open () {
  for (let at = 0; at < 100; at++) {
    const socket = net.connect({ port: uploads.address().port, host: '127.0.0.1' })
    socket.on('error', () => {})
    kept.push(socket) // sockets
    if (kept.length > 400) kept[kept.length - 400].destroy() // the system limits open files, not what is kept of closed ones
  }
}

const scopedListener = () => storage.getStore()

const readFile = () => fs.readFileSync(__filename, { flag: 'r' })

/** Each is called twenty times a minute. */
const MODES = {
  map: step => {
    const rows = record(step)
    map.set(step, rows) // map
  },
  listeners: step => {
    const rows = record(step)
    emitter.on('change', () => rows.length) // listeners
  },
  closures: step => {
    const rows = record(step)
    kept.push(() => rows.length) // closures
  },
  timers: step => {
    const rows = record(step)
    setTimeout(() => rows.length, 1e8).unref() // timers
  },
  once: step => {
    const rows = record(step)
    emitter.once('ready', () => rows.length) // once
  },
  abort: step => {
    const rows = record(step)
    shutdown.signal.addEventListener('abort', () => rows.length) // abort
  },
  interval: step => {
    const rows = record(step)
    setInterval(() => rows.length, 1e8).unref() // interval
  },
  interceptors: step => {
    const rows = record(step)
    client.interceptors.request.use(() => rows.length) // interceptors
  },
  set: step => {
    const key = JSON.stringify([record(step), record(step + 1), record(step + 2)])
    seen.add(key) // set
  },
  race: step => {
    const rows = record(step)
    Promise.race([forever, Promise.resolve(rows)]) // race
  },
  promises: step => {
    const rows = record(step)
    const pending = new Promise(() => {})
    pending.then(() => rows.length)
    kept.push(pending) // promises
  },
  sessions: step => {
    const user = JSON.parse(JSON.stringify(record(step)))
    sessions[`user ${step}`] = { user, at: Date.now() } // sessions
  },
  queue: step => {
    const rows = record(step)
    queue.push({ rows, try: 0 }) // queue
  },
  uploads: () => upload(400e3),
  chunks: () => upload(400e3, '/chunks'),
  files: () => {
    for (let at = 0; at < 100; at++) kept.push(readFile()) // files
  },
  vectors: step => {
    const all = Array.from({ length: 100 }, () => new Float32Array(1000))
    vectors.set(step, all) // vectors
  },
  zlib: async () => { for (let at = 0; at < 3; at++) await pack() },
  sockets: () => open(),
  als: step => {
    const rows = record(step)
    storage.run({ rows }, () => setInterval(() => {}, 1e8).unref()) // als
  },
  'object-key': step => {
    const rows = record(step)
    map.set({ id: step % 10 }, rows) // object-key
  },
  slices: step => {
    for (let at = 0; at < 5; at++) {
      const page = `${step} ${at}`.padEnd(20e3, 'x')
      kept.push(page.slice(0, 40)) // slices
    }
  },
  events: () => subscribe(),
  child: step => {
    const user = { id: step, roles: record(step) }
    loggers[step] = logger.child({ user }) // child
  },
  worker: () => {},
  workers: step => step % 8 === 0 && new Worker('setInterval(() => {}, 1e3)', { eval: true }).unref(), // workers
  lru: step => {
    map.set(step, record(step))
    if (map.size > 40) map.delete(map.keys().next().value)
  },
  expiring: step => {
    map.set(step, record(step))
    setTimeout(() => map.delete(step), 40 * STEP_MS)
  },
  scoped: step => storage.run({ rows: record(step) }, async () => {
    await sleep(5)
    emitter.on('done', scopedListener)
    emitter.off('done', scopedListener)
  }),
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
  compiled: step => {
    record(step)
    if (step < 200) kept.push(new Function('a', `return a + ${step} // ${'x'.repeat(500)}`)) // eslint-disable-line no-new-func
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
  const collections = new Collections()
  collections.start()
  const heap = new HeapWatching({ nodeFlags: [], ask: async () => [], collections, state, isOwn: worker => worker === own.observer })
  heap.start()
  const observer = own.observer = new Worker(require.resolve('./watch-thread'), { workerData: { state: state.buffer, scale: SCALE } })
  const buffers = new BufferSites({ context: { current: () => undefined }, notes: { onAnswer: null } })
  const answers = { memoryOwners: () => heap.owners(), armBuffers: ({ seconds }) => buffers.arm(seconds), buffers: ({ boundaries }) => buffers.read(boundaries) }
  observer.on('message', async ({ id, what, about }) => { if (what) observer.postMessage({ id, answer: await answers[what](about) }) })
  if (WORKERS[mode] !== undefined) kept.push(new Worker(WORKERS[mode], { eval: true, name: 'resize' }))
  if (mode === 'events') await once(events.listen(0, '127.0.0.1'), 'listening')
  if (['uploads', 'chunks', 'sockets'].includes(mode)) await once(uploads.listen(0, '127.0.0.1'), 'listening')
  const ticks = setInterval(() => heap.note(), 20)
  for (let step = 0; step < MINUTES * 60_000 / SCALE / STEP_MS; step++) {
    await MODES[mode](step)
    if (step % 4 === 0) globalThis.gc?.()
    await sleep(STEP_MS)
  }
  clearInterval(ticks)
  const found = new Promise(resolve => { observer.on('message', message => { if (message.growing) resolve(message) }) })
  observer.postMessage({ end: true })
  const { growing, counts, sites } = await found
  console.log(JSON.stringify({ growing, counts, sites, kept: [kept.length, map.size, pool.length, emitter.listenerCount('change')] }))
  process.exit()
}

main()
