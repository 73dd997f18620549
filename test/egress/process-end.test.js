'use strict'

// A process does not stay for what it has to send.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { drive } = require('../process/child')
const { receive } = require('./receiver')

const SOON_MS = 5000 // far below every time limit of a request, on a busy machine

/** An application whose first profile hangs on its way. */
async function hanging (t) {
  const receiver = await receive(t, { answer: () => null })
  const options = { controlSocket: false, path: false, egress: { to: 'put', url: `http://127.0.0.1:${receiver.port}/{file}?sig=hunter2`, everySeconds: 1 } }
  const app = await drive(t, { options })
  await receiver.until(() => receiver.requests > 0)
  return app
}

/** The files that wait, in the store of an application. */
function waitingIn (dir) {
  return fs.readdirSync(dir, { recursive: true }).filter(name => name.endsWith('.item')).map(name => path.join(dir, name))
}

for (const [name, end, code] of [
  ['ends by itself', ({ require }) => setImmediate(() => process.exit(3)), { code: 3, signal: null }],
  ['is asked to end', () => setImmediate(() => process.kill(process.pid, 'SIGTERM')), { code: null, signal: 'SIGTERM' }]
]) {
  test(`a process that ${name} is gone at once although a push hangs`, async t => {
    const app = await hanging(t)
    const from = Date.now()
    await app.run(end).catch(() => {})
    const { stdout, stderr, ...ended } = await app.ended
    assert.deepEqual(ended, code)
    assert.ok(Date.now() - from < SOON_MS, `${Date.now() - from} ms`)
    assert.ok(waitingIn(app.dir).length > 0)
    assert.ok(!(stdout + stderr + waitingIn(app.dir).map(file => fs.readFileSync(file, 'latin1')).join()).includes('hunter2'))
  })
}

test('close() ends it', async t => {
  const app = await hanging(t)
  const from = Date.now()
  await app.run(({ handle }) => handle.close())
  assert.ok(Date.now() - from < SOON_MS)
})
