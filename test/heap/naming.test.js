'use strict'

// What a suspect is called, on ways put together by hand; suspects.slow.test.js has those of real applications.

const test = require('node:test')
const assert = require('node:assert/strict')
const { subjectOf } = require('../../lib/heap-diff/report')
const { areConnections, isOfListeners, keptByText, nameOf, whatOf } = require('../../lib/heap-diff/suspects/naming')
const { readable, signatureOf } = require('../../lib/heap-diff/suspects/retainer-path')

const place = { file: '/app/orders.js', line: 3 }
const property = (name, className, rest) => ({ by: 'property', name, className, node: 1, place: null, ...rest })
const variable = (name, className) => ({ ...property(name, className), by: 'variable' })
const entry = (className, rest) => ({ ...property('', className, rest), by: 'entry' })
const emitter = [variable('orders', 'EventEmitter'), property('_events', 'Object')]

test('listeners are named after their emitter and event, and what one of them has in a variable after that', () => {
  const list = [...emitter, property('change', 'Array')]
  assert.deepEqual([nameOf(list, 'Array'), isOfListeners(list)], ["orders.on('change')", true])
  assert.equal(nameOf([...list, entry('Function')], 'Function'), "orders.on('change')")
  assert.equal(nameOf(emitter, 'Object'), 'orders')
  const captured = [...emitter, property('change', 'Function', { place }), variable('seen', 'Map')]
  assert.deepEqual([nameOf(captured, 'Map'), isOfListeners(captured)], ['seen', false])
})

test('the nearest name is on the way that is shown, however far from the application\'s code', () => {
  const path = readable([property('keep', 'Array'), entry('Array'), entry('Array'), entry('Order', { place }), entry('Map')])
  assert.equal(path[0].name, 'keep')
  assert.equal(nameOf(path, 'Map'), 'keep')
})

test('a name that was taken out of the snapshot is none', () => {
  assert.equal(nameOf([property('keep', 'Object'), property('[redacted]', 'Map')], 'Map'), 'keep')
  assert.equal(nameOf([], 'Map'), 'Map')
})

test('what Node.js calls something is no name, unless everybody calls it so', () => {
  const ofNode = property('setTimeout', 'Function', { place: { file: 'node:timers', line: 123 } })
  const nameBehind = (name, className) => nameOf(readable([ofNode, variable(name, 'Object'), entry(className)]), className)
  assert.equal(nameBehind('timerListMap', 'TimersList'), 'setTimeout or setInterval')
  assert.equal(nameBehind('internals', 'Map'), 'setTimeout')
  assert.equal(nameBehind('process', 'Map'), 'process')
  const listeners = name => readable([ofNode, variable(name, 'process'), property('_events', 'Object'), property('exit', 'Array')])
  for (const name of ['_process', 'process']) assert.equal(nameOf(listeners(name), 'Array'), "process.on('exit')")
})

test('a symbol is written as people print it', () => {
  assert.equal(nameOf([property('<symbol app.cache>', 'Map')], 'Map'), 'Symbol(app.cache)')
})

test('a queue of Node.js is named after what it is, and whose', () => {
  const stream = [variable('audit', 'Writable'), property('_writableState', 'WritableState')]
  const ways = [
    [[...stream, property('<symbol kBufferedValue>', 'Array')], 'audit: write queue'],
    [[...stream, property('buffered', 'Array'), entry('Object')], 'audit: write queue'],
    [stream, 'audit: write queue'],
    [[variable('source', 'Readable'), property('_readableState', 'ReadableState'), property('buffer', 'BufferList'), property('head', 'Object')], 'source: read queue'],
    [[property('globalAgent', 'Agent'), property('requests', 'Object'), property('10.0.0.1:443:', 'Array')], 'globalAgent: waiting requests'],
    [[variable('pool', 'HttpsProxyAgent'), property('sockets', 'Object')], 'pool: sockets in use'],
    [[entry('Agent'), property('freeSockets', 'Object'), property('10.0.0.1:443:', 'Array')], 'Agent: idle sockets']
  ]
  for (const [path, name] of ways) assert.equal(nameOf(path, 'Array'), name)
  assert.equal(nameOf([...stream, property('buffered', 'Array'), entry('Order'), property('lines', 'Array')], 'Array'), 'lines')
  assert.equal(nameOf([variable('shop', 'Shop'), property('requests', 'Array')], 'Array'), 'requests')
})

test('a part of an object that a package made is named with the variable of the application', () => {
  const ofPackage = { place: { file: '/app/node_modules/dataloader/index.js', line: 9 } }
  const users = [{ ...variable('lookup', 'Function'), place }, { ...variable('users', 'DataLoader'), ...ofPackage }]
  assert.equal(nameOf([...users, property('_cacheMap', 'Map')], 'Map'), 'users: _cacheMap')
  assert.equal(nameOf([...users, property('batch', 'Batch', ofPackage), property('keys', 'Array')], 'Array'), 'users: keys')
  assert.equal(nameOf(users, 'DataLoader'), 'users')
  // What another package has put in between is more than a variable's part.
  const store = property('store', 'MemoryStore', { place: { file: '/app/node_modules/session-store/memory.js', line: 3 } })
  assert.equal(nameOf([...users, store, property('sessions', 'Object')], 'Object'), 'sessions')
  assert.equal(nameOf([{ ...variable('open', 'Function'), place }, variable('carts', 'Cart'), property('rows', 'Map')], 'Map'), 'rows')
})

test('connections that the event loop retains are named as such, where they are many', () => {
  const growth = count => ({ className: '(synthetic)', path: [], holds: [{ name: 'TCP', count, bytes: 1e6, place: null }] })
  assert.deepEqual([whatOf(growth(500)), areConnections(growth(500)), areConnections(growth(20))], ['open connections', true, false])
})

test('an object whose keys are data is called an object', () => {
  assert.equal(subjectOf({ name: 'sessions', className: '{[redacted], [redacted]}', objects: 1, place }), '`sessions` (Object in orders.js:3)')
  assert.equal(subjectOf({ name: 'sessions', className: '{id, at}', objects: 1, place }), '`sessions` ({id, at} in orders.js:3)')
})

test('what a symbol is the key of is named with it', () => {
  assert.equal(nameOf([variable('journal', 'Journal'), property('<symbol backlog>', 'Array')], 'Array'), 'journal[Symbol(backlog)]')
  assert.equal(nameOf([entry('Journal'), property('<symbol backlog>', 'Array')], 'Array'), 'Journal[Symbol(backlog)]')
})

test('no part of a name that was taken out is shown as one', () => {
  for (const name of ['[redacted 1f2e]***', '/srv/[redacted 1f2e]/[redacted 77aa]', '[redacted][redacted][redacted]']) {
    assert.equal(nameOf([property('keep', 'Object'), property(name, 'Map')], 'Map'), 'keep')
  }
})

test('a file of a package is named with the package', () => {
  const said = file => subjectOf({ name: 'cache', className: 'Map', objects: 1, place: { file, line: 7 } })
  assert.equal(said('/srv/app/lib/orders.js'), '`cache` (Map in orders.js:7)')
  assert.equal(said('/srv/app/node_modules/lru/index.js'), '`cache` (Map in lru/index.js:7)')
  assert.equal(said('file:///srv/node_modules/a/node_modules/@shop/lru/lib/index.js'), '`cache` (Map in @shop/lru/lib/index.js:7)')
  assert.equal(said('C:\\app\\node_modules\\lru\\index.js'), '`cache` (Map in lru/index.js:7)')
})

test('a chain of promises is one step, and is named after what leads to it', () => {
  const link = { ...property('', 'Promise'), by: 'internal' }
  const path = readable([{ ...variable('open', 'Function'), place }, ...Array.from({ length: 500 }, () => link)])
  assert.equal(path.length, 2)
  assert.equal(nameOf(path, 'Promise'), 'open')
})

test('what no way leads to is told apart by its class', () => {
  assert.notEqual(signatureOf([], 'Map'), signatureOf([], 'Set'))
})

test('listeners of an EventTarget are listeners, of what it is called', () => {
  const path = [variable('closing', 'AbortController'), property('#signal', 'AbortSignal', { isOfNode: true }), property('<symbol kEvents>', 'Map'), entry('Object'), property('next', 'Listener'), property('next', 'Listener', { isRepeated: true })]
  assert.deepEqual([nameOf(path, 'Listener'), isOfListeners(path), whatOf({ className: 'Listener', path, holds: [] })], ['closing: listeners', true, 'listeners'])
  assert.equal(isOfListeners([...path, variable('rows', 'Array')]), false)
})

test('who keeps it is one sentence with the names of the source', () => {
  const positionOf = step => step.place === null ? '' : `orders.js:${step.place.line}`
  const kept = (...path) => keptByText([...path, property('x', 'Map')], 'it', positionOf)
  assert.equal(kept(property('exports', 'Function', { place }), variable('carts', 'Map'), entry('Cart', { place })), 'it ← an entry (Cart in orders.js:3) ← `carts` (Map) ← `module.exports` (orders.js:3)')
  assert.equal(kept(...emitter, property('change', 'Function', { place })), "it ← a listener for 'change' (orders.js:3) ← its listeners ← `orders` (EventEmitter)")
  assert.equal(kept(variable('list', '{value, next}'), entry('Object'), entry('Array')), 'it ← an entry ← `list`')
  assert.equal(kept(property('[redacted]', 'Object'), property('table', 'Array', { isOfNode: true })), null)
  assert.equal(keptByText([...emitter, property('change', 'Array')], 'it', positionOf), 'it ← `orders` (EventEmitter)')
  assert.equal(kept(...['a', 'b', 'c', 'd', 'e'].map(name => property(name, 'Object'))), 'it ← `e` ← `d` ← `c`')
})
