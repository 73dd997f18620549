'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createSubject, TOKENS } = require('./subject')
const { run, get, getControl } = require('./running')

test('a mark is made with POST, and is part of the series', async t => {
  const { ask } = createSubject(t)
  const { status, value: mark } = await ask('/marks', { method: 'POST', body: { text: 'deploy 42' } })
  assert.deepEqual([status, mark.text], [201, 'deploy 42'])
  const { value } = await ask('/marks', { token: TOKENS.metrics })
  assert.deepEqual(value.marks, [mark])
  assert.equal(value.recorder.fromMs, 1000)
  assert.deepEqual((await ask('/loop', { token: TOKENS.metrics })).value.marks, [mark])
})

test('the scope metrics cannot make one, and an invalid mark is refused with its code', async t => {
  const { ask } = createSubject(t)
  assert.equal((await ask('/marks', { method: 'POST', body: { text: 'deploy' }, token: TOKENS.metrics })).status, 403)
  for (const body of [{ text: '' }, { text: 7 }, {}, '[]', 'text', null]) {
    const { status, value } = await ask('/marks', { method: 'POST', body })
    assert.deepEqual([status, value.code], [400, 'ERR_LOOPSCOPE_INVALID_OPTION'], JSON.stringify(body))
  }
  assert.equal((await ask('/marks', { method: 'POST', body: { text: 'a', at: 1 } })).value.code, 'ERR_LOOPSCOPE_UNKNOWN_OPTION')
  // What a form of a foreign page can send.
  assert.equal((await ask('/marks', { method: 'POST', body: '{"text":"a"}', headers: { 'content-type': 'text/plain' } })).status, 400)
  assert.deepEqual((await ask('/marks')).value.marks, [])
})

test('marks of a process: from its code and over HTTP, live, in captures and beside their files', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const json = async (path, options) => (await get(`${url}${path}`, options)).json()
  const post = (path, body) => json(path, { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=30' }, body: JSON.stringify(body) })

  const live = (await get(`${url}/live`)).body.getReader()
  await live.read()
  const first = await post('/marks', { text: 'deploy 41' })
  const second = await post('/marks', { text: 'deploy 42' })
  let told = ''
  while (!told.includes('deploy 42')) told += Buffer.from((await live.read()).value).toString()
  assert.match(told, /event: mark\ndata: \{"at":\d+,"text":"deploy 41"\}\n\nevent: mark\n/)
  await live.cancel()
  assert.deepEqual(JSON.parse((await getControl(app.socketPath, '/marks')).text).marks, [first, second])

  let capture
  do capture = await post('/captures', { kind: 'cpu', seconds: 0.5 }); while (capture.artifact == null)
  assert.deepEqual(capture.artifact.marks, [second])
  const { artifacts } = await json('/artifacts')
  assert.deepEqual(artifacts.find(({ name }) => name === capture.artifact.name).marks, [second])
  assert.deepEqual(await json(`/artifacts/${capture.artifact.name}/metadata`), { marks: [second] })
})
