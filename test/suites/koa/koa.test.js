'use strict'

// What Koa promises, as its documentation puts it: its package does not ship its tests.

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Readable } = require('node:stream')
const { after, before, test } = require('node:test')
const Router = require('@koa/router')
const Koa = require('koa')

let server
let url
const errors = []
const order = []

/** @type {Record<string, (context: import('koa').Context, next: () => Promise<void>) => unknown>} */
const ROUTES = {
  '/text': context => { context.body = 'text' },
  '/json': context => { context.body = { answer: 42 } },
  '/buffer': context => { context.body = Buffer.from('bytes') },
  '/stream': context => { context.body = Readable.from(['a', 'b', 'c']) },
  '/empty': context => { context.body = null },
  '/teapot': context => { context.status = 418 },
  '/header': context => { context.set('x-answer', '42'); context.body = context.get('x-question') },
  '/cookie': context => { context.cookies.set('sid', 'abc', { signed: true }); context.body = context.cookies.get('sid', { signed: true }) ?? 'none' },
  '/redirect': context => context.redirect('/text'),
  '/throw': context => context.throw(403, 'not you'),
  '/assert': context => context.assert(context.query.name, 400, 'who?'),
  '/fail': () => { throw new Error('secret') },
  '/late-fail': async () => { await new Promise(resolve => setImmediate(resolve)); throw new Error('late secret') },
  '/broken-stream': context => { context.body = new Readable({ read () { this.destroy(new Error('broken')) } }) },
  '/raw': context => { context.respond = false; context.res.statusCode = 202; context.res.end('raw') },
  '/state': context => { context.body = context.state.user },
  '/query': context => { context.body = context.query },
  '/fresh': context => { context.status = 200; context.etag = 'x'; if (context.fresh) context.status = 304; else context.body = 'fresh' }
}

before(async () => {
  const app = new Koa({ keys: ['key'] })
  app.on('error', error => errors.push(error.message))
  app.use(async (context, next) => {
    order.push('in')
    await next()
    order.push('out')
  })
  app.use((context, next) => {
    context.state.user = 'tobi'
    return next()
  })
  app.use((context, next) => ROUTES[context.path]?.(context, next) ?? (context.path in ROUTES ? undefined : next()))
  const router = new Router()
  router.get('/users/:id', context => { context.body = `${context.params.id} ${context._matchedRoute}` })
  app.use(router.routes()).use(router.allowedMethods())
  server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${server.address().port}`
})

after(() => server.close())

const get = (path, options) => fetch(url + path, { redirect: 'manual', ...options })

const BODIES = [
  ['/text', 200, 'text/plain; charset=utf-8', 'text'],
  ['/json', 200, 'application/json; charset=utf-8', '{"answer":42}'],
  ['/buffer', 200, 'application/octet-stream', 'bytes'],
  ['/stream', 200, 'application/octet-stream', 'abc'],
  ['/empty', 204, null, ''],
  ['/teapot', 418, 'text/plain; charset=utf-8', "I'm a Teapot"],
  ['/redirect', 302, 'text/html; charset=utf-8', 'Redirecting to /text.'],
  ['/throw', 403, 'text/plain; charset=utf-8', 'not you'],
  ['/assert', 400, 'text/plain; charset=utf-8', 'who?'],
  ['/fail', 500, 'text/plain; charset=utf-8', 'Internal Server Error'],
  ['/late-fail', 500, 'text/plain; charset=utf-8', 'Internal Server Error'],
  ['/raw', 202, null, 'raw'],
  ['/state', 200, 'text/plain; charset=utf-8', 'tobi'],
  ['/query?a=1&a=2', 200, 'application/json; charset=utf-8', '{"a":["1","2"]}'],
  ['/users/7', 200, 'text/plain; charset=utf-8', '7 /users/:id'],
  ['/nowhere', 404, 'text/plain; charset=utf-8', 'Not Found']
]

for (const [path, status, type, body] of BODIES) {
  test(`answers ${path}`, async () => {
    const response = await get(path)
    assert.deepEqual([response.status, response.headers.get('content-type'), await response.text()], [status, type, body])
  })
}

test('middleware runs down and up again', async () => {
  order.length = 0
  await (await get('/text')).text()
  assert.deepEqual(order, ['in', 'out'])
})

test('headers go both ways', async () => {
  const response = await get('/header', { headers: { 'x-question': '6 x 7' } })
  assert.deepEqual([response.headers.get('x-answer'), await response.text()], ['42', '6 x 7'])
})

test('signed cookies come back', async () => {
  const first = await get('/cookie')
  assert.equal(await first.text(), 'none')
  const cookies = first.headers.getSetCookie().map(cookie => cookie.split(';')[0])
  assert.equal(await (await get('/cookie', { headers: { cookie: cookies.join('; ') } })).text(), 'abc')
})

test('a fresh answer has no body', async () => {
  const response = await get('/fresh', { headers: { 'if-none-match': '"x"', 'cache-control': 'max-age=0' } })
  assert.deepEqual([response.status, await response.text()], [304, ''])
})

test('HEAD has the length and no body', async () => {
  const response = await get('/text', { method: 'HEAD' })
  assert.deepEqual([response.headers.get('content-length'), await response.text()], ['4', ''])
})

test('a method that a route does not have is answered with 405', async () => {
  const response = await get('/users/7', { method: 'DELETE' })
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'HEAD, GET'])
})

test('a stream that breaks ends the connection, and errors reach the application', async () => {
  await get('/broken-stream').then(response => response.text()).catch(() => {})
  await (await get('/fail')).text()
  assert.ok(errors.includes('broken') && errors.includes('secret'), errors.join())
})
