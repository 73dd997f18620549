'use strict'

// Processes that die of a full heap, and what is left of them.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const { createDiagnostics } = require('../..')
const { isHeapProfile } = require('../../lib/formats/heap-profile-diff')
const { verifySnapshot } = require('../../lib/heap/verify')
const { newFolder } = require('./snapshots')

const LIB = path.resolve(__dirname, '../..')
const SECRET = ['hunter2', 'correct horse'].join(' ')

/** Leaks until it dies: a megabyte every few milliseconds. */
const LEAK = `
const { createDiagnostics } = require(${JSON.stringify(LIB)})
createDiagnostics({ dir: process.argv[1], onNearHeapLimit: process.argv[2], controlSocket: false, recorder: false, retention: { minFreeBytes: 0 } }).start()
const kept = [{ password: process.argv[3] }]
function leakOrders () { for (let at = 0; at < 500; at++) kept.push({ at, lines: new Array(50).fill(at) }) }
setTimeout(() => setInterval(leakOrders, 5), 1000)
`

async function die (folder, mode) {
  const store = path.join(folder, 'store')
  const child = spawn(process.execPath, ['--max-old-space-size=40', '-e', LEAK, store, mode, SECRET], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => { errors += text })
  child.stdout.resume()
  const [code, signal] = await once(child, 'close')
  assert.ok(code !== 0 || signal !== null)
  assert.match(errors, /heap out of memory/)
  return { store, errors }
}

function folderOf (t) {
  const folder = newFolder()
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

const files = (folder, kind) => fs.readdirSync(folder).filter(name => name.endsWith(`.${kind}`)).map(name => path.join(folder, name))

function assertNamesTheLeak (file) {
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  const text = fs.readFileSync(file, 'utf8')
  assert.ok(isHeapProfile(JSON.parse(text)) && text.includes('"leakOrders"'))
}

test('a heap profile of the process that died names the function that leaked', async t => {
  const { store, errors } = await die(folderOf(t), 'profile')
  const profiles = files(store, 'heapprofile')
  assert.ok(profiles.length >= 1, errors.slice(0, 2000))
  for (const file of profiles) assertNamesTheLeak(file)
  assert.match(errors, /the heap is near its limit: .+\.heapprofile says what fills it/)
})

test('by choice a heap snapshot, which the next process takes in, redacted', async t => {
  const folder = folderOf(t)
  await die(folder, 'snapshot')
  const [left] = files(folder, 'heapsnapshot')
  assert.equal(fs.statSync(left).mode & 0o077, 0)
  const isWhole = await verifySnapshot(left).then(() => true, () => false)
  assert.ok(fs.readFileSync(left).includes(SECRET))
  const logged = []
  const logger = { info () {}, warn: (fields, message) => logged.push({ ...fields, message }), error () {} }
  const handle = await inFolder(folder, () => createDiagnostics({ dir: path.join(folder, 'store'), onNearHeapLimit: 'snapshot', controlSocket: false, recorder: false, logger, retention: { minFreeBytes: 0 } }).start())
  t.after(() => handle.close())
  while (!logged.some(({ leftover }) => leftover)) await new Promise(resolve => setTimeout(resolve, 20))
  if (!isWhole) return assert.match(logged.find(({ leftover }) => leftover).message, /cannot be read/)
  const [kept] = files(path.join(folder, 'store'), 'heapsnapshot')
  assert.ok((await verifySnapshot(kept)).nodes > 1000)
  assert.equal(fs.readFileSync(kept).includes(SECRET), false)
  assert.deepEqual([fs.statSync(kept).mode & 0o777, fs.existsSync(left)], [0o600, false])
})

async function inFolder (folder, work) {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await work()
  } finally {
    process.chdir(before)
  }
}

test('what V8 itself left of a dead process is taken in; what is alive, or not ours, stays', async t => {
  const { adoptLeftovers } = require('../../lib/heap/leftovers')
  const { createStore } = require('../../lib/store/store')
  const folder = folderOf(t)
  const store = createStore({ dir: path.join(folder, 'store'), retention: { maxCount: 10, maxBytes: 1e9, maxAgeMs: 1e9, minFreeBytes: 0 } })
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'close')
  const write = (pid, text) => {
    const file = path.join(folder, `Heap.20260101.120000.${pid}.0.001.heapprofile`)
    fs.writeFileSync(file, text)
    return file
  }
  const profile = { head: { callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: 0, columnNumber: 0 }, selfSize: 0, id: 1, children: [] }, samples: [] }
  const [ofDead, ofAlive] = [write(dead.pid, JSON.stringify(profile)), write(process.pid, JSON.stringify(profile))]
  fs.symlinkSync(__filename, path.join(folder, 'Heap.20260101.120000.1.0.002.heapprofile'))
  fs.writeFileSync(path.join(folder, 'Heap.mine.heapprofile'), '')
  const [adopted] = await adoptLeftovers(folder, { store, appName: 'test' })
  assert.deepEqual([adopted.file, fs.existsSync(ofDead), fs.existsSync(ofAlive), fs.existsSync(adopted.path)], [ofDead, false, true, true])
  const broken = write(dead.pid, '{"head":')
  const [refused] = await adoptLeftovers(folder, { store, appName: 'test' })
  assert.ok(refused.problem !== undefined && fs.existsSync(broken), 'a file that cannot be read is not lost')
  assert.equal(typeof v8.setHeapSnapshotNearHeapLimit, 'function')
})
