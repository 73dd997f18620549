'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { start } = require('../process/child')

test('a synchronous call after a parsed body and an await has its route', async t => {
  const app = start(t, [path.join(__dirname, '../fixtures/labels/login.js')])
  const { routes } = await app.until(/^found$/)
  assert.equal(routes[0].route, 'POST /login')
})

test('what was sampled counts at once, also in the window that is still open', async t => {
  const app = start(t, [path.join(__dirname, '../fixtures/labels/logged-in.js')])
  const { apis, ask } = await app.until(/^asked$/)
  t.diagnostic(`answer ${ask}`)
  assert.deepEqual(apis, ['crypto.pbkdf2Sync'])
})
