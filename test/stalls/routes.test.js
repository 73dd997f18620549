'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { start } = require('./started')

const isCode = ({ cause }) => cause === 'code'

for (const express of ['express', 'express4']) {
  test(`${express}: a stall has the route of the code that ran, whatever lies between`, async t => {
    const app = await start(t, 'routes.js', { env: { EXPRESS: express } })
    const late = await app.stallOf(() => app.get('/late/secret1'), ({ culprit, route }) => culprit?.function === 'block' && route !== null)
    assert.equal(late.route, 'GET /late/:id')

    await app.stallOf(() => app.get('/org/secret2/users/secret3?token=secret4'), ({ route }) => route === 'GET /org/:org/users/:id')
    await app.stallOf(() => app.get('/nowhere/secret5'), ({ route }) => route === 'GET _unmatched')

    for (const { text, stall } of app.lines) if (stall) assert.doesNotMatch(text, /secret/)
  })
}

test('a stall outside requests has no route', async t => {
  const app = await start(t, 'routes.js')
  await app.get('/quick')
  const stall = await app.stallOf(() => app.write('clean up'), ({ stack }) => stack.some(frame => frame.function === 'cleanUp'))
  assert.equal(stall.route, null)
})

test('of two requests under way only the one that blocks is blamed', async t => {
  const app = await start(t, 'routes.js')
  await app.stallOf(() => Promise.all([app.get('/innocent'), app.get('/guilty')]), ({ route }) => route === 'GET /guilty')
  assert.deepEqual(app.stalls.filter(stall => isCode(stall) && stall.route !== 'GET /guilty'), [])
})

test('a callback that a connection of all requests calls is of the route in whose handler it is written, never of that of the first request', async t => {
  const app = await start(t, 'routes.js')
  await app.get('/first')
  await app.stallOf(() => app.get('/asks'), ({ culprit, route }) => culprit?.function === 'block' && route === 'GET /asks')
  assert.deepEqual(app.stalls.filter(({ route }) => route === 'GET /first'), [])
})
