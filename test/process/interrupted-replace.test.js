'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { fixtures, start } = require('./child')

test('a String.replace() that is interrupted survives the regular expressions of the interrupt', async t => {
  const app = start(t, [path.join(fixtures, 'interrupted-replace.js')])
  const { captures } = await app.until(/^replaced$/)
  assert.ok(captures >= 60)
  const { code, signal } = await app.ended
  assert.deepEqual([code, signal ?? null], [0, null])
})
