'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { pbkdf2Sync } = require('node:crypto')
const { console: profiler } = require('node:inspector')
const { Session } = require('node:inspector/promises')
const path = require('node:path')
const vm = require('node:vm')
const { Worker } = require('node:worker_threads')
const { readHandlers } = require('../../lib/observer/recorder/inspector-session')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')

const PREFIX = 'session-test:'
const PATIENCE_MS = 20_000
const CUT = Symbol.for('loopscope.session-test')

/** A thread with an open session, and everything that it told. */
async function createSubject (t, settings) {
  const worker = new Worker(path.join(__dirname, 'session-thread.js'), {
    workerData: { titlePrefix: PREFIX, interruptExpression: 'globalThis[Symbol.for("loopscope.session-test")]', ...settings }
  })
  const subject = { told: [], windows: () => subject.told.filter(({ type }) => type === 'window').map(({ window }) => window) }
  let check = () => {}
  worker.on('message', message => {
    subject.told.push(message)
    check()
  })
  subject.until = isTrue => new Promise(resolve => {
    check = () => { if (isTrue()) resolve() }
    check()
  })
  subject.ask = async (type, options) => {
    const before = subject.told.length
    worker.postMessage({ type, ...options })
    const isAnswer = message => message.type !== 'window'
    await subject.until(() => subject.told.slice(before).some(isAnswer))
    return subject.told.slice(before).find(isAnswer)
  }
  t.after(async () => {
    await subject.ask('close')
    await worker.terminate()
    delete globalThis[CUT]
  })
  await subject.ask('open')
  return subject
}

test('it receives the windows of this process, and no one else\'s', async t => {
  const { until, windows } = await createSubject(t)
  for (const title of ['other:1', `${PREFIX}1`]) profiler.profile(title)
  for (const title of ['other:1', `${PREFIX}1`]) profiler.profileEnd(title)
  await until(() => windows().length > 0)
  assertCpuProfile(windows()[0])
  assert.equal(windows().length, 1)
})

test('an interrupt runs on the main thread and hands back what it found', async t => {
  const { ask } = await createSubject(t)
  const calls = []
  globalThis[CUT] = rotate => {
    calls.push(rotate)
    return { route: 'GET /' }
  }
  assert.deepEqual(await ask('interrupt', { rotate: true }), { type: 'reply', value: { route: 'GET /' } })
  await ask('interrupt', { rotate: false })
  assert.deepEqual(calls, [true, false])
})

test('an interrupt ends a window in the middle of what the main thread does', async t => {
  const { ask, until, windows } = await createSubject(t)
  profiler.profile(`${PREFIX}1`)
  const seen = { interrupts: 0 }
  globalThis[CUT] = () => {
    if (seen.interrupts++ === 0) profiler.profileEnd(`${PREFIX}1`)
  }
  let answer
  const stuckHere = () => {
    pbkdf2Sync('password', 'salt', 200_000, 32, 'sha256') // a sampler that was just started needs some time
    answer = ask('interrupt', { rotate: true })
    const deadline = performance.now() + PATIENCE_MS
    while (seen.interrupts === 0 && performance.now() < deadline);
  }
  stuckHere()
  assert.equal(seen.interrupts, 1) // the loop has not turned since it was asked
  await answer
  await until(() => windows().length === 1)
  assert.ok(windows()[0].nodes.some(({ callFrame }) => callFrame.functionName === 'stuckHere'))
})

test('an interrupt that throws, and one after close(), find nothing', async t => {
  const { ask } = await createSubject(t)
  globalThis[CUT] = () => { throw new Error('no') }
  assert.equal((await ask('interrupt', { rotate: true })).value?.route, undefined)
  await ask('close')
  assert.deepEqual(await ask('interrupt', { rotate: true }), { type: 'reply', value: undefined })
})

/** @param {unknown[]} handlers  as the main thread returns them: a route, its functions, another route … */
async function readFrom (t, handlers) {
  const session = new Session()
  session.connect()
  const key = Symbol.for('loopscope.test.handlers')
  globalThis[key] = handlers
  t.after(() => {
    session.disconnect()
    delete globalThis[key]
  })
  return readHandlers((method, params) => session.post(method, params), 'globalThis[Symbol.for("loopscope.test.handlers")]')
}

test('handlers are found where they are written, also bound ones, as those of Fastify', async t => {
  async function list () { return this.rows }
  const [bound, plain, ...others] = await readFrom(t, ['GET /list', list.bind({ rows: [] }), 'GET /all', list, Math.max])
  assert.deepEqual(bound, { ...plain, route: 'GET /list' })
  assert.deepEqual([plain.route, others], ['GET /all', []])
})

test('handlers end where their text does', async t => {
  const text = `[
    function named (q) { return 1 }, async q => q, (q, s) => {
      s.end()
    }, { async method (q) { } }.method, async function * () {}]`
  const found = await readFrom(t, ['GET /', ...vm.runInThisContext(text)])
  const lines = text.split('\n')
  const textOf = ({ lineNumber, columnNumber, endLine, endColumn }) => {
    const rows = lines.slice(lineNumber, endLine + 1)
    rows[rows.length - 1] = rows[rows.length - 1].slice(0, endColumn)
    return rows.join('\n').slice(columnNumber)
  }
  assert.deepEqual(found.map(textOf), ['(q) { return 1 }', 'async q => q', '(q, s) => {\n      s.end()\n    }', '(q) { }', '() {}'])
})
