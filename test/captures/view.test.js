'use strict'

const assert = require('node:assert/strict')
const path = require('node:path')
const test = require('node:test')
const { filesIn } = require('../store/scratch')
const { run, ready, keepBusy } = require('./running')

test('looks back at what happened before the request', async t => {
  const app = await run(t)
  await ready(app)
  keepBusy()
  const askedAt = Date.now()
  const artifact = await app.handle.capture('cpu', { last: 5, format: 'text' })
  assert.match(await artifact.text(), /keepBusy/)
  assert.equal(artifact.trigger, 'api')
  assert.ok(artifact.from < askedAt)
})

test('a view beyond what the recorder holds is shortened and marked as such', async t => {
  const app = await run(t)
  await ready(app)
  const artifact = await app.handle.capture('cpu', { last: 600, format: 'text' })
  assert.equal(artifact.shortened.wantedSeconds, 600)
  assert.ok(artifact.shortened.gotSeconds < 600)
  assert.match(await artifact.text(), new RegExp(`${artifact.shortened.gotSeconds} s of the 600 s asked for`))
})

test('a capture that is requested before the recorder is ready waits for it', async t => {
  const { handle } = await run(t)
  const artifact = await handle.capture('cpu', { seconds: 0.5 })
  assert.equal(JSON.parse(await artifact.text()).samples.length > 0, true)
})

test('a capture of a route that nothing ran for writes no file', async t => {
  const app = await run(t)
  await ready(app)
  keepBusy()
  const before = filesIn(app.dir)
  await assert.rejects(app.handle.capture('cpu', { last: 5, route: 'POST /login' }), { code: 'ERR_LOOPSCOPE_UNKNOWN_ROUTE', message: /its routes: none$/ })
  assert.deepEqual(filesIn(app.dir), before)
})

test('captures at the same time each get their own artifact', async t => {
  const { handle } = await run(t)
  const artifacts = await Promise.all([0.2, 0.3, 0.2].map(seconds => handle.capture('cpu', { seconds })))
  assert.equal(new Set(artifacts.map(({ path }) => path)).size, 3)
})

test('no frame of loopscope is in a capture, although each window ends with one', async t => {
  const app = await run(t)
  await ready(app)
  for (let window = 0; window < 5; window++) {
    keepBusy()
    await app.handle.capture('cpu', { seconds: 0.3 })
  }
  const { nodes } = JSON.parse(await (await app.handle.capture('cpu', { last: 10 })).text())
  const urls = [...new Set(nodes.map(({ callFrame }) => callFrame.url))]
  assert.ok(urls.some(url => url.endsWith('test/captures/running.js')))
  assert.deepEqual(urls.filter(url => url.includes(path.join(__dirname, '../../lib/'))), [])
})
