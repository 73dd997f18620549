'use strict'

// What only the main thread can answer: it is waited for, and given up in time.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { get, run } = require('./running')

test('a diagnostic report is refused while the main loop is blocked, and there again afterwards', async t => {
  const app = await run(t)
  const url = await app.listenerUrl()
  const stop = path.join(app.folder, 'stop')
  let isBlocked = true
  const spinning = get(`${app.url}/spin?until=${stop}`).then(response => { isBlocked = false; return response.text() })
  while ((await (await get(`${url}/loop`)).json()).blockedMs < 500) await new Promise(resolve => setTimeout(resolve, 20))
  const response = await get(`${url}/report`)
  assert.equal(response.status, 503, await response.text())
  assert.ok(isBlocked, 'it was answered while the loop was blocked')
  fs.writeFileSync(stop, '')
  assert.equal(await spinning, 'spun')
  assert.equal((await get(`${url}/report`)).status, 200)
})
