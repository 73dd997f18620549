'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { randomUUID, randomBytes } = require('node:crypto')
const { frameworks, createParts, serve, counted } = require('./served')

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: 300 routes stay within the limit`, async t => {
    const { context, requests, middleware } = createParts()
    const app = express()
    app.use(middleware)
    for (let i = 0; i < 300; i++) app.get(`/route-${i}`, (request, response) => response.end())
    const { get } = await serve(t, app, { context })
    for (let i = 0; i < 300; i++) await get(`/route-${i}`)
    await counted(requests, 300)
    const { durations, overflowed } = requests.read()
    assert.equal(durations.length, 101)
    assert.equal(durations.find(({ route }) => route === '_other').reading.count, 200)
    assert.equal(overflowed, 200)
  })

  test(`${name}: 1,000 random addresses make no new series`, async t => {
    const { context, requests, middleware } = createParts()
    const app = express()
    app.use(middleware)
    app.use('/static', (request, response) => response.end())
    const router = express.Router()
    router.get('/users/:user', (request, response) => response.end())
    app.use('/org/:org', router)
    const { get } = await serve(t, app, { context })
    const random = [() => randomUUID(), () => randomBytes(6).toString('hex'), () => `${randomBytes(3).toString('hex')}@example.org`]
    for (let i = 0; i < 250; i++) {
      const value = random[i % random.length]
      await Promise.all([get(`/${value()}`), get(`/static/${value()}`), get(`/org/${value()}/users/${value()}`), get(`/org/${value()}/${value()}?q=${value()}`)])
    }
    assert.deepEqual(await counted(requests, 1000), ['GET /org/:org/users/:user 200 250', 'GET /static/:id 200 250', 'GET _unmatched 404 500'])
  })
}
