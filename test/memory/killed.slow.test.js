'use strict'

// Processes whose memory fills until the kernel kills them, in a real memory group: the report is on disk and has arrived before.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const test = require('node:test')
const { gunzipSync } = require('node:zlib')
const { createMemoryGroup, joining } = require('../heap/snapshot-app')
const { filesIn, makeScratch } = require('../store/scratch')

const KILLS = 20
const AT_ONCE = 1 // it is about the kernel, not about a lack of CPU time
const APP = path.join(__dirname, 'leaking-app.js')

const trial = createMemoryGroup(64)
const skip = 'reason' in trial && trial.reason

test.before(() => trial.remove?.())

/** A receiver of egress that keeps everything. */
async function receive (t) {
  /** @type {Map<string, object>} */
  const bodies = new Map()
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.url.startsWith('/memory-report/')) bodies.set(path.basename(request.url), JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()))
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { bodies, url: `http://127.0.0.1:${server.address().port}/{kind}/{file}` }
}

async function dieOfMemory ({ dir, url, name, owner, megabytesPerSecond, megabytes = 256, heapMegabytes = 2000 }) {
  const group = createMemoryGroup(megabytes, name)
  const options = { dir, appName: 'shop', egress: { to: 'put', url, everySeconds: false, stallMs: 60_000 } }
  const [command, ...args] = joining(group.folder, [`--max-old-space-size=${heapMegabytes}`, APP, JSON.stringify(options), owner, String(megabytesPerSecond)])
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => { stderr += text })
  const [, signal] = await once(child, 'close')
  await group.remove()
  return { signal, stderr, pid: child.pid }
}

const reportsIn = dir => filesIn(dir).filter(file => /\/memory-report-[^/]+\.json$/.test(file))

test(`of ${KILLS} processes that the kernel kills, at 120 MB/s, all have left their report, and all have sent it`, { skip }, async t => {
  const { bodies, url } = await receive(t)
  const dir = makeScratch(t)
  const kills = Array.from({ length: KILLS }, (_, at) => at)
  const killed = []
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let at = kills.shift(); at !== undefined; at = kills.shift()) killed.push(await dieOfMemory({ dir, url, name: `-${at}`, owner: 'buffers', megabytesPerSecond: 120 }))
  }))
  assert.deepEqual(killed.map(({ signal }) => signal), Array(KILLS).fill('SIGKILL'), killed[0].stderr)
  const reports = reportsIn(dir).map(file => ({ name: path.basename(file), report: JSON.parse(fs.readFileSync(file, 'utf8')) }))
  assert.deepEqual(reports.map(({ report }) => report.pid).sort(), killed.map(({ pid }) => pid).sort(), 'one for each, on disk')
  assert.deepEqual([...bodies.keys()].sort(), reports.map(({ name }) => name).sort(), 'and at the receiver')
  for (const { name, report } of reports) {
    assert.deepEqual(bodies.get(name), report)
    assert.equal(report.limit.of, 'container')
    assert.ok(report.limit.usedBytes > report.limit.limitBytes * 0.7 && report.limit.usedBytes < report.limit.limitBytes)
    assert.ok(report.limit.bytesPerSecond > 20e6)
  }
  // A machine without CPU time may have figures of the main thread that are a second old.
  const fresh = reports.filter(({ report }) => report.at - report.measuredAt < 300)
  assert.ok(fresh.length >= KILLS / 2, `${fresh.length} have the owners of now`)
  for (const { report: { owners } } of fresh) assert.equal(owners.toSorted((left, right) => right.bytes - left.bytes)[0].owner, 'buffers', JSON.stringify(owners))
  const known = reports.filter(({ report }) => report.requests?.list[0]?.route === 'GET /upload').length
  assert.ok(known >= KILLS / 2, `${known} have the request in flight`)
})

test('a heap that fills before the container does leaves one too, with how full it was', { skip }, async t => {
  const { bodies, url } = await receive(t)
  const dir = makeScratch(t)
  const { stderr } = await dieOfMemory({ dir, url, name: '-heap', owner: 'heap', megabytesPerSecond: 60, megabytes: 2000, heapMegabytes: 150 })
  assert.match(stderr, /heap out of memory/)
  const [report] = reportsIn(dir).map(file => JSON.parse(fs.readFileSync(file, 'utf8')))
  assert.equal(report.limit.of, 'heap')
  const share = report.limit.usedBytes / report.limit.limitBytes
  assert.ok(share > 0.6 && share < 1, `written at ${share}: at 0.8, and up to 0.15 earlier where V8's limit is reached within 0.7 s`)
  assert.equal(bodies.size, 1)
})
