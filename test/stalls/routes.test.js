'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { start } = require('./started')

const isCode = ({ cause }) => cause === 'code'

for (const express of ['express', 'express4']) {
  test(`${express}: a stall has the route of the code that ran, whatever lies between`, async t => {
    const app = await start(t, 'routes.js', { env: { EXPRESS: express } })
    await app.get('/late/secret1')
    assert.equal((await app.stall(({ culprit }) => culprit?.function === 'block')).route, 'GET /late/:id')

    await app.get('/org/secret2/users/secret3?token=secret4')
    await app.stall(({ route }) => route === 'GET /org/:org/users/:id')

    await app.get('/nowhere/secret5')
    await app.stall(({ route }) => route === '_unmatched')

    for (const { text, stall } of app.lines) if (stall) assert.doesNotMatch(text, /secret/)
  })
}

test('a stall outside requests has no route', async t => {
  const app = await start(t, 'routes.js')
  await app.get('/quick')
  app.write('clean up')
  const stall = await app.stall(({ stack }) => stack.some(frame => frame.function === 'cleanUp'))
  assert.equal(stall.route, null)
})

test('of two requests under way only the one that blocks is blamed', async t => {
  const app = await start(t, 'routes.js')
  await Promise.all([app.get('/innocent'), app.get('/guilty')])
  await app.stall(({ route }) => route === 'GET /guilty')
  assert.deepEqual(app.stalls.filter(stall => isCode(stall) && stall.route !== 'GET /guilty'), [])
})
