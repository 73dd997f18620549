'use strict'

// The reason why the surface is served by another thread.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { get, getControl, recorded, run } = require('./running')

test('while the main loop is blocked the listener and the control socket answer and name what blocks', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  await recorded(url)
  await (await get(`${app.url}/auth`)).text() // slow, and nobody asks for slow requests before the loop is blocked
  await (await get(`${url}/cpu?seconds=0.05`)).text() // a window ends
  const stop = path.join(app.folder, 'stop')
  let isBlocked = true
  const spinning = get(`${app.url}/spin?until=${stop}`).then(response => { isBlocked = false; return response.text() })
  const endpoints = {
    listener: async target => { const response = await get(url + target); return { status: response.status, text: await response.text() } },
    control: target => getControl(app.socketPath, target)
  }
  while (!JSON.parse((await endpoints.listener('/stalls')).text).current?.route) { // it is looked at again until it is seen
    assert.ok(isBlocked, 'it is named before it is over')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  for (const [endpoint, ask] of Object.entries(endpoints)) {
    for (const [target, pattern] of [
      ['/', /"pid":\d+/],
      ['/metrics', /^loopscope_eventloop_blocked_now_seconds [\d.]*[1-9]/m],
      ['/stalls', /"current":\{.*"route":"GET \/spin"/],
      ['/loop', /"blockedMs":[1-9].*"requests":\{"answered":[1-9]\d*,"inFlight":1\}/],
      ['/memory', /"owner":"heap","name":null,"bytes":[1-9].*"isStale":true/],
      ['/slow-requests', /^\{"isStale":true,"at":\d+,"requests":\[\{[^}]*"route":"GET \/auth","status":200/],
      ['/sync-calls', /"api":"crypto\.pbkdf2Sync".*"pool":\{"queued":/],
      ['/cpu?last=2&format=text', /\bspin test\/fixtures\/admin\/app\.js:|\bspin app\.js:/],
      ['/debug/pprof/block', /./s]
    ]) {
      const { status, text } = await ask(target)
      assert.equal(status, 200, `${endpoint} ${target}: ${text}`)
      assert.match(text, pattern, `${endpoint} ${target}`)
    }
  }
  assert.ok(isBlocked, 'all of it was answered while the loop was blocked')
  fs.writeFileSync(stop, '')
  assert.equal(await spinning, 'spun')
  while (JSON.parse((await endpoints.listener('/stalls')).text).stalls.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
})

test('a main thread that answers late is waited for with a heap snapshot', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const stop = path.join(app.folder, 'stop')
  const spinning = get(`${app.url}/spin?until=${stop}`).then(response => response.text())
  const ask = async (target, options) => (await get(`${url}${target}`, options)).json()
  while ((await ask('/loop')).blockedMs < 500) await new Promise(resolve => setTimeout(resolve, 20))
  const { id, startedAt } = await ask('/heap-snapshot', { method: 'POST' })
  while (Date.now() - startedAt < 1000) await new Promise(resolve => setTimeout(resolve, 50)) // three times what a question is given
  assert.deepEqual((await ask(`/captures/${id}`)).problem, null)
  fs.writeFileSync(stop, '')
  await spinning
  let job
  do job = await ask(`/captures/${id}`); while (job.endedAt === null)
  assert.deepEqual([job.state, job.problem], ['succeeded', null])
})
