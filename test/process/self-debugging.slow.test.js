'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { drive, start, fixtures } = require('./child')

const AWAY = 'LOOPSCOPE_WARN_SESSION_AWAY'
const HANG_MS = 60_000
const WAYS = ['a pause that its handler resumes', 'pauses that nobody resumes', 'waitForDebugger() without an open inspector']

const run = (t, how, when) => start(t, [path.join(fixtures, 'debugs-itself.js'), how, when])
const says = ({ stdout }) => stdout.split('\n').filter(line => line.includes('"msg"') && !line.includes('"loopscope"'))

for (const how of WAYS) {
  test(`a process that debugs itself goes on as without diagnostics: ${how}`, { timeout: HANG_MS }, async t => {
    const bare = await run(t, how, 'bare').ended
    for (const when of ['starting', 'unrecorded', 'recording']) {
      const app = run(t, how, when)
      const ending = await app.ended
      assert.deepEqual([says(ending), ending.code, ending.stderr.includes('Waiting')], [says(bare), bare.code, false], when)
      assert.ok(app.lines().filter(({ code }) => code === AWAY).length <= 1, when)
    }
  })
}

test('with the recorder off the observer opens no session until one is needed', { timeout: HANG_MS }, async t => {
  const app = await drive(t, { options: { recorder: false } })
  // Other sessions than its own are what makes Node wait for a debugger instead of refusing to.
  const isAlone = ({ handle, require }) => {
    try {
      require('node:inspector').waitForDebugger()
      return false
    } catch ({ code }) {
      return code === 'ERR_INSPECTOR_NOT_ACTIVE'
    }
  }
  await app.run(({ handle }) => handle.capture('heap-snapshot', { redact: false }).catch(() => {})) // by now the observer is there
  assert.equal(await app.run(isAlone), true)
  assert.deepEqual(app.lines().flatMap(({ code }) => code ?? []).filter(code => code === AWAY), [])
  await app.run(({ handle }) => handle.capture('heap-histogram').then(() => {}))
  assert.equal(await app.run(isAlone), true)
  await app.run(({ handle }) => handle.capture('heap-histogram').then(() => {}))
})
