'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { routeOf } = require('../../lib/main/http/route-template')
const { frameworks, serve } = require('./served')

const answer = (request, response) => response.end(routeOf(request))

function createApp (express) {
  const isFive = express === frameworks['express 5']
  const app = express()
  const users = express.Router()
  users.get('/', answer)
  users.get('/users/:id', answer)
  users.get(['/plain', '/named/:name'], answer)
  const merged = express.Router({ mergeParams: true })
  merged.use('/team/:team', users)
  const sub = express()
  sub.get('/item/:item', answer)
  sub.use('/inner/:inner', users)
  const unparented = express()
  unparented.get('/leaf', answer)
  const holder = express.Router()
  holder.use('/held', unparented)

  app.get('/', answer)
  app.route('/flat/:id').get(answer)
  app.use('/org/:org', users)
  app.use('/org/:org', merged)
  app.use(['/one', '/two/:second'], users)
  app.use('/v:version', users)
  app.use(/^\/re-\d+/, users)
  app.use('/sub/:sub', sub)
  app.use('/via', holder)
  app.get(/^\/a(b)?$/, answer)
  app.get(['/list', '/list/:id', /^\/listed/], answer)
  app.get(isFive ? '/optional{/:id}' : '/optional/:id?', answer)
  app.get(isFive ? '/files/*path' : '/files/*', answer)
  app.use('/static', answer)
  app.use(answer)
  return app
}

const CASES = [
  ['/', '/'],
  ['/flat/42?x=1', '/flat/:id'],
  ['/org/42', '/org/:org'],
  ['/org/42/users/7', '/org/:org/users/:id'],
  ['/org/org/users/users', '/org/:org/users/:id'],
  ['/ORG/jo%40x.org/users/7', '/org/:org/users/:id'],
  ['/org/1/team/2/users/3', '/org/:org/team/:team/users/:id'],
  ['/one/users/2', '/one/users/:id'],
  ['/two/users/users/2', '/two/:second/users/:id'],
  ['/two/b/named/8', '/two/:second/named/:name'],
  ['/v12/users/3', '/v:version/users/:id'],
  ['/re-77/users/1', '^\\/re-\\d+/users/:id'],
  ['/sub/3/item/4', '/sub/:sub/item/:item'],
  ['/sub/3/inner/4/users/5', '/sub/:sub/inner/:inner/users/:id'],
  ['/via/held/leaf', '/via/held/leaf'],
  ['/ab', '^\\/a(b)?$'],
  ['/list', '/list'],
  ['/list/9', '/list/:id'],
  ['/listed-9', '^\\/listed']
]

for (const [name, express] of Object.entries(frameworks)) {
  const isFive = name === 'express 5'

  test(`${name}: routes are shown as they were written`, async t => {
    const { get } = await serve(t, createApp(express))
    const cases = [...CASES,
      ['/optional', isFive ? '/optional{/:id}' : '/optional/:id?'],
      ['/optional/77', isFive ? '/optional{/:id}' : '/optional/:id?'],
      ['/files/a/b/c', isFive ? '/files/*path' : '/files/*']]
    for (const [path, template] of cases) assert.equal((await get(path)).text, `GET ${template}`, path)
  })

  test(`${name}: what no route answers is _unmatched, and what is mounted has its path, values taken out`, async t => {
    const { get } = await serve(t, createApp(express))
    for (const path of ['/none/7', '/flat', '/org/1/2/3/4']) assert.equal((await get(path)).text, 'GET _unmatched', path)
    assert.equal((await get('/flat/1', { method: 'DELETE' })).text, 'DELETE _unmatched')
    assert.equal((await get('/static/77/app.js')).text, 'GET /static/:id/app.js')
  })

  test(`${name}: a route in a mounted router keeps its mount after an error has left the router`, async t => {
    const app = express()
    const router = express.Router()
    router.get('/fail/:id', () => { throw new Error('no') })
    app.use('/left/:email', router)
    app.use('/right', router)
    app.use((error, request, response, next) => answer(request, response, error))
    const { get } = await serve(t, app)
    assert.equal((await get('/left/jo@x.org/fail/1')).text, 'GET /left/:email/fail/:id')
    assert.equal((await get('/right/fail/1')).text, 'GET /right/fail/:id')
  })

  test(`${name}: values that look like the words around them change no word`, async t => {
    const app = express()
    const router = express.Router()
    router.get('/x', answer)
    app.use('/org/:org/v:version', router)
    const { get } = await serve(t, app)
    assert.equal((await get('/org/o/v1/x')).text, 'GET /org/:org/v:version/x')
    assert.equal((await get('/org/org/v2/x')).text, 'GET /org/:org/v:version/x')
  })

  test(`${name}: the router's layers are left as they are`, async t => {
    const app = createApp(express)
    const { get } = await serve(t, app)
    const stack = () => (app._router ?? app.router).stack.map(layer => JSON.stringify([layer.params, layer.path, layer.regexp?.lastIndex, Object.keys(layer)]))
    await get('/none')
    const before = stack()
    const request = { method: 'GET', app, route: (app._router ?? app.router).stack.find(layer => layer.route?.path === '/flat/:id').route, originalUrl: '/flat/1' }
    assert.equal(routeOf(request), 'GET /flat/:id')
    assert.deepEqual(stack(), before)
  })
}

test('router before 2.3 keeps only matchers, and its mounts are still named', async t => {
  const app = createApp(frameworks['express 5'])
  forgetRawPaths(app.router.stack)
  const { get } = await serve(t, app)
  for (const [path, template] of CASES.filter(([path]) => !path.startsWith('/re-'))) {
    assert.equal((await get(path)).text, `GET ${template}`, path)
  }
  assert.equal((await get('/re-77/users/1')).text, 'GET /:id/users/:id', 'an expression that is not kept')
})

function forgetRawPaths (stack) {
  for (const layer of stack) {
    if (layer.route) continue
    delete layer.rawPath
    if (Array.isArray(layer.handle.stack)) forgetRawPaths(layer.handle.stack)
  }
}
