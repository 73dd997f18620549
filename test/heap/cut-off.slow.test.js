'use strict'

// Real processes that end, or lose their store, while a heap snapshot of them is being redacted.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { createStore } = require('../../lib/observer/store/store')
const { drive } = require('../process/child')
const { filesIn } = require('../store/scratch')

const SECRET = ['hunter2', 'planted', 'at run time'].join('/')
const NO_PROC = !fs.existsSync('/proc/self/fd') && 'a file without a name cannot be reached here'
const options = { recorder: false, controlSocket: false, retention: { minFreeBytes: 0 } }

/**
 * In the process: takes snapshots of a heap with secrets until one was seen under way, with so much in the file that is kept.
 * Then it ends, or loses its store; in that case it tells what came of that one, and of the next.
 */
async function snapshotThen ({ handle, require }, { dir, redact, secret, minBytes, then }) {
  const fs = require('node:fs')
  const kept = globalThis.kept = Array.from({ length: 100_000 }, (_, at) => ({ at: `${secret[0]}${secret.slice(1)} ${at}` }))
  const take = () => handle.capture('heap-snapshot', { redact, force: true }).then(({ path }) => ({ path }), ({ code, message }) => ({ code, message }))
  const isUnderWay = () => fs.existsSync(dir) && fs.readdirSync(dir, { recursive: true }).some(name => {
    return /\.heapsnapshot\.\d+\.partial$/.test(name) && fs.statSync(`${dir}/${name}`, { throwIfNoEntry: false })?.size >= minBytes
  })
  const seen = []
  const timer = setInterval(() => {
    if (!isUnderWay()) return
    seen.push(then)
    clearInterval(timer)
    if (then === 'exit') process.exit(3)
    if (then === 'throw') throw new Error('nobody catches it')
    if (then === 'remove') return fs.rmSync(dir, { recursive: true })
    process.kill(process.pid, then)
  }, 1)
  let taken
  do taken = await take(); while (seen.length === 0)
  return { taken, next: await take(), count: kept.length }
}

const holdsSecret = file => fs.readFileSync(file).includes(SECRET)

async function end (t, settings) {
  const app = await drive(t, { options })
  await assert.rejects(app.run(snapshotThen, { dir: app.dir, secret: SECRET, minBytes: 1, ...settings }), /ended/)
  return { app, ...await app.ended }
}

const WAYS = [{ then: 'exit', code: 3 }, { then: 'SIGTERM', signal: 'SIGTERM' }, { then: 'throw', code: 1 }]

for (const { then, code = null, signal = null } of WAYS) {
  test(`a process that ends in the middle of redaction by ${then} leaves nothing unredacted`, { skip: then === 'SIGTERM' && NO_PROC }, async t => {
    const ended = await end(t, { redact: 'values', then })
    assert.deepEqual([ended.code, ended.signal], [code, signal])
    assert.deepEqual(filesIn(ended.app.dir).filter(holdsSecret), [])
  })
}

test('one that is killed leaves half of a redacted file, which the next process removes, whatever it runs', { skip: NO_PROC }, async t => {
  const { app: { dir }, signal } = await end(t, { redact: 'values', then: 'SIGKILL' })
  assert.equal(signal, 'SIGKILL')
  assert.deepEqual(filesIn(dir).filter(holdsSecret), [])
  createStore({ dir, application: { appName: 'another', appRoot: '/srv/another' } }).prepare()
  assert.deepEqual(filesIn(dir).filter(file => file.endsWith('.partial')), [])
})

test('a file that is to be kept as it is has a name, and goes with a process that ends before it is verified', async t => {
  for (const then of ['exit', 'throw']) {
    const { app } = await end(t, { redact: 'off', then })
    assert.deepEqual(filesIn(app.dir).filter(file => file.endsWith('.partial') && holdsSecret(file)), [])
  }
})

for (const redact of ['values', 'off']) {
  test(`a store that is removed in the middle is named, and the next capture works (redact ${redact})`, async t => {
    const app = await drive(t, { options })
    const { taken: { code, message }, next } = await app.run(snapshotThen, { dir: app.dir, secret: SECRET, redact, minBytes: 1, then: 'remove' })
    assert.equal(code, 'ERR_LOOPSCOPE_STORE_UNWRITABLE')
    assert.ok(message.includes(app.dir), message)
    assert.ok(fs.existsSync(next.path))
  })
}
