'use strict'

// From a library's channel to what is handed over: with channels as libraries publish them.

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { AsyncLocalStorage } = require('node:async_hooks')
const { channel, tracingChannel } = require('node:diagnostics_channel')
const { setFaultListener } = require('../../lib/base/guard')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { LIBRARIES } = require('../../lib/probe/waits/libraries')
const { DependencyCalls } = require('../../lib/probe/waits/dependency-calls')
const { RequestWaits } = require('../../lib/probe/waits/request-waits')

const SERVER = { serverAddress: 'db', serverPort: 1 }
const COMMAND = tracingChannel('ioredis:command')
const QUERY = tracingChannel('mysql2:query')
const turn = () => new Promise(resolve => setImmediate(resolve))

function createSubject (t, { onFull = () => {} } = {}) {
  const context = new RouteContext()
  context.start()
  const calls = new DependencyCalls({ context, onFull })
  calls.start()
  t.after(() => { calls.stop(); context.stop() })
  const request = (startMicros = 5) => createRequestContext({ method: 'GET', url: '/', headers: {} }, startMicros, startMicros)
  return { calls, context, request }
}

/** What was handed over, in words. */
function take (calls) {
  const { firstName, names, calls: numbers } = calls.take()
  assert.equal(firstName, 0)
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const { kind, operation, target } = names[numbers[2 * index] >> 1]
    return `${kind} ${operation} ${target}${numbers[2 * index] & 1 ? ' failed' : ''}`
  })
}

test('a request of undici waits for a connection until it is sent', t => {
  const { calls, context, request } = createSubject(t)
  const current = request()
  const [create, send, end] = ['undici:request:create', 'undici:client:sendHeaders', 'undici:request:trailers'].map(name => channel(name))
  const [first, second] = [1, 2].map(() => ({ method: 'GET', origin: 'http://prices' }))
  const waits = () => calls.openOf(current).map(({ kind, operation, target, calls }) => `${calls} ${kind} ${operation} ${target}`)
  context.run(current, () => [first, second].forEach(request => create.publish({ request })))
  assert.deepEqual(waits(), ['2 http acquire prices:80'])
  const socket = {}
  send.publish({ request: first, socket })
  assert.deepEqual(waits(), ['2 http GET prices:80'])
  end.publish({ request: first })
  assert.deepEqual(waits(), ['1 http acquire prices:80'])
  send.publish({ request: second, socket })
  assert.deepEqual(waits(), ['1 http GET prices:80'])
  end.publish({ request: second })
  assert.deepEqual([waits(), take(calls).toSorted()], [[], ['http GET prices:80', 'http GET prices:80', 'http acquire prices:80']])
})

test('promises and callbacks, what fails, and what throws at once; what does not settle is not counted', async t => {
  const { calls } = createSubject(t)
  const message = command => ({ command, args: ['secret'], ...SERVER })
  await COMMAND.tracePromise(async () => 1, message('get'))
  await COMMAND.tracePromise(async () => { throw new Error('secret') }, message('set')).catch(() => {})
  assert.throws(() => COMMAND.tracePromise(() => { throw new Error('secret') }, message('del')))
  COMMAND.tracePromise(() => new Promise(() => {}), message('blpop'))
  await new Promise(resolve => QUERY.traceCallback(callback => setImmediate(callback, null), 0, { query: 'select secret', ...SERVER }, null, resolve))
  await new Promise(resolve => QUERY.traceCallback(callback => setImmediate(callback, new Error('no')), 0, { query: 'update secret', ...SERVER }, null, resolve))
  assert.deepEqual(take(calls), ['redis GET db:1', 'redis SET db:1 failed', 'redis DEL db:1 failed', 'mysql SELECT db:1', 'mysql UPDATE db:1 failed'])
})

test('the callback of the application is no part of the call', async t => {
  const { calls } = createSubject(t)
  await new Promise(resolve => QUERY.traceCallback(callback => setImmediate(callback, null), 0, { query: 'select 1', ...SERVER }, null, () => {
    const until = performance.now() + 50
    while (performance.now() < until);
    resolve()
  }))
  assert.ok(calls.take().calls[1] < 50_000)
})

test('a call is noted for the request that made it, also where its library goes on in another', async t => {
  const { calls, context, request } = createSubject(t)
  const [mine, other] = [request(), request(6)]
  let callBack
  const found = []
  context.run(mine, () => QUERY.traceCallback(callback => { callBack = callback }, 0, { query: 'select 1', ...SERVER }, null, () => found.push(context.current())))
  context.run(other, callBack, null)
  context.run(mine, () => QUERY.traceCallback(callback => { callBack = callback }, 0, { query: 'select 1', ...SERVER }, null, () => found.push(context.current())))
  context.run(other, callBack, new Error('no'))
  QUERY.traceCallback(callback => { callBack = callback }, 0, { query: 'select 1', ...SERVER }, null, () => found.push(context.current()))
  context.run(other, callBack, null)
  assert.deepEqual(found, [mine, mine, undefined])
  const [[, count, errors]] = calls.waitsOf(mine, 1e12)
  assert.deepEqual([count, errors, calls.waitsOf(other, 1e12)], [2, 1, []])
})

test('another context of the application is left alone', async t => {
  createSubject(t)
  const storage = new AsyncLocalStorage()
  const found = await storage.run('mine', () => COMMAND.tracePromise(async () => storage.getStore(), { command: 'get', ...SERVER }).then(() => storage.getStore()))
  assert.equal(found, 'mine')
})

test('what another copy of this package notes for a request is left to it', async t => {
  const { calls, context, request } = createSubject(t)
  const mine = request()
  mine.waits = new RequestWaits({})
  await context.run(mine, () => COMMAND.tracePromise(async () => 1, { command: 'get', ...SERVER }))
  assert.deepEqual([calls.waitsOf(mine, 1e12), mine.waits.read(1e12), take(calls)], [[], [], ['redis GET db:1']])
})

test('a full batch is to be taken; names are handed over once, and again to a new observer', async t => {
  const batches = []
  const { calls } = createSubject(t, { onFull: () => batches.push(calls.take()) })
  for (let call = 0; call < 5000; call++) calls.end(calls.begin(calls.namesOf({ kind: 'redis' }).numberOf('GET', 'db')), false)
  const rest = calls.take()
  assert.deepEqual(batches.map(({ names, calls }) => [names.length, calls.length / 2]), [[1, 4096]])
  assert.deepEqual([rest.firstName, rest.names.length, rest.calls.length / 2], [1, 0, 904])
  calls.forgetSent()
  assert.deepEqual(calls.take().names.length, 1)
})

test('what it cannot read is reported, and the library goes on', async t => {
  const { calls } = createSubject(t)
  const faults = []
  setFaultListener(error => faults.push(error))
  t.after(() => setFaultListener(() => {}))
  assert.equal(await COMMAND.tracePromise(async () => 7, Object.freeze({ command: 'get', ...SERVER }), null).catch(() => 7), 7)
  assert.equal(await COMMAND.tracePromise(async () => 7, { get command () { throw new Error('odd') }, ...SERVER }), 7)
  channel('undici:request:create').publish({})
  await turn()
  assert.ok(faults.length >= 2)
  assert.deepEqual(take(calls), [])
})

test('it listens from its start to its stop, and leaves nothing', t => {
  const names = ['tracing:ioredis:command:start', 'tracing:mysql2:query:asyncStart', 'undici:request:create', 'http.client.request.start', 'net.client.socket', 'child_process']
  const heard = () => names.filter(name => channel(name).hasSubscribers)
  const before = heard()
  const context = new RouteContext()
  context.start()
  const calls = new DependencyCalls({ context, onFull () {} })
  assert.deepEqual(heard(), before)
  calls.start()
  calls.start()
  assert.deepEqual(heard(), names)
  calls.stop()
  calls.stop()
  context.stop()
  assert.deepEqual(heard(), before)
})

test('mssql: calls name their pool by a number, of which the address is known from its connect', async t => {
  const { calls } = createSubject(t)
  const traced = (name, message) => tracingChannel(`mssql:${name}`).tracePromise(async () => 1, message)
  await traced('connect', { server: 'sql', port: 1433, database: 'shop', poolId: 1 })
  await traced('pool:acquire', { poolId: 1, requestId: 2 })
  await traced('query', { command: 'select 1', requestId: 2, poolId: 1 })
  await traced('batch', { command: 'declare @a int', requestId: 3, poolId: 1 })
  await traced('execute', { procedure: 'secret', parameters: ['a'], requestId: 4, poolId: 1 })
  await traced('prepared-statement:execute', { statement: 'update t set a = @a', poolId: 1 })
  channel('mssql:pool:close').publish({ poolId: 1 })
  await traced('query', { command: 'select 1', requestId: 2, poolId: 1 })
  assert.deepEqual(take(calls), ['connect', 'acquire', 'SELECT', 'DECLARE', 'EXECUTE', 'UPDATE'].map(operation => `mssql ${operation} sql:1433`).concat('mssql SELECT _other'))
})

test('node-redis: a MULTI is one call, the commands of a pipeline are their own', async t => {
  const { calls } = createSubject(t)
  await tracingChannel('node-redis:batch').tracePromise(async () => 1, { batchMode: 'MULTI', batchSize: 3, ...SERVER })
  await tracingChannel('node-redis:batch').tracePromise(() => tracingChannel('node-redis:command').tracePromise(async () => 1, { command: 'GET', ...SERVER }), { batchMode: 'PIPELINE', ...SERVER })
  assert.deepEqual(take(calls), ['redis MULTI db:1', 'redis GET db:1'])
})

test('docs/dependency-calls.md has the libraries of the table, from which version each reports its calls', () => {
  const rows = fs.readFileSync(path.join(__dirname, '../../docs/dependency-calls.md'), 'utf8').split('\n').map(line => line.split('|').map(cell => cell.trim().replace(/`/g, '')))
  const written = rows.filter(([, name]) => LIBRARIES.some(library => library.name === name)).map(([, name, since, kinds]) => ({ name, since, kind: kinds.split(',')[0] }))
  assert.deepEqual(written, LIBRARIES.map(({ name, since, kind }) => ({ name, since, kind })))
})
