'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { routeOf, templateOf, methodOf } = require('../../lib/probe/http/route-template')
const { forgetMasked, maskPath, maskedTemplate, shortMask } = require('../../lib/probe/http/mask-path')
const { frameworks, serve } = require('./served')

test('a base that no known router explains is masked', () => {
  const request = { method: 'GET', route: { path: '/x/:id' }, baseUrl: '/org/acme/8a4f0c1e-2b1d-4c6e-9a51-0f3b8f6f2a11', params: { org: 'acme' } }
  assert.equal(routeOf(request), 'GET /org/:org/:id/x/:id')
})

test('masking keeps words and hides values', () => {
  const masked = {
    '/api/v2/users': '/api/v2/users',
    '/oauth2/well-known.json': '/oauth2/well-known.json',
    '/users/42': '/users/:id',
    '/posts/post-12': '/posts/:id',
    '/teams/7.data': '/teams/:id',
    '/api/v2.1/users': '/api/v2.1/users',
    '/users/jo@example.org': '/users/:id',
    '/users/jo%40example.org': '/users/:id',
    '/files/deadbeefcafe': '/files/:id',
    '/k/AKIA1234567890': '/k/:id',
    '/trpc/orders.byId': '/trpc/orders.byId',
    '/trpc/orders.byId,users.all': '/trpc/:id',
    '/-/v1/search': '/-/v1/search',
    '/-/ping': '/-/ping',
    '/_/~/+': '/_/~/+',
    '/1-2/3.4/5': '/:id/:id/:id',
    '/-1/12-': '/:id/:id',
    '/$metadata/@/!/*': '/$metadata/@/!/*',
    '/%E0%A4%A': '/:id'
  }
  for (const [path, template] of Object.entries(masked)) assert.equal(maskPath(path, {}), template)
})

test('several words in one segment are a value once there are more of them below a path than a service has pages', t => {
  t.after(forgetMasked)
  forgetMasked()
  const posts = Array.from({ length: 30 }, (_, index) => `/blog/all-about-${'abcdefghijklmnopqrstuvwxyzabcd'[index]}${index > 25 ? 'x' : ''}-trees`)
  const templates = posts.map(post => maskedTemplate(post))
  assert.deepEqual([templates[0], templates[11], templates[12], templates[29]], [posts[0], posts[11], '/blog/:id', '/blog/:id'])
  assert.deepEqual([maskedTemplate(posts[0]), shortMask(posts[1]), maskedTemplate(`${posts[2]}/comments`)], ['/blog/:id', '/blog/:id', '/blog/:id/comments'])
  assert.deepEqual([maskedTemplate('/sign-in'), maskedTemplate('/blog/latest'), shortMask('/shop/red-shoes')], ['/sign-in', '/blog/latest', '/shop/red-shoes'])
})

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: a router without an application around it shows no values`, async t => {
    const outer = express.Router()
    const inner = express.Router()
    inner.get('/users/:id', (request, response) => response.end(routeOf(request)))
    outer.use('/org/:org', inner)
    const { get } = await serve(t, (request, response) => outer(request, response, () => response.end('missed')))
    assert.equal((await get('/org/77/users/1')).text, 'GET /org/:id/users/:id')
  })

  test(`${name}: a sub-application mounted twice shows each mount`, async t => {
    const sub = express()
    sub.get('/leaf/:id', (request, response) => response.end(routeOf(request)))
    const app = express()
    app.use('/first', sub)
    app.use('/second', sub)
    const { get } = await serve(t, app)
    assert.equal((await get('/first/leaf/1')).text, 'GET /first/leaf/:id')
    assert.equal((await get('/second/leaf/1')).text, 'GET /second/leaf/:id')
  })
}

test('surprising requests have a route and raise nothing', () => {
  const trap = { get route () { throw new Error('trap') }, method: 'GET' }
  assert.equal(routeOf(trap), 'GET _unmatched')
  assert.equal(routeOf({}), '_OTHER _unmatched')
  assert.equal(routeOf({ method: 'GET', route: {} }), 'GET _unmatched')
  assert.equal(templateOf({ route: 'text' }), '_unmatched')
  const app = { set () {}, get _router () { throw new Error('trap') } }
  assert.equal(routeOf({ method: 'GET', route: { path: '/x' }, app }), 'GET /x')
})

test('an expression with a state of its own keeps its state', () => {
  const expression = /^\/a/g
  expression.lastIndex = 1
  const request = { method: 'GET', route: { path: [expression, '/b'] }, originalUrl: '/abc' }
  assert.equal(routeOf(request), 'GET ^\\/a')
  assert.equal(expression.lastIndex, 1)
})

test('methods are shown as sent, invented ones are not', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PATCH']) assert.equal(methodOf({ method }), method)
  for (const method of ['get', 'M-SEARCH', 'jo@example.org', undefined, 7]) assert.equal(methodOf({ method }), '_OTHER')
})
