'use strict'

// What was recorded last, when the process ends.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { drive } = require('../process/child')
const { receive } = require('./receiver')

const TRIALS = 5

const to = (port, everySeconds) => ({ controlSocket: false, path: false, egress: { to: 'put', url: `http://127.0.0.1:${port}/{file}`, everySeconds } })

/** Works, and ends as the test says. */
function workAndEnd ({ require }, how) {
  function workAtTheEnd () {
    for (const from = Date.now(); Date.now() - from < 200;) JSON.parse('{"a":[1,2,3]}')
  }
  setImmediate(() => {
    workAtTheEnd()
    if (how === 'process.exit()') process.exit(3)
    process.kill(process.pid, 'SIGTERM')
  })
}

/** @returns {string[]} names in profiles that wait on disk */
function waitingIn (dir) {
  const files = fs.readdirSync(dir, { recursive: true }).filter(name => name.endsWith('.item')).map(name => path.join(dir, name))
  return files.flatMap(file => {
    const bytes = fs.readFileSync(file)
    return namesIn(bytes.subarray(bytes.indexOf('\n') + 1))
  })
}

const namesIn = body => Profile.decode(gunzipSync(body)).stringTable.strings

/** Again, where a busy machine did not run the observer for as long as the process waits for it. */
async function namesLeftBy (t, how) {
  const receiver = await receive(t, { answer: () => 503 })
  for (let trial = 1; ; trial++) {
    const before = receiver.requests
    const app = await drive(t, { options: to(receiver.port, 1) })
    await receiver.until(() => receiver.requests > before) // the first takes longer
    await app.run(workAndEnd, how).catch(() => {})
    const { stderr } = await app.ended
    assert.doesNotMatch(stderr, /debugger/)
    const names = waitingIn(app.dir)
    if (names.includes('workAtTheEnd') || trial === TRIALS) return names
  }
}

for (const how of ['process.exit()', 'SIGTERM to itself']) {
  test(`${how}: what was not sent yet waits on disk for the next process`, async t => {
    assert.ok((await namesLeftBy(t, how)).includes('workAtTheEnd'))
  })
}

test('close() sends what was not sent yet', async t => {
  const receiver = await receive(t)
  const app = await drive(t, { options: to(receiver.port, 300) })
  await app.run(async ({ handle, ready }) => {
    await ready()
    const workAtTheEnd = () => { for (const from = Date.now(); Date.now() - from < 200;) JSON.parse('{"a":[1,2,3]}') }
    workAtTheEnd()
    await handle.close()
  })
  await receiver.until(() => receiver.taken.length > 0)
  assert.ok(namesIn(receiver.taken[0].body).includes('workAtTheEnd'))
  assert.equal(receiver.taken.length, 1)
})
