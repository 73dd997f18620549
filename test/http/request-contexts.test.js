'use strict'

// Where the code of a request is called by Node.js or by a framework from outside of the middleware: the body's events, the reply.

const { test } = require('node:test')
const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { PassThrough } = require('node:stream')
const { setTimeout: sleep } = require('node:timers/promises')
const Koa = require('koa')
const Router = require('@koa/router')
const fastify = require('fastify')
const { createRequestContexts } = require('../../lib/probe/http/contexts/request-contexts')
const { frameworks, serve } = require('./served')
const { listen } = require('./listening')

const AGENT = new http.Agent({ keepAlive: true, maxSockets: 3 })
const ROUNDS = 4

/** @param {import('node:test').TestContext} t */
function createContexts (t) {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  /** What the code that runs now works for. */
  return () => contexts.context.current()?.request.url ?? 'nobody'
}

/**
 * With its body in three parts, each when the one before has been taken.
 * @param {number} port
 * @param {string} method
 * @param {string} path
 */
async function send (port, method, path) {
  const request = http.request({ port, host: '127.0.0.1', method, path, agent: AGENT, headers: { 'content-type': 'application/json' } })
  const answer = once(request, 'response')
  if (method === 'POST') for (const part of ['{"a":', '1,']) await new Promise(resolve => request.write(part, () => setImmediate(resolve)))
  request.end(method === 'POST' ? '"b":2}' : undefined)
  const [response] = await answer
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

/** Each path several times, all at once, on few connections: everybody must find himself. */
async function assertOwn (port, calls) {
  const all = Array.from({ length: ROUNDS }, () => calls).flat()
  const texts = await Promise.all(all.map(([method, path]) => send(port, method, path)))
  assert.deepEqual(texts, all.map(([, path]) => path))
}

const ticks = async count => { for (let i = 0; i < count; i++) await new Promise(resolve => process.nextTick(resolve)) }
const unlessOne = seen => new Set(seen).size === 1 ? seen[0] : `several: ${seen}`

test('node:http: the events of a body, its chunks and its end, also of requests that have none', async t => {
  const seen = createContexts(t)
  const listener = (request, response) => {
    const all = [seen()]
    request.on('data', () => all.push(seen()))
    request.on('end', async () => {
      all.push(seen())
      await ticks(3)
      all.push(seen())
      response.end(unlessOne(all))
    })
  }
  const { port } = await serve(t, listener)
  await assertOwn(port, [['POST', '/a'], ['GET', '/b'], ['POST', '/c']])
})

test('node:http: for await, pipe and a body that is read late', async t => {
  const seen = createContexts(t)
  const kinds = {
    async '/for-await' (request) {
      const all = []
      for await (const chunk of request) all.push(chunk && seen())
      return unlessOne([...all, seen()])
    },
    async '/pipe' (request) {
      const all = []
      await once(request.pipe(new PassThrough()).on('data', () => all.push(seen())), 'end')
      return unlessOne([...all, seen()])
    },
    async '/late' (request) {
      await sleep(5)
      const all = []
      request.on('data', () => all.push(seen())).on('end', () => all.push(seen()))
      await once(request, 'end')
      return unlessOne(all)
    }
  }
  const { port } = await serve(t, async (request, response) => response.end(await kinds[request.url](request)))
  await assertOwn(port, Object.keys(kinds).map(path => ['POST', path]))
})

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: what parses a body, and what comes after`, async t => {
    const seen = createContexts(t)
    const app = express()
    const all = Symbol('all')
    const note = request => { request[all] = [...request[all] ?? [], seen()] }
    app.use((request, response, next) => { note(request); next() })
    app.use(express.json({ verify: note }))
    app.use((request, response, next) => { note(request); next() })
    app.all('/:kind', async (request, response) => {
      await sleep(1)
      note(request)
      response.once('finish', () => note(request))
      response.end(unlessOne(request[all]))
    })
    const { port } = await serve(t, app)
    await assertOwn(port, [['POST', '/one'], ['GET', '/two'], ['POST', '/three']])
  })
}

test('Fastify: parser, hooks, handler and serialiser', async t => {
  const seen = createContexts(t)
  const app = fastify()
  t.after(() => app.close())
  const note = request => { (request.raw.seen ??= []).push(seen()) }
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => { note(request); done(null, JSON.parse(body)) })
  for (const hook of ['onRequest', 'preValidation', 'preHandler']) app.addHook(hook, async request => note(request))
  app.setReplySerializer(payload => unlessOne([...payload.seen, seen()]))
  app.post('/:kind', async request => { note(request); return { seen: request.raw.seen } })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  await assertOwn(Number(new URL(url).port), [['POST', '/one'], ['POST', '/two']])
})

test('Koa: its own reply, after the middleware', async t => {
  const seen = createContexts(t)
  const app = new Koa()
  const router = new (Router.default ?? Router)()
  router.all('/:kind', async context => {
    await sleep(1)
    context.body = { toJSON: () => seen() }
  })
  app.use(router.routes())
  const { port } = await serve(t, app.callback())
  const texts = await Promise.all(['/one', '/two', '/three'].map(path => send(port, 'POST', path)))
  assert.deepEqual(texts.map(text => JSON.parse(text)), ['/one', '/two', '/three'])
})

test('a request keeps a push of its own, and reads on when contexts are stopped', async t => {
  const contexts = createRequestContexts()
  contexts.start()
  t.after(() => contexts.stop())
  const pushed = []
  class Mine extends http.IncomingMessage {
    push = (...given) => { pushed.push(given[0]); return super.push(...given) }
  }
  const read = async (request, response) => {
    contexts.stop()
    let text = ''
    for await (const chunk of request) text += chunk
    response.end(text)
  }
  for (const options of [{}, { IncomingMessage: Mine }]) {
    contexts.start()
    const port = await listen(t, http.createServer(options, read))
    assert.equal(await send(port, 'POST', '/'), '{"a":1,"b":2}')
  }
  assert.equal(pushed.at(-1), null)
})
