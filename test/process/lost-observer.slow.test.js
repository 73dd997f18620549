'use strict'

// The observer thread ends in the middle of its work, and an internal error occurs on the main thread.

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const test = require('node:test')
const { drive } = require('./child')

const BIN = path.resolve(__dirname, '../../bin/loopscope.js')

/** Run in the application: started anew, so that its thread is known. */
async function startAnew ({ handle, ready }) {
  await handle.close()
  process.on('worker', worker => { globalThis.observer = worker })
  handle.start()
  await ready()
}

/** Run in the application: what waits for the observer when it ends, and the start of the next one. */
async function crash ({ handle }) {
  const waiting = handle.capture('cpu', { seconds: 300 }).catch(({ code }) => code)
  const startedAgain = new Promise(resolve => process.once('worker', resolve))
  await globalThis.observer.terminate()
  const code = await waiting
  await startedAgain
  return code
}

/** Run in the application: everything that needs the observer. */
async function useAll ({ handle, ready, require }) {
  await ready()
  await require('../../clock/kept').untilKept(handle.clock) // which may stall, too
  const stalled = new Promise(resolve => handle.on('stall', stall => { if (stall.durationMs >= 250) resolve(stall) }))
  const until = performance.now() + 300
  while (performance.now() < until);
  const { id, evidence } = await stalled
  const metrics = await handle.registry.metrics()
  const valueOf = name => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)[1])
  return {
    id,
    isExplained: evidence.cpuMs !== null, // by the thread: without it nothing is known
    restarts: valueOf('loopscope_observer_restarts_total'),
    activeSeconds: valueOf('loopscope_overhead_seconds_total\\{component="observer"\\}')
  }
}

async function runCommand (...args) {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', more => { text += more })
  const [code] = await once(child, 'close')
  return { code, text }
}

async function readStalls (address) {
  const { origin, hash } = new URL(address)
  const response = await fetch(`${origin}/stalls`, { headers: { Authorization: `Bearer ${hash.slice('#token='.length)}` } })
  assert.equal(response.status, 200)
  return (await response.json()).stalls.map(({ id }) => id)
}

test('an observer that is lost is started again, twice, and then everything is there again', async t => {
  const app = await drive(t, { options: { admin: { listen: 0 } } })
  await app.run(startAnew)
  const { url } = app.said(/^diagnostics at/).at(-1)
  let before = await app.run(useAll)
  assert.equal(before.restarts, 0)
  for (const restarts of [1, 2]) {
    assert.equal(await app.run(crash), 'ERR_LOOPSCOPE_OBSERVER_LOST')
    const after = await app.run(useAll)
    assert.deepEqual([after.restarts, after.isExplained], [restarts, true])
    assert.ok(after.activeSeconds >= before.activeSeconds)
    // The address is that of before, and so are the numbers of stalls; what the lost thread had kept and counted is gone with it.
    const ids = await readStalls(url)
    assert.ok(ids.includes(after.id) && after.id > before.id)
    before = after
    const { code, text } = await runCommand('stalls', String(app.child.pid))
    assert.equal(code, 0)
    assert.match(text, /\d ms/)
  }
  assert.deepEqual(app.lines().flatMap(({ code }) => code ?? []), ['LOOPSCOPE_WARN_OBSERVER_LOST'])
  await app.run(({ handle }) => handle.close())
})

/** Run in the application: another handle is started, and its clock used, while the next observer is not ready yet. */
async function startWhileRestarted ({ createDiagnostics, handle, ready, require }) {
  const asked = []
  const second = createDiagnostics({ admin: { listen: 0 } })
  const startedAgain = new Promise(resolve => process.once('worker', worker => {
    const post = worker.postMessage
    worker.postMessage = frame => {
      if (frame.params?.renewal !== null) asked.push(JSON.stringify([frame.name, frame.params?.clock ?? frame.params?.application?.id]))
      return post.call(worker, frame)
    }
    second.start()
    resolve(second.clock)
  }))
  await globalThis.observer.terminate()
  const clock = await startedAgain
  await ready()
  await require('../../clock/kept').untilKept(clock)
  await second.close()
  await handle.close()
  return asked.filter(question => /openApplication|renewClock/.test(question))
}

test('a question to an observer that is being restarted is sent once', async t => {
  const app = await drive(t)
  await app.run(startAnew)
  const asked = await app.run(startWhileRestarted)
  assert.equal(asked.length, 3)
  assert.equal(new Set(asked).size, 3)
})

test('an observer that is lost just before close() stays away', async t => {
  const app = await drive(t)
  await app.run(startAnew)
  await app.run(async ({ handle }) => {
    const gone = new Promise(resolve => globalThis.observer.once('exit', resolve))
    globalThis.observer.terminate()
    await gone
    await handle.close()
    await handle.close()
  })
  assert.equal(await app.run(() => process.report.getReport().workers.length), 0)
})

test('an internal error where a stall is reported does not affect the application, and is logged', async t => {
  const app = await drive(t)
  await app.run(async ({ ready }) => {
    await ready()
    globalThis[Symbol.for('loopscope.instruments.9')].value.stalls.subscribers.tell = () => { throw new Error('a fault of the test') }
    const until = performance.now() + 300
    while (performance.now() < until);
  })
  const { code, msg } = await app.until(/a fault of the test/)
  assert.deepEqual([code, msg.includes('the application is not affected')], ['LOOPSCOPE_WARN_INTERNAL', true])
  assert.equal(await app.run(({ handle }) => handle.running), true)
})
