'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { routeOf } = require('../../lib/probe/http/route-template')
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

  test(`${name}: a router that is mounted in several places shows the place that was asked`, async t => {
    const inner = express.Router()
    inner.get('/api/v1/login', answer)
    inner.get('/deep/:id', answer)
    inner.get(['/one', '/two/:id'], answer)
    inner.get(isFive ? '/any{/*rest}' : '/any*', answer)
    const outer = express.Router({ mergeParams: true })
    outer.use('/nested', inner)
    outer.use(inner)
    const app = express()
    app.use('/api/v1', inner)
    app.use('/deep', inner)
    app.use('/tenant/:tenant', outer)
    app.use(inner)
    const { get } = await serve(t, app)
    const any = isFive ? '/any{/*rest}' : '/any*'
    const cases = {
      '/api/v1/login': '/api/v1/login',
      '/api/v1/api/v1/login': '/api/v1/api/v1/login',
      '/deep/7': '/deep/:id',
      '/deep/deep/7': '/deep/deep/:id',
      '/deep/two/7': '/deep/two/:id',
      '/two/7': '/two/:id',
      '/tenant/acme/nested/deep/7': '/tenant/:tenant/nested/deep/:id',
      '/tenant/nested/deep/7': '/tenant/:tenant/deep/:id',
      '/any/x/y': any,
      '/deep/any/x': `/deep${any}`,
      '/api/v1/any': `/api/v1${any}`
    }
    for (const [path, template] of Object.entries(cases)) assert.equal((await get(path)).text, `GET ${template}`, path)
  })

  test(`${name}: a request that has left a router keeps the place of its route`, async t => {
    const app = express()
    const inner = express.Router()
    inner.get('/passed/:id', (request, response, next) => next('router'))
    inner.get('/failed/:id', (request, response, next) => next(new Error('no')))
    const outer = express.Router()
    outer.use('/inner', inner)
    outer.use((error, request, response, next) => answer(request, response, error))
    const all = express.Router()
    all.all('/static/:file', (request, response, next) => next())
    app.use('/outer/:outer', outer)
    app.use(inner)
    app.use(all)
    app.use('/static', answer)
    app.use(answer)
    app.use((error, request, response, next) => answer(request, response, error))
    const { get } = await serve(t, app)
    const cases = {
      '/outer/1/inner/failed/7': '/outer/:outer/inner/failed/:id',
      '/outer/1/inner/passed/7': '/outer/:outer/inner/passed/:id',
      '/passed/7': '/passed/:id',
      '/failed/7': '/failed/:id',
      '/static/app.js': '/static/:file'
    }
    for (const [path, template] of Object.entries(cases)) assert.equal((await get(path)).text, `GET ${template}`, path)
  })

  test(`${name}: a sub-application shows where it is mounted, and what left it too`, async t => {
    const sub = express()
    sub.get('/leaf/:id', answer)
    const failing = express()
    failing.get('/', () => { throw new Error('no') })
    failing.get('/failed/:id', () => { throw new Error('no') })
    const app = express()
    app.use('/tenant/:tenant', sub)
    app.use('/second', sub)
    app.use('/failing', failing)
    app.use((error, request, response, next) => answer(request, response, error))
    const { get } = await serve(t, app)
    for (const [path, template] of [['/failing/failed/7', '/failing/failed/:id'], ['/tenant/acme/leaf/1', '/tenant/:tenant/leaf/:id'], ['/second/leaf/1', '/second/leaf/:id']]) {
      assert.equal((await get(path)).text, `GET ${template}`, path)
    }
  })

  test(`${name}: a path that middleware has rewritten shows the route that answered`, async t => {
    const app = express()
    const router = express.Router()
    router.get('/leaf/:id', (request, response) => {
      request.url = '/changed'
      answer(request, response)
    })
    app.use((request, response, next) => {
      request.url = request.url.replace('/old/', '/new/')
      next()
    })
    app.use('/new', router)
    app.use('/:any', router)
    const { get } = await serve(t, app)
    assert.equal((await get('/old/leaf/1')).text, 'GET /new/leaf/:id')
    assert.equal((await get('/other/leaf/1')).text, 'GET /:any/leaf/:id')
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

  test(`${name}: fixed segments of a mount are shown, whatever they are`, async t => {
    const app = express()
    const router = express.Router()
    router.get('/x', answer)
    const mounts = ['/-/ping', '/-/v1/search', '/~/_', '/@scope', '/2024-01-01', '/sha256', '/deadbeef', '/a-word-that-is-longer-than-thirty-two-characters']
    for (const mount of [...mounts, '/-/user/:user']) app.use(mount, router)
    const { get } = await serve(t, app)
    for (const mount of mounts) assert.equal((await get(`${mount}/x`)).text, `GET ${mount}/x`)
    assert.equal((await get('/-/user/user/x')).text, 'GET /-/user/:user/x')
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
