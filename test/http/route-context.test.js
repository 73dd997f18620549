'use strict'

const { test } = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { IncomingMessage, ServerResponse } = require('node:http')
const { setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { routeOf } = require('../../lib/probe/http/route-template')
const { frameworks, createParts, serve } = require('./served')

for (const [name, express] of Object.entries(frameworks)) {
  test(`${name}: the route is known after awaits, in promise chains and in timers`, async t => {
    const { context, middleware } = createParts()
    const app = express()
    app.use(middleware)
    const seen = () => routeOf(context.current().request)
    app.get('/await/:id', async (request, response) => { await sleep(1); response.end(seen()) })
    app.get('/chain/:id', (request, response) => { Promise.resolve().then(() => null).then(() => response.end(seen())) })
    app.get('/timer/:id', (request, response) => { setTimeout(() => setImmediate(() => response.end(seen())), 1) })
    const { get } = await serve(t, app, { context })
    const answers = await Promise.all(['await', 'chain', 'timer', 'await'].map(async (kind, id) => (await get(`/${kind}/${id}`)).text))
    assert.deepEqual(answers, ['GET /await/:id', 'GET /chain/:id', 'GET /timer/:id', 'GET /await/:id'])
  })
}

test('two copies of the package see one context, and the last to stop ends it', () => {
  const file = require.resolve('../../lib/probe/http/contexts/route-context')
  const cached = require.cache[file]
  delete require.cache[file]
  const copy = new (require('../../lib/probe/http/contexts/route-context').RouteContext)()
  require.cache[file] = cached
  const own = new RouteContext()
  const context = createRequestContext({}, 0, 0)
  copy.start()
  own.start()
  own.start()
  own.run(context, () => {
    assert.equal(copy.current(), context)
    own.stop()
    own.stop()
    assert.equal(own.current(), undefined)
    assert.equal(copy.current(), context)
    copy.stop()
  })
  assert.equal(Object.getOwnPropertySymbols(globalThis).some(symbol => String(symbol).includes('loopscope.route-context')), false)
})

test('a template set through one copy of the package applies in the other', () => {
  const [setRoute, record] = ['set-route', 'contexts/one-request'].map(name => require.resolve(`../../lib/probe/http/${name}`))
  const cached = [setRoute, record].map(file => [file, require.cache[file]])
  const { createRequestContext, putContext } = require(record)
  const { routeFactsIn } = require(setRoute)
  for (const [file] of cached) delete require.cache[file]
  const copy = require(setRoute)
  for (const [file, module] of cached) require.cache[file] = module
  assert.notEqual(copy.routeFactsIn, routeFactsIn)
  const request = Object.assign(new IncomingMessage(null), { method: 'GET' })
  const context = createRequestContext(request, 0, 0, new ServerResponse(request))
  putContext(request, context)
  copy.setRouteTemplate(request, '/users/:id')
  assert.equal(routeFactsIn(context).template, '/users/:id')
  assert.equal(routeOf(request), 'GET /users/:id')
})

test('a stopped context runs the function and has no request', () => {
  const context = new RouteContext()
  assert.equal(context.run({ request: {}, startMicros: 0 }, () => 7), 7)
  assert.equal(context.current(), undefined)
})

const ASK_THE_BUSY_MAIN_THREAD = `
  const { Session } = require('node:inspector')
  const { workerData } = require('node:worker_threads')
  const session = new Session()
  session.connectToMainThread()
  while (Atomics.load(workerData, 0) === 0) Atomics.wait(workerData, 0, 0)
  session.post('Runtime.evaluate', { expression: 'loopscopeTestAsk()' })
`

test('an inspector interrupt in the middle of synchronous code reads the route', async t => {
  const { context, middleware } = createParts()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  let asked
  globalThis.loopscopeTestAsk = () => {
    asked = routeOf(context.current().request)
    Atomics.store(flag, 0, 2)
  }
  const worker = new Worker(ASK_THE_BUSY_MAIN_THREAD, { eval: true, workerData: flag })
  t.after(() => { delete globalThis.loopscopeTestAsk })
  const app = frameworks['express 5']()
  app.use(middleware)
  app.get('/busy/:id', (request, response) => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    const giveUpMs = Date.now() + 20_000
    while (Atomics.load(flag, 0) === 1 && Date.now() < giveUpMs);
    response.end()
  })
  const { get } = await serve(t, app, { context })
  await once(worker, 'online')
  await get('/busy/42')
  assert.equal(asked, 'GET /busy/:id')
  await worker.terminate()
})
