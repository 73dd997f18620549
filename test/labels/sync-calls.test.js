'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { start } = require('../process/child')

test('a synchronous call after a parsed body and an await is told with its route', async t => {
  const app = start(t, [path.join(__dirname, '../fixtures/labels/login.js')])
  const { routes } = await app.until(/^found$/)
  assert.equal(routes[0].route, 'POST /login')
})
