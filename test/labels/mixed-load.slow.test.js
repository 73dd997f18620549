'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { quietMachine } = require('../runner/quiet-machine')
const { judge } = require('./mixed-load')

const SECONDS = 25

for (const framework of ['express', 'fastify', 'koa']) {
  test(`the samples of a mixed load carry their routes, with ${framework}`, async t => {
    await quietMachine(t)
    const judged = await judge(t, framework, SECONDS)
    t.diagnostic(JSON.stringify(judged))
    assert.ok(judged.forRequests >= 200, `${judged.forRequests} samples are too few`)
    assert.ok(judged.labelled >= judged.forRequests * 0.9, 'labelled')
    assert.ok(judged.right >= judged.labelled * 0.98, 'right')
    assert.ok(judged.forNobodyLabelled <= judged.forNobody * 0.1, 'for nobody')
  })
}
