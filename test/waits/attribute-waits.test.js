'use strict'

// Which line a moment belongs to, where waits overlap.

const test = require('node:test')
const assert = require('node:assert/strict')
const { attributeWaits } = require('../../lib/observer/waits/attribute-waits')
const { readAwaitStack } = require('../../lib/observer/waits/await-stacks')

const APP_ROOT = '/app'
const app = (name, line) => [name, '/app/app.js', line, 3, name.charCodeAt(0) * 100, 1]
const library = (name, file = '/app/node_modules/pg-pool/index.js') => [name, file, 5, 1, 4, 1]
const node = (name, file) => [name, file, 0, 0, 0, 0]
const native = name => [name, '', 0, 0, 0, 0]
const read = frames => readAwaitStack(frames, { appRoot: APP_ROOT, toOriginal: places => places })

/** A wait of the functions, innermost first, for a promise that was made there. */
function wait (fromMs, toMs, frames, { made = null, resource = '', isByOther = false, sinceMs = 0 } = {}) {
  return { stack: read(frames), made: made && read(made), fromMicros: fromMs * 1e3, toMicros: toMs * 1e3, resource, isByOther, sinceMicros: sinceMs * 1e3 }
}

/** @returns milliseconds by `function:line awaited` */
function divided (waits, runs = []) {
  const { lines } = attributeWaits(waits, { runs: runs.map(ms => ms * 1e3) })
  return Object.fromEntries(lines.map(({ app: [{ place }], awaited, spans }) => [
    `${place.function}:${place.line}${awaited === null ? '' : ` ${awaited}`}`,
    spans.reduce((all, micros, index) => all + (index % 2 === 0 ? -micros : micros), 0) / 1e3
  ]))
}

test('time belongs to the innermost function that waits, and not to what runs in between', () => {
  const waits = [
    wait(0, 50, [app('load', 6), app('handler', 12)], { made: [native('Promise'), library('query'), app('load', 6)] }),
    wait(0, 92, [app('handler', 12)], { made: [app('load', 5), app('handler', 12)] }),
    wait(52, 90, [app('load', 7), app('handler', 12)], { made: [node('setTimeout', 'node:timers/promises'), app('load', 7)] })
  ]
  assert.deepEqual(divided(waits, [50, 52, 90, 92]), { 'load:6 pg-pool': 50, 'load:7 node:timers/promises': 38 })
})

test('an event is what emits it: events.once() is async, and returns a promise of its own', () => {
  const once = [node('once', 'node:events'), app('write', 6)]
  const emittedIn = settled => [
    wait(0, 50, [app('write', 6)], { made: once }),
    { ...wait(0, 50, [], { made: [native('Promise'), ...once] }), settled }
  ]
  assert.deepEqual(divided(emittedIn({ kind: 'timer', place: null })), { 'write:6 timer': 50 })
  assert.deepEqual(divided(emittedIn(null)), { 'write:6 node:events': 50 })
})

test('a call that a library makes in the callback of its pool belongs to the line of that one', () => {
  const acquire = [library('getConnection'), app('report', 6)]
  const waits = [
    wait(0, 30, acquire, { resource: 'mysql' }),
    wait(30, 90, [library('query'), node('processTicksAndRejections', 'node:internal/process/task_queues')], { resource: 'mysql' }),
    wait(100, 150, [library('query')], { resource: 'mysql' }) // of something else: much later
  ]
  assert.deepEqual(divided(waits), { 'report:6 pg-pool': 90, 'query:5 mysql': 50 })
})

test('a query that is no promise is one wait, and the package that made it is named', () => {
  const cancelable = '/app/node_modules/p-cancelable/index.js'
  const made = [native('Promise'), library('PCancelable', cancelable), library('got', '/app/node_modules/got/index.js'), app('load', 6)]
  const waits = [
    wait(0, 5, [app('load', 6)], { made: [app('load', 6)] }),
    wait(0.1, 50, [app('load', 6)], { made: [app('load', 6)] }),
    wait(0.1, 49, [native('then'), library('then', cancelable)], { made })
  ]
  const { lines: [{ count, awaited, via }] } = attributeWaits(waits, { runs: [] })
  assert.deepEqual([count, awaited, via], [1, 'p-cancelable', 'got'])
})

test('the async stack may be cut: another one showed who calls the function', () => {
  const waits = [
    wait(0, 10, [app('load', 6), app('handler', 12)]),
    wait(0, 30, [app('handler', 12)]),
    wait(10, 30, [app('load', 7)])
  ]
  assert.deepEqual(divided(waits), { 'load:6': 10, 'load:7': 20 })
})

test('what nobody awaits is not what the request waits for', () => {
  const waits = [
    wait(0, 400, [app('audit', 30), app('handler', 11)]),
    wait(0, 50, [app('load', 6), app('handler', 12)]),
    wait(0, 50, [app('handler', 12)], { made: [app('load', 5), app('handler', 12)] }),
    wait(50, 80, [app('handler', 13)], { made: [native('Promise'), library('query'), app('handler', 13)] })
  ]
  const { 'audit:30': after, ...rest } = divided(waits)
  assert.deepEqual(rest, { 'load:6': 50, 'handler:13 pg-pool': 30 })
  assert.equal(after, 320, 'the rest of what was left pending')
})

test('a function that a library calls back is awaited with the library', () => {
  const made = [native('Promise'), library('transaction', '/app/node_modules/knex/index.js'), app('handler', 12)]
  const waits = [
    wait(0, 20, [app('save', 6), library('transaction', '/app/node_modules/knex/index.js'), app('handler', 12)]),
    wait(0, 40, [app('handler', 12)], { made }),
    wait(20, 40, [app('save', 7)])
  ]
  assert.deepEqual(divided(waits), { 'save:6': 20, 'save:7': 20 })
})

test('what a package calls back later is awaited with it, also through another package', () => {
  const graphql = library('execute', '/app/node_modules/graphql/execute.js')
  const loader = library('dispatch', '/app/node_modules/dataloader/index.js')
  const outer = wait(0, 60, [app('handler', 12)], { made: [graphql, app('handler', 12)] })
  const query = { made: [native('Promise'), library('query'), app('load', 6)] }
  assert.deepEqual(divided([outer, wait(1, 50, [app('load', 6), graphql], query)]), { 'handler:12 graphql': 11, 'load:6 pg-pool': 49 })
  const batch = wait(2, 50, [app('load', 6), loader], query)
  const resolver = wait(1, 51, [native('then'), graphql], { made: [native('Promise'), loader, app('resolve', 20), graphql] })
  assert.deepEqual(divided([outer, resolver, batch]), { 'handler:12 graphql': 12, 'load:6 pg-pool': 48 })
  assert.deepEqual(divided([outer, batch]), { 'handler:12 graphql': 60 }, 'nothing awaits the batch')
  assert.deepEqual(divided([outer, resolver, wait(2, 70, [app('load', 6), loader], query)]), { 'handler:12 graphql': 60, 'load:6 pg-pool': 10 }, 'it outlasts the wait')
})

test('Promise.all() is one wait at its line, and a race is what is in it', () => {
  const within = [wait(0, 40, [app('load', 6), app('handler', 13)]), wait(0, 90, [app('count', 8), app('handler', 14)])]
  const internal = wait(0, 40, [native('then'), native('all'), app('handler', 12)])
  const all = [...within, internal, wait(0, 90, [app('handler', 12)], { made: [native('all'), app('handler', 12)] })]
  assert.deepEqual(divided(all), { 'handler:12 Promise.all': 90 })
  const race = [within[0], wait(0, 40, [app('handler', 12)], { made: [native('race'), app('handler', 12)] })]
  assert.deepEqual(divided(race), { 'load:6': 40 })
})

test('where most of Promise.all() is a wait for one function in it, that is named', () => {
  const all = wait(0, 90, [app('handler', 12)], { made: [native('all'), app('handler', 12)] })
  const longestOf = waits => attributeWaits([all, ...waits], { runs: [] }).lines[0].longest
  const inside = [wait(0, 90, [app('count', 8), app('handler', 14)]), wait(0, 89, [app('query', 20), app('count', 7), app('handler', 14)])]
  assert.equal(longestOf([wait(0, 20, [app('load', 6), app('handler', 13)]), inside[0]])?.function, 'count')
  assert.equal(longestOf([wait(0, 20, [app('load', 6), app('handler', 13)]), ...inside])?.function, 'query', 'the innermost one')
  assert.equal(longestOf([wait(0, 80, [app('load', 6), app('handler', 13)]), inside[0]]), null, 'both take as long')
  assert.equal(longestOf([]), null)
})

test('Promise.all() of calls to one package is a wait for that package', () => {
  const all = [native('all'), app('handler', 12)]
  const outer = wait(0, 90, [app('handler', 12)], { made: all })
  const query = [native('Promise'), library('query'), app('pick', 12), native('map'), app('handler', 12)]
  const member = (toMs, made) => wait(0, toMs, [native('then'), ...all], { made })
  assert.deepEqual(divided([outer, member(40, query), member(90, query)]), { 'handler:12 pg-pool': 90 })
  assert.deepEqual(divided([outer, member(40, query), member(90, [library('get', '/app/node_modules/ioredis/index.js'), app('handler', 12)])]), { 'handler:12 Promise.all': 90 })
  assert.equal(attributeWaits([outer, member(40, query), member(90, query)], { runs: [] }).lines[0].together, 2)
  const inside = wait(0, 89, [app('load', 6), native('map'), app('handler', 12)], { made: [library('query'), app('load', 6)] })
  assert.deepEqual(divided([outer, inside, member(90, [app('load', 5), native('map'), app('handler', 12)])]), { 'handler:12 pg-pool': 90 }, 'by functions of the application')
})

test('what a handler returns without awaiting it is what the request waits for', () => {
  const framework = library('handleRequest', '/app/node_modules/fastify/index.js')
  const outer = wait(0, 50, [native('then'), framework], { made: [app('handler', 11), framework] })
  const query = [native('Promise'), library('query'), app('load', 6), app('handler', 12)]
  assert.deepEqual(divided([outer, wait(1, 49, [native('then')], { made: query })]), { 'handler:11': 2, 'load:6 pg-pool': 48 })
  const thenable = { stack: read([library('run', '/app/node_modules/knex/index.js')]), made: null, fromMicros: 0, toMicros: 49e3, resource: '' }
  assert.deepEqual(divided([outer, thenable]), { 'handler:11 knex': 50 })
  const own = wait(0, 30, [app('handler', 12), framework])
  assert.deepEqual(divided([outer, own]), { 'handler:12': 30, 'handler:11': 20 })
})

test('a library that awaits by itself is what the application awaits', () => {
  const waits = [wait(0, 30, [library('connect'), library('run', '/app/node_modules/knex/lib/runner.js'), app('load', 6)]), wait(0, 30, [app('load', 6)])]
  assert.deepEqual(divided(waits), { 'load:6 pg-pool': 30 })
  const { lines: [{ via }] } = attributeWaits(waits, { runs: [] })
  assert.equal(via, 'knex')
})

test('of a request that was not followed to the end, the rest of what a function awaits is divided as before', () => {
  const made = { made: [native('Promise'), library('query'), app('load', 7)] }
  const waits = [
    wait(0, 600, [app('handler', 12)], { made: [app('load', 5), app('handler', 12)] }),
    wait(0, 10, [app('load', 6), app('handler', 12)]),
    ...[10, 20, 30].map(ms => wait(ms, ms + 10, [app('load', 7), app('handler', 12)], made))
  ]
  const { lines } = attributeWaits(waits, { runs: [], truncatedMicros: 40e3 })
  const found = lines.map(({ app: [{ place }], awaited, count, spans }) => [place.line, awaited, count, spans.reduce((all, micros, index) => all + (index % 2 === 0 ? -micros : micros), 0) / 1e3])
  assert.deepEqual(found, [[6, null, 15, 150], [7, 'pg-pool', 45, 450]])
  const alone = [wait(0, 10, [app('load', 6)]), wait(11, 90, [app('handler', 12)])]
  assert.deepEqual(attributeWaits(alone, { runs: [], truncatedMicros: 10e3 }).lines.map(({ app: [{ place }] }) => place.line), [6, 12], 'what nothing was seen of')
})

test('the time in which a request waits for what others wait for, too, is counted apart', () => {
  const made = { made: [native('Promise'), library('query'), app('load', 6)] }
  const [own, shared] = [false, true].map(isShared => ({ ...wait(0, 50, [app('load', 6)], made), isShared }))
  const sharedIn = waits => attributeWaits(waits, { runs: [] }).lines.map(({ sharedMicros }) => sharedMicros)
  assert.deepEqual([sharedIn([own]), sharedIn([shared])], [[0], [50e3]])
})

test('a handler waits once, although its framework goes on later, after the code of others', () => {
  const waits = [
    wait(0, 600, [app('handler', 12)], { made: [native('Promise'), app('next', 5), app('handler', 12)] }),
    wait(0, 601, [native('then'), library('handleRequest', '/app/node_modules/router/lib/layer.js')], { made: [app('handler', 12)] })
  ]
  const { lines } = attributeWaits(waits, { runs: [600, 600.1].map(ms => ms * 1e3) })
  assert.deepEqual(lines.map(({ app: [{ place }], count }) => [place.line, count]), [[12, 1]])
})

test('of a request that was not followed to the end, waits are counted by how long the ones took that were seen', () => {
  // Six calls of 120 ms; too much was captured one millisecond after the first one began.
  const waits = [wait(0, 720, [app('handler', 12)], { made: [app('load', 5), app('handler', 12)] }), wait(0, 120, [app('load', 6), app('handler', 12)])]
  const { lines: [{ count }] } = attributeWaits(waits, { runs: [], truncatedMicros: 1e3 })
  assert.equal(count, 6)
})

test('then() waits like await, and callbacks wait where nothing else does', () => {
  assert.deepEqual(divided([wait(0, 30, [native('then'), app('load', 6), app('handler', 12)]), wait(0, 30, [app('handler', 12)], { made: [native('then'), app('load', 6), app('handler', 12)] })]), { 'load:6': 30 })
  const timer = { resource: 'timer' }
  assert.deepEqual(divided([wait(0, 20, [node('setTimeout', 'node:timers'), app('step', 4)], timer)]), { 'step:4 timer': 20 })
  assert.deepEqual(divided([wait(0, 20, [node('setTimeout', 'node:timers'), app('executor', 6), app('load', 6)], timer), wait(0, 20, [app('load', 6)])]), { 'load:6 timer': 20 })
})

test('a timer that only bounds the wait for an event, or was set by others, is not what is awaited', () => {
  const bound = wait(0, 20, [node('setTimeout', 'node:timers'), app('executor', 6), app('load', 6)], { resource: 'timer' })
  const settledBy = (settled, isByOther = false) => divided([bound, { ...wait(0, 20, [app('load', 6)]), settled, isByOther }])
  assert.deepEqual(settledBy({ kind: 'timer', place: null }), { 'load:6 timer': 20 })
  assert.deepEqual(settledBy({ kind: 'stream', place: null }), { 'load:6 stream': 20 })
  assert.deepEqual(settledBy(null), { 'load:6': 20 })
  assert.deepEqual(settledBy({ kind: 'timer', place: null }, true), { 'load:6': 20 })
  assert.deepEqual(divided([{ ...wait(0, 20, [app('load', 6)]), settled: { kind: 'timer', place: null }, isByOther: true }]), { 'load:6': 20 })
})

test('a timer that Node.js sets for itself is nothing that a request waits for', () => {
  const write = [node('_storeHeader', 'node:_http_outgoing'), app('send', 9)]
  assert.deepEqual(divided([wait(0, 30, [node('Timeout', 'node:internal/timers'), node('utcDate', 'node:internal/http'), ...write], { resource: 'timer' })]), {})
  assert.deepEqual(divided([wait(0, 30, [node('Timeout', 'node:internal/timers'), node('setTimeout', 'node:timers/promises'), app('step', 4)], { resource: 'timer' })]), { 'step:4 timer': 30 })
})

test('a function is awaited by the one whose promise is passed on to it, which is on no stack any more', () => {
  const begin = library('begin', '/app/node_modules/postgres/index.js')
  const waits = [
    wait(0, 90, [app('handler', 17)], { made: [app('buy', 10), app('handler', 17)] }),
    wait(0, 90, [native('then')], { made: [begin, app('buy', 11), app('handler', 17)] }),
    wait(10, 80, [app('callback', 12), begin, app('handler', 17)])
  ]
  assert.deepEqual(divided(waits), { 'buy:11 postgres': 20, 'callback:12': 70 })
})

test('frameworks and Node.js alone are no answer', () => {
  assert.deepEqual(divided([wait(0, 30, [library('handleRequest', '/app/node_modules/router/lib/layer.js')]), wait(0, 30, [node('once', 'node:events')])]), {})
})

test('a middleware of a package waits at its own line, where nothing of the application does', () => {
  const slowDown = library('slowDown', '/app/node_modules/express-slow-down/index.js')
  const router = library('handleRequest', '/app/node_modules/router/lib/layer.js')
  const pause = wait(0, 30, [node('setTimeout', 'node:timers'), slowDown, router], { resource: 'timer' })
  assert.deepEqual(divided([pause]), { 'slowDown:5 timer': 30 })
  assert.deepEqual(divided([wait(0, 30, [slowDown, router], { made: [library('get', '/app/node_modules/ioredis/index.js'), slowDown, router] })]), { 'slowDown:5 ioredis': 30 })
  assert.deepEqual(divided([pause, wait(0, 20, [app('handler', 12)])]), { 'handler:12': 20, 'slowDown:5 timer': 10 })
})

test('awaits in a row are counted by function, and of nested ones the caller is named', () => {
  const waits = Array.from({ length: 4 }, (_, index) => [
    wait(index * 10, index * 10 + 10, [app('load', 6), app('handler', 12)]),
    wait(index * 10, index * 10 + 10, [app('handler', 12)])
  ]).flat()
  const { serial } = attributeWaits(waits, { runs: [] })
  assert.deepEqual(serial.map(({ frame, count, micros }) => [frame.place.function, count, micros]), [['handler', 4, 40_000]])
  const next = { made: [native('resolve'), library('dispatch', '/app/node_modules/koa-compose/index.js'), app('timing', 5)] }
  const inner = [wait(5, 20, [app('handler', 12), library('dispatch', '/app/node_modules/koa-compose/index.js'), app('timing', 5)])]
  assert.deepEqual(attributeWaits([wait(0, 5, [app('timing', 4)]), ...inner, wait(5, 20, [app('timing', 5)], next)], { runs: [] }).serial, [], 'the next middleware')
  const atOnce = [wait(0, 10, [app('load', 6)]), wait(0, 12, [app('load', 6)])]
  assert.deepEqual(attributeWaits(atOnce, { runs: [] }).serial, [])
})

test('of a wait for a queue, the time until its turn is separated from that of the work itself', () => {
  const queue = name => library(name, '/app/node_modules/p-queue/index.js')
  const made = [native('Promise'), queue('add'), app('load', 6), app('handler', 12)]
  const turnMs = waits => attributeWaits(waits, { runs: [] }).lines.map(({ turnMicros }) => turnMicros / 1e3)
  const own = rest => wait(0, 90, [app('load', 6), app('handler', 12)], { made, ...rest })
  assert.deepEqual(turnMs([own({ isByOther: true, sinceMs: 60 })]), [60], 'others did the work since then')
  assert.deepEqual(turnMs([own({ sinceMs: 60 })]), [0], 'its own work, as several rounds of it')
  assert.deepEqual(turnMs([own({ isByOther: true })]), [0], 'not seen')
  assert.deepEqual(turnMs([own({ isByOther: true, sinceMs: -5 })]), [0], 'the work was under way: it is shared')
  const gate = wait(1, 60, [native('then'), queue('enqueue'), queue('add'), app('load', 6), app('handler', 12)], { made: [native('Promise'), queue('enqueue'), app('load', 6)], isByOther: true, sinceMs: 20 })
  assert.deepEqual(turnMs([gate, own({ sinceMs: 60 })]), [60], 'the work begins in the code of the request')
  const database = [native('Promise'), library('query'), app('load', 6)]
  assert.deepEqual(turnMs([wait(0, 90, [app('load', 6)], { made: database, isByOther: true, sinceMs: 60 })]), [0], 'a package of another kind')
})

test('helpers of compilers are not what is awaited', () => {
  const tslib = library('__awaiter', '/app/node_modules/tslib/tslib.js')
  const { awaited, via } = read([native('then'), tslib, library('acquire', '/app/node_modules/async-mutex/index.js'), tslib, app('load', 6)])
  assert.deepEqual([awaited, via], ['async-mutex', null])
})

test('what an async function returns without awaiting it is waited for at the line of its call', () => {
  const returning = { made: [app('load', 5), app('handler', 12)] }
  const outer = wait(0, 50, [app('handler', 12)], returning)
  const query = [native('Promise'), library('query'), app('load', 6), app('handler', 12)]
  assert.deepEqual(divided([outer, wait(1, 49, [native('then')], { made: query })]), { 'load:6 pg-pool': 50 })
  const [{ app: [, caller], count, ended }] = attributeWaits([outer, wait(1, 49, [native('then')], { made: query })], { runs: [] }).lines
  assert.deepEqual([caller.place.line, count, ended.at(-1)], [12, 1, 50_000])
  const reported = wait(0, 48, [library('query', '/app/node_modules/mysql2/index.js'), app('load', 6), app('handler', 12)], { resource: 'mysql' })
  assert.deepEqual(divided([outer, reported, wait(1, 49, [native('then')], { made: [native('Promise'), app('load', 6), app('handler', 12)] })]), { 'load:6 mysql2': 50 })
  const timer = { ...wait(1, 49, [native('then')], { made: [native('Promise'), app('load', 6), app('handler', 12)] }), settled: { kind: 'timer', place: null } }
  assert.deepEqual(divided([outer, timer]), { 'load:6 timer': 50 })
  const betweenTimers = [native('runMicrotasks'), node('runNextTicks', 'node:internal/process/task_queues'), node('listOnTimeout', 'node:internal/timers')]
  assert.deepEqual(divided([outer, wait(1, 49, betweenTimers, { made: query })]), { 'load:6 pg-pool': 50 })
  const before = [wait(0, 20, [app('load', 4), app('handler', 12)]), wait(20, 49, [native('then')], { made: query })]
  assert.deepEqual(divided([outer, ...before]), { 'load:4': 20, 'load:6 pg-pool': 30 })
  const inner = [wait(0, 49, [native('then')], { made: [app('find', 3), app('load', 6), app('handler', 12)] }), wait(0, 48, [native('then')], { made: [native('Promise'), library('query'), app('find', 4), app('load', 6), app('handler', 12)] })]
  assert.deepEqual(divided([outer, ...inner]), { 'find:4 pg-pool': 50 }, 'of another one that does so')
  const sent = { made: [native('Promise'), library('dispatch'), library('get'), app('load', 7), app('handler', 12)] }
  const inPackage = [wait(0, 48, [native('then')], sent), wait(0, 49, [app('load', 7), app('handler', 12)], { made: [library('get'), app('load', 7), app('handler', 12)] })]
  assert.deepEqual(attributeWaits([outer, ...inPackage], { runs: [] }).lines.map(({ app: [{ place }], count }) => [place.line, count]), [[7, 1], [12, 1]], 'and not what a package returns to itself')
  const other = wait(1, 49, [native('then')], { made: [native('Promise'), library('query'), app('else', 9)] })
  assert.deepEqual(divided([outer, other]), { 'handler:12': 50 }, 'of another function')
})

test('what a function that is not async returns is awaited by its caller, and the line of its call is known', () => {
  const calledAtIn = (made, more = []) => attributeWaits([wait(0, 50, [app('handler', 12)], { made }), ...more], { runs: [] }).lines[0].calledAt
  const file = node('readFile', 'node:internal/fs/promises')
  assert.deepEqual([[library('query'), app('find', 6)], [file, app('find', 6)]].map(from => calledAtIn([...from, app('handler', 12)])?.line), [6, 6])
  assert.deepEqual([[library('query')], [app('find', 5)], [native('all'), library('query'), app('find', 6)]].map(from => calledAtIn([...from, app('handler', 12)])), [null, null, null])
})

test('a pool inside of another package is seen, and its time separated', () => {
  const acquire = [native('Promise'), library('acquire', '/app/node_modules/sequelize-pool/index.js'), library('query', '/app/node_modules/sequelize/index.js'), app('load', 6)]
  const inside = wait(1, 31, [library('query', '/app/node_modules/sequelize/index.js'), app('load', 6)], { made: acquire })
  const own = wait(0, 50, [app('load', 6)], { made: [library('query', '/app/node_modules/sequelize/index.js'), app('load', 6)] })
  const { lines: [{ awaited, poolMicros, count }] } = attributeWaits([own, inside], { runs: [] })
  assert.deepEqual([awaited, poolMicros, count], ['sequelize', 30_000, 1])
})

test('a pipeline is one wait: of a package many promises may be pending at once', () => {
  const commands = Array.from({ length: 60 }, (_, index) => wait(0, 40 + index / 100, [native('then'), library('sendCommand', '/app/node_modules/ioredis/index.js'), app('load', 6), app('handler', 12)]))
  const outer = wait(1, 41, [app('handler', 12)], { made: [app('load', 5), app('handler', 12)] })
  const { lines } = attributeWaits([...commands, outer], { runs: [] })
  assert.equal(lines.toSorted((left, right) => right.spans[1] - right.spans[0] - left.spans[1] + left.spans[0])[0].app[0].place.function, 'handler', 'its own function comes first')
  assert.deepEqual(attributeWaits(commands, { runs: [] }).lines.map(({ count }) => count), [1])
  const inTurn = [0, 10, 20].map(ms => wait(ms, ms + 10, [app('poll', 6)], { resource: 'timer' }))
  assert.deepEqual(attributeWaits(inTurn, { runs: [] }).lines.map(({ count }) => count), [3])
})

test('a request that is not answered yet stands in the line of a lock, as long as nothing was begun for it', () => {
  const mutex = [native('Promise'), library('acquire', '/app/node_modules/async-mutex/index.js')]
  const turnMsOf = (waits, request) => attributeWaits(waits, { runs: [], toMicros: 90e3, ...request }).lines.reduce((all, { turnMicros }) => all + turnMicros / 1e3, 0)
  const waiting = wait(0, 90, [app('update', 6)], { made: [...mutex, app('update', 6)] })
  const begun = wait(30, 90, [library('query')], { made: [native('Promise'), library('query')] })
  assert.deepEqual([turnMsOf([waiting], { isOpen: true }), turnMsOf([waiting], { isOpen: false }), turnMsOf([waiting, begun], { isOpen: true })], [90, 0, 0])
})

test('the turn in a queue that runs its work as code of another request begins when that passes the promise on', () => {
  const made = [native('Promise'), library('generator', '/app/node_modules/p-limit/index.js'), app('load', 6)]
  const own = wait(0, 90, [app('load', 6)], { made, sinceMs: 60 })
  const turnMs = waits => attributeWaits(waits, { runs: [] }).lines.map(({ turnMicros }) => turnMicros / 1e3)
  assert.deepEqual(turnMs([own, wait(60, 89, [native('then')], { isByOther: true })]), [60])
  assert.deepEqual(turnMs([own, wait(1, 89, [native('then')])]), [0], 'its own turn came at once')
})
