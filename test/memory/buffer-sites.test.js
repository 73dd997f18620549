'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const http = require('node:http')
const { once } = require('node:events')
const { Readable } = require('node:stream')
const test = require('node:test')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const zlib = require('node:zlib')
const { BufferSites } = require('../../lib/probe/buffers/buffer-sites')
const { listen } = require('../http/listening')

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')
const turn = () => new Promise(resolve => setImmediate(resolve))

/** @param {import('node:test').TestContext} t */
function armed (t) {
  const sites = new BufferSites({ context: { current: () => undefined }, notes: { onAnswer: null } })
  t.after(() => sites.stop())
  sites.arm(60)
  return sites
}

/** @param {BufferSites} sites */
async function read (sites) {
  await turn()
  gc()
  await turn()
  return sites.read([])
}

const WRAPPED = () => [Buffer.alloc, Buffer.allocUnsafe, Buffer.from, Buffer.concat, Readable.prototype.push, Readable.prototype.on]

test('nothing is wrapped before it is armed, nor afterwards', t => {
  const before = WRAPPED()
  const sites = armed(t)
  assert.notDeepEqual(WRAPPED(), before)
  assert.deepEqual(WRAPPED().map(({ name, length }) => [name, length]), before.map(({ name, length }) => [name, length]))
  sites.stop()
  assert.deepEqual(WRAPPED(), before)
})

test('what is alive counts at its line, what was collected does not', async t => {
  const sites = armed(t)
  const kept = []
  for (let at = 0; at < 100; at++) {
    kept.push(Buffer.alloc(1e6))
    Buffer.allocUnsafe(1e6)
  }
  const { sites: [first], aliveBytes } = await read(sites)
  assert.deepEqual([first.api, first.frames[0].file], ['Buffer', __filename])
  const line = fs.readFileSync(__filename, 'utf8').split('\n').findIndex(text => text.includes('kept.push(Buffer.alloc(1e6))')) + 1
  assert.equal(first.frames[0].line, line)
  assert.ok(Math.abs(first.bytes / 1e6 - kept.length) < 10, `${first.bytes}`)
  assert.ok(aliveBytes < first.bytes * 1.05, `${aliveBytes}`)
})

test('Buffers that Node.js creates count at the line of the application, with what created them', async t => {
  const sites = armed(t)
  const kept = []
  for (let at = 0; at < 30; at++) {
    kept.push(fs.readFileSync(process.argv[1]), Buffer.concat([Buffer.alloc(10), Buffer.alloc(2e5)]))
    kept.push(zlib.createGzip({ chunkSize: 2e5 }))
  }
  const found = (await read(sites)).sites.map(({ api, frames }) => [api, frames[0]?.file])
  assert.deepEqual(new Map(found).get('zlib'), __filename)
  assert.deepEqual(new Map(found).get('Buffer'), __filename)
  assert.ok(kept.length > 0)
})

test('received data counts at the line that reads it', async t => {
  const sites = armed(t)
  const kept = []
  const server = http.createServer((request, response) => {
    request.on('data', chunk => kept.push(chunk)) // reads
    request.on('end', () => response.end())
  })
  const port = await listen(t, server)
  const body = new Uint8Array(1e6)
  for (let at = 0; at < 10; at++) {
    const request = http.request({ port, host: '127.0.0.1', method: 'POST' }).end(body)
    const [response] = await once(request, 'response')
    await once(response.resume(), 'end')
  }
  const received = (await read(sites)).sites.filter(({ isReceived }) => isReceived)
  const line = fs.readFileSync(__filename, 'utf8').split('\n').findIndex(text => text.endsWith('// reads')) + 1
  assert.equal(received[0]?.frames[0]?.line, line, JSON.stringify(received))
  assert.ok(received[0].bytes > 5e6 && kept.length > 0, `${received[0].bytes}`)
})

test('an error keeps its stack, and a fault of the sampling does not reach the caller', t => {
  armed(t)
  assert.throws(() => Buffer.alloc(-1), error => error instanceof RangeError && !String(error.stack).includes('sync-calls'))
  assert.throws(() => Buffer.from(/** @type {any} */ (null)), TypeError)
})

test('it is bounded, however much is kept', async t => {
  const sites = armed(t)
  const kept = []
  for (let at = 0; at < 20_000; at++) kept.push(Buffer.allocUnsafeSlow(150e3))
  const { sites: [first] } = await read(sites)
  assert.ok(Math.abs(first.bytes / (kept.length * 150e3) - 1) < 0.3, `${first.bytes}`)
  assert.ok(first.samples <= 8000, `${first.samples}`)
})
