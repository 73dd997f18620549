'use strict'

// What an application waits for where it makes the promise by itself: the callback of Node.js that settles it.

const test = require('node:test')
const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const dns = require('node:dns')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const zlib = require('node:zlib')
const { execFile, spawn } = require('node:child_process')
const { EventEmitter, once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { readSettled } = require('../../lib/observer/waits/await-stacks')
const { createSampling } = require('./sampling')
const { startUpstream } = require('./upstream')

/**
 * @param {import('node:test').TestContext} t
 * @param {(resolve: (value?: unknown) => void) => void} begin
 * @returns {Promise<(string | undefined)[]>} of each wait of a request that awaits it
 */
async function kindsOf (t, begin) {
  const { sampler, serve } = createSampling(t)
  sampler.ask(60)
  await serve(() => new Promise(begin))
  const { stacks, samples: [{ waits }] } = sampler.take()
  const read = { appRoot: __dirname, toOriginal: frames => frames }
  return waits.filter(([, , , , , settled]) => settled !== -1).map(([, , , , , settled]) => readSettled(JSON.parse(stacks[settled]), read, false)?.kind)
}

test('the kind of the callback is seen, of functions and of events', async t => {
  const upstream = await startUpstream(t)
  const worker = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.on("message", () => parentPort.postMessage(1))', { eval: true })
  t.after(() => worker.terminate())
  await once(worker, 'online')
  const cases = {
    timer: [resolve => setTimeout(resolve, 5), resolve => { const timer = setInterval(() => { clearInterval(timer); resolve() }, 5) }],
    worker: [resolve => { worker.once('message', resolve); worker.postMessage(1) }],
    process: [resolve => spawn(process.execPath, ['--version']).on('exit', resolve), resolve => execFile(process.execPath, ['--version'], resolve)],
    dns: [resolve => dns.lookup('localhost', () => resolve())],
    file: [resolve => fs.readFile(__filename, resolve), resolve => fs.stat(__filename, () => resolve())],
    crypto: [resolve => crypto.pbkdf2('a', 'b', 1, 8, 'sha1', () => resolve())],
    zlib: [resolve => zlib.gzip('text', resolve)],
    connect: [resolve => { const socket = net.connect(upstream.port, '127.0.0.1', () => { socket.destroy(); resolve() }) }],
    http: [resolve => http.get(upstream.url('/5/late'), response => { response.resume(); resolve() })],
    stream: [resolve => http.get(upstream.url('/5/late'), response => response.resume().on('end', resolve)), resolve => fs.createReadStream(__filename).resume().on('end', resolve)]
  }
  for (const [kind, ways] of Object.entries(cases)) {
    for (const begin of ways) assert.ok((await kindsOf(t, begin)).includes(kind), `${kind}: ${begin}: ${await kindsOf(t, begin)}`)
  }
})

test('what other code of the application settles is none of them', async t => {
  let release
  const kinds = await kindsOf(t, resolve => {
    release = resolve
    setImmediate(() => release())
  })
  assert.deepEqual(kinds.filter(kind => kind !== undefined), [])
})

test('an event that the application emits in a callback is that callback', async t => {
  const emitter = new EventEmitter()
  const kinds = await kindsOf(t, resolve => {
    emitter.once('written', resolve)
    setTimeout(() => emitter.emit('written'), 5)
  })
  assert.ok(kinds.includes('timer'), `${kinds}`)
})

test('a callback of a package is named by the package, but for locks and the server', () => {
  const frame = (file, name = '') => [name, file, 1, 1, 1, 1]
  const app = frame(path.join(__dirname, 'app.js'))
  const of = name => frame(path.join(__dirname, 'node_modules', name, 'index.js'))
  const resolve = ['resolve', '', 0, 0, 0, 0]
  const [emit, socket, server] = ['node:events', 'node:internal/streams/readable', 'node:_http_server'].map(file => frame(file))
  const read = { appRoot: __dirname, toOriginal: frames => frames }
  const kindOf = (...frames) => readSettled([resolve, ...frames], read, false)?.kind
  assert.equal(kindOf(app, emit, of('ws'), emit, socket), 'ws')
  assert.equal(kindOf(of('ws'), emit, socket), 'ws')
  assert.equal(kindOf(frame('node:internal/util'), of('ws'), socket), 'ws')
  const queue = frame('node:internal/process/task_queues')
  assert.equal(kindOf(app, of('@grpc/grpc-js'), of('@grpc/grpc-js'), queue), '@grpc/grpc-js', 'in a tick of its own')
  assert.equal(kindOf(app, of('some'), app, queue), undefined)
  assert.equal(kindOf(of('async-mutex'), queue), undefined)
  assert.equal(kindOf(queue), undefined)
  assert.equal(kindOf(app, queue), undefined)
  assert.equal(kindOf(app, of('ws'), app, of('other'), socket), undefined)
  assert.equal(kindOf(app, of('express'), server), undefined)
  assert.equal(kindOf(of('async-mutex'), app, socket), undefined)
  assert.equal(kindOf(of('async-mutex'), socket), undefined)
})
