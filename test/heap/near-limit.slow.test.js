'use strict'

// Processes that die of a full heap, and what is left of them.

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { isHeapProfile } = require('../../lib/formats/profile/heap-tree')
const { verifySnapshot } = require('../../lib/observer/heap/redaction/verify')
const { filesIn, makeScratch } = require('../store/scratch')

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

/** The same, after its observer thread was lost and another one has taken its place. */
const LOSE_AND_LEAK = `
process.once('worker', worker => {
  worker.once('message', () => worker.terminate())
  process.once('worker', another => { another.once('message', leak) })
})
const { createDiagnostics } = require(${JSON.stringify(LIB)})
createDiagnostics({ dir: process.argv[1], onNearHeapLimit: process.argv[2], controlSocket: false, recorder: false, retention: { minFreeBytes: 0 } }).start()
function leak () {
  const kept = []
  function leakOrders () { for (let at = 0; at < 500; at++) kept.push({ at, lines: new Array(50).fill(at) }) }
  setTimeout(() => setInterval(leakOrders, 5), 1000)
}
setInterval(() => {}, 1000)
`

const ADOPT = `
const { createDiagnostics } = require(${JSON.stringify(LIB)})
const fs = require('node:fs')
const tell = told => { console.log(JSON.stringify(told)); process.exit() }
const logger = { info () {}, error () {}, warn: (fields, message) => { if (fields.leftover) tell({ message }) } }
const options = JSON.parse(process.argv[2])
createDiagnostics({ ...options, logger }).start()
const isMarked = () => fs.readdirSync(options.dir, { recursive: true }).some(name => name.endsWith('near-limit-' + process.pid + '.mark'))
// It marks itself when it is through with what others left.
setInterval(() => { if (options.appName && isMarked()) tell(null) }, 20)
`

async function die (folder, mode, script = LEAK) {
  const store = path.join(folder, 'store')
  const child = spawn(process.execPath, ['--max-old-space-size=40', '-e', script, store, mode, SECRET], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => { errors += text })
  child.stdout.resume()
  const [code, signal] = await once(child, 'close')
  assert.ok(code !== 0 || signal !== null)
  assert.match(errors, /heap out of memory/)
  return { store, errors }
}

function folderOf (t) {
  const folder = makeScratch(t)
  return folder
}

const files = (folder, kind) => filesIn(folder).filter(file => file.endsWith(`.${kind}`))

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

test('so does one of a process whose observer was lost and started again', async t => {
  const { store } = await die(folderOf(t), 'profile', LOSE_AND_LEAK)
  const profiles = files(store, 'heapprofile')
  assert.ok(profiles.length >= 1)
  for (const file of profiles) assertNamesTheLeak(file)
})

test('by choice a heap snapshot, which the next process takes in, redacted', async t => {
  const folder = folderOf(t)
  await die(folder, 'snapshot')
  const [left] = files(folder, 'heapsnapshot')
  assert.equal(fs.statSync(left).mode & 0o077, 0)
  const isWhole = await verifySnapshot(left).then(() => true, () => false)
  assert.ok(fs.readFileSync(left).includes(SECRET))
  assert.deepEqual(await adoptAs('another', folder), null, 'only the same application takes it in')
  const { message } = await adoptAs(undefined, folder)
  if (!isWhole) return assert.match(message, /cannot be read/)
  const [kept] = files(path.join(folder, 'store'), 'heapsnapshot')
  assert.ok((await verifySnapshot(kept)).nodes > 1000)
  assert.equal(fs.readFileSync(kept).includes(SECRET), false)
  assert.deepEqual([fs.statSync(kept).mode & 0o777, fs.existsSync(left)], [0o600, false])
})

/** The next process there: what it says of what was left, null when it says nothing until it is ready to die itself. */
async function adoptAs (appName, folder) {
  const options = { appName, dir: path.join(folder, 'store'), onNearHeapLimit: 'snapshot', controlSocket: false, recorder: false, retention: { minFreeBytes: 0 } }
  const child = spawn(process.execPath, ['-e', ADOPT, options.dir, JSON.stringify(options)], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', text => { told += text })
  await once(child, 'close')
  return JSON.parse(told)
}

test('of a dead process only what it wrote as it died is adopted, and nothing of one that is alive or has no loopscope', async t => {
  const { adoptOrphans } = require('../../lib/observer/heap/snapshot/orphaned-snapshots')
  const { mark, unmark } = require('../../lib/shared/heap/near-limit-mark')
  const { createStore } = require('../../lib/observer/store/store')
  const folder = folderOf(t)
  const dir = path.join(folder, 'store')
  const store = createStore({ dir, retention: { maxCount: 10, maxBytes: 1e9, maxAgeMs: 1e9, minFreeBytes: 0 } })
  store.prepare()
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'close')
  const profile = JSON.stringify({ head: { callFrame: { functionName: '(root)', scriptId: '0', url: '', lineNumber: 0, columnNumber: 0 }, selfSize: 0, id: 1, children: [] }, samples: [] })
  const write = (pid, number, text = profile, ageMs = 0) => {
    const file = path.join(folder, `Heap.20260101.120000.${pid}.0.00${number}.heapprofile`)
    fs.writeFileSync(file, text)
    fs.utimesSync(file, new Date(), new Date(Date.now() - ageMs))
    return file
  }
  const [last, broken, own, alive] = [write(dead.pid, 1), write(dead.pid, 2, '{"head":'), write(dead.pid, 3, profile, 60_000), write(process.pid, 1)]
  fs.symlinkSync(__filename, path.join(folder, `Heap.20260101.120000.${dead.pid}.0.004.heapprofile`))
  const adopt = () => adoptOrphans(dir, { store, appName: 'test' })
  assert.deepEqual(await adopt(), [], 'without a mark nothing is ours')
  fs.writeFileSync(path.join(dir, `near-limit-${dead.pid}.mark`), folder)
  mark(dir, folder)
  const adopted = (await adopt()).sort((a, b) => a.file < b.file ? -1 : 1)
  assert.deepEqual(adopted.map(({ file }) => file), [last, broken])
  assert.ok(fs.existsSync(adopted[0].path) && adopted[1].problem !== undefined)
  assert.deepEqual([last, broken, own, alive].map(file => fs.existsSync(file)), [false, true, true, true], 'what cannot be read is not lost')
  assert.deepEqual(await adopt(), [])
  unmark(dir)
  assert.deepEqual(fs.readdirSync(dir).filter(name => name.endsWith('.mark')), [])
})

test('flags of Node.js set where, and how large the old generation may be', () => {
  const { oldLimitBytes } = require('../../lib/probe/heap/near-limit')
  const MIB = 1024 ** 2
  assert.equal(oldLimitBytes(500 * MIB, ['--max-old-space-size=300', '--max_old_space_size=400']), 400 * MIB)
  assert.equal(oldLimitBytes(4000 * MIB, ['--trace-gc']), 3808 * MIB)
  assert.equal(oldLimitBytes(100 * MIB, []), 20 * MIB)
})
