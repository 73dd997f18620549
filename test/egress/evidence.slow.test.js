'use strict'

// Processes that are killed or die, and what has arrived of them.

const test = require('node:test')
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { drive, start } = require('../process/child')
const { receive } = require('./receiver')

const SECRET = 'hunter2'

/** Options of an application that puts what it knows there. */
const to = (port, more = {}) => ({
  controlSocket: false,
  path: false,
  egress: { to: 'put', url: `http://user:${SECRET}@127.0.0.1:${port}/{kind}/{pid}/{file}?sig=${SECRET}`, headers: { 'x-token': SECRET }, ...more }
})

const ofKind = (receiver, kind) => receiver.taken.filter(({ url }) => url.startsWith(`/${kind}/`))

/** The names of the functions of a profile that was put. */
const functionsOf = ({ body }) => Profile.decode(gunzipSync(body)).stringTable.strings

/** Holds up the loop by one native call, which takes half a minute and more. */
function stallNatively ({ require }) {
  setTimeout(() => require('node:crypto').pbkdf2Sync('a', 'b', 2 ** 31 - 1, 64, 'sha512'), 10)
}

test('a process that is killed in the middle of a native stall has reported it', async t => {
  const receiver = await receive(t)
  const app = await drive(t, { options: to(receiver.port) })
  await app.run(({ ready }) => ready())
  await app.run(stallNatively)
  // On a busy machine the application may have had a stall before, which is over.
  const lasting = () => ofKind(receiver, 'stall').map(({ body }) => JSON.parse(body)).find(({ lasting }) => lasting)
  const holdsNative = () => ofKind(receiver, 'cpu').some(file => functionsOf(file).includes('(native call, or not run)'))
  await receiver.until(() => lasting() !== undefined && holdsNative())
  app.child.kill('SIGKILL')
  const { stdout, stderr } = await app.ended
  const report = lasting()
  assert.ok(report.durationMs >= 1000, String(report.durationMs))
  assert.equal(report.process.pid, String(app.child.pid))
  assert.ok(!(stdout + stderr).includes(SECRET))
})

test('a stall that begins before the observer is ready is reported', async t => {
  const receiver = await receive(t)
  const early = `
    const { createDiagnostics } = require(${JSON.stringify(require.resolve('../..'))})
    const handle = createDiagnostics(${JSON.stringify(to(receiver.port))}).start()
    // What a stall is counted from is the first tick of the heart.
    const poll = setInterval(() => {
      if (handle.delay().count > 0) require('node:crypto').pbkdf2Sync('a', 'b', 2 ** 31 - 1, 64, 'sha512')
    }, 1)`
  const { child } = start(t, ['-e', early])
  await receiver.until(() => ofKind(receiver, 'stall').length > 0)
  child.kill('SIGKILL')
})

test('a stall in JavaScript is reported with its function, line and samples', async t => {
  const receiver = await receive(t)
  const app = await drive(t, { options: to(receiver.port, { stallMs: 500 }) })
  await app.run(({ ready }) => ready())
  await app.run(() => { setTimeout(function burnInHandler () { for (;;) JSON.parse('{"a":[1,2,3]}') }, 10) })
  await receiver.until(() => ofKind(receiver, 'stall').length > 0 && ofKind(receiver, 'cpu').length > 0)
  app.child.kill('SIGKILL')
  const { culprit, probes } = JSON.parse(ofKind(receiver, 'stall')[0].body)
  assert.equal(culprit.function, 'burnInHandler')
  assert.ok(probes.length > 0)
  assert.ok(functionsOf(ofKind(receiver, 'cpu')[0]).some(name => name.includes('burnInHandler')))
})

test('what could not be sent is sent by the next process of the application', async t => {
  const receiver = await receive(t, { answer: () => 503 })
  const { port } = receiver
  const dead = await drive(t, { options: to(port, { stallMs: 200 }) })
  await dead.run(({ ready }) => ready())
  await dead.run(stallNatively)
  await receiver.until(() => receiver.requests > 0)
  dead.child.kill('SIGKILL')
  await dead.ended
  receiver.stop()
  const again = await receive(t, { port })
  const next = await drive(t, { options: to(port), env: { LOOPSCOPE_DIR: dead.dir } })
  await again.until(() => ofKind(again, 'stall').length > 0)
  assert.equal(JSON.parse(ofKind(again, 'stall')[0].body).process.pid, String(dead.child.pid))
  assert.equal(new Set(again.taken.map(({ url }) => url)).size, again.taken.length)
  await next.run(({ handle }) => handle.close())
})

test('a heap profile has arrived before the process dies of a full heap', async t => {
  const receiver = await receive(t)
  const options = { ...to(receiver.port), onNearHeapLimit: 'profile', recorder: false, retention: { minFreeBytes: 0 } }
  const leak = `
    const { createDiagnostics } = require(${JSON.stringify(require.resolve('../..'))})
    createDiagnostics(${JSON.stringify(options)}).start()
    const kept = []
    function leakOrders () { for (let at = 0; at < 500; at++) kept.push({ at, lines: new Array(50).fill(at) }) }
    setTimeout(() => setInterval(leakOrders, 5), 1000)`
  const app = start(t, ['--max-old-space-size=64', '-e', leak])
  await receiver.until(() => ofKind(receiver, 'heap-profile').length > 0)
  assert.match(ofKind(receiver, 'heap-profile')[0].body.toString(), /leakOrders/)
  app.child.kill('SIGKILL')
})
