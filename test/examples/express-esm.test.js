'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { startExample } = require('./example')

test('examples/express-esm.mjs emits the stall and answers with a flame graph of it', async t => {
  const example = startExample(t, 'express-esm.mjs')
  const url = await example.address()
  while (!/late by \d+ ms in GET \/fibonacci\/:n: examples\/express-esm\.mjs:\d+/.test(example.output)) {
    assert.equal(await (await fetch(`${url}/fibonacci/36`)).json(), 14930352)
  }
  const response = await fetch(`${url}/profile`)
  assert.match(response.headers.get('content-type'), /^text\/html/)
  assert.match(await response.text(), /"fibonacci"/)
})
