'use strict'

// What a suspect is called, on ways put together by hand; suspects.slow.test.js has those of real applications.

const test = require('node:test')
const assert = require('node:assert/strict')
const { isOfListeners, nameOf } = require('../../lib/analysis/suspects/naming')
const { readable, signatureOf } = require('../../lib/analysis/suspects/retainer-path')

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

test('a chain of promises is one step, and is named after what leads to it', () => {
  const link = { ...property('', 'Promise'), by: 'internal' }
  const path = readable([{ ...variable('open', 'Function'), place }, ...Array.from({ length: 500 }, () => link)])
  assert.equal(path.length, 2)
  assert.equal(nameOf(path, 'Promise'), 'open')
})

test('what no way leads to is told apart by its class', () => {
  assert.notEqual(signatureOf([], 'Map'), signatureOf([], 'Set'))
})
