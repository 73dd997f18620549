'use strict'

// What of ours throws where somebody else called it ends the application, or the observer. Here every place of lib/ that hands
// out a function to a timer, an event, a message or a signal is found, and must hand out a guarded one.

const test = require('node:test')
const assert = require('node:assert/strict')
const ts = require('typescript')
const { guarded, setFaultListener, unattended } = require('../../lib/base/guard')
const { listFiles, readProject } = require('./project')

// Who calls back: the name of what takes the callback, and as which argument.
const CALLERS = new Map(Object.entries({
  setTimeout: 0,
  setInterval: 0,
  setImmediate: 0,
  queueMicrotask: 0,
  nextTick: 0,
  PerformanceObserver: 0,
  FinalizationRegistry: 0,
  on: 1,
  once: 1,
  addListener: 1,
  prependListener: 1,
  addEventListener: 1,
  subscribe: 1,
  onFinished: 1,
  stat: 1,
  watch: 2,
  createServer: 1
}))

// The command line is a process of its own, and a page runs in a browser.
const isLoopscope = file => file.endsWith('.js') && !/^lib\/(?:cli|page)\//.test(file)

// What is handed out as it is, and why nothing can come of it.
const BARE = new Map(Object.entries({
  'lib/observer/admin/control-socket.js createServer': 'the function of that name in listener.js guards it',
  'lib/shared/admin/exchange.js outgoing.on': 'does nothing',
  'lib/observer/admin/jobs.js setTimeout': 'resolves a promise',
  'lib/observer/admin/listener.js createServer': 'the function of that name guards it',
  'lib/probe/http/request-channel.js subscribe': 'catches by itself: called for each request',
  'lib/probe/http/response-ends.js subscribe': 'catches by itself: called for each request',
  'lib/probe/waits/dependency-calls.js subscribe': 'catches by itself: called for each call',
  'lib/probe/waits/libraries/node-channels.js socket.on': 'each of the listeners is guarded',
  'lib/api/pm2/parent-channel.js process.nextTick': 'calls the application, as Node.js does: what it throws is its own',
  'lib/observer/heap/near-limit.js on': 'reports a fault',
  'lib/observer/rules/run-actions.js sent.on': 'does nothing',
  'lib/link/observer-client.js worker.once': 'resolves a promise',
  'lib/observer/stalls/stall-detection.js setTimeout': 'resolves a promise',
  'lib/probe/stalls.js setTimeout': 'resolves a promise',
  'lib/observer/egress/send-request.js sending.on': 'rejects a promise',
  'lib/observer/egress/send-request.js response.on': 'rejects a promise',
  'lib/observer/egress/sender.js setTimeout': 'resolves a promise'
}))

/** Every function that a file hands out to be called later. */
function entriesOf (file) {
  const source = ts.createSourceFile(file, readProject(file), ts.ScriptTarget.Latest, true)
  const entries = []
  const visit = node => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) entries.push(...entryOf(file, node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return entries
}

function entryOf (file, { expression, arguments: values = [] }) {
  const isMember = ts.isPropertyAccessExpression(expression)
  const name = (isMember ? expression.name : expression).getText()
  const position = CALLERS.get(name)
  // once() of node:events returns a promise, a response's setTimeout() takes a number.
  if (position === undefined || (name === 'once' && !isMember) || (name.startsWith('set') && isMember)) return []
  // net.createServer() has its callback in the place of options.
  const callback = values[Math.min(position, values.length - 1)]
  const owner = isMember && !ts.isCallExpression(expression.expression) ? `${expression.expression.getText()}.` : ''
  return callback === undefined ? [] : [{ key: `${file} ${owner}${name}`, isGuarded: isGuarded(callback) }]
}

/** guarded(...), or the name of something that is. */
function isGuarded (callback) {
  const text = callback.getText()
  const name = text.replace('this.', '')
  return text.startsWith('guarded(') || (/^#?\w+$/.test(name) && new RegExp(`(?:^|[\\s.])${name} = guarded\\(`, 'm').test(callback.getSourceFile().text))
}

const entries = listFiles('lib').filter(isLoopscope).flatMap(entriesOf)

test('every function that a timer, an event, a message or a signal calls is guarded', () => {
  assert.deepEqual(entries.filter(({ key, isGuarded }) => !isGuarded && !BARE.has(key)).map(({ key }) => key), [])
  assert.ok(entries.length > 40)
})

test('every exemption is of a place that there is', () => {
  const bare = new Set(entries.filter(({ isGuarded }) => !isGuarded).map(({ key }) => key))
  assert.deepEqual([...BARE.keys()].filter(key => !bare.has(key)), [])
})

test('what a guarded function throws, or rejects with, is reported and goes no further', async () => {
  const faults = []
  setFaultListener(error => faults.push(error.message))
  const seen = []
  guarded(function (...values) { seen.push(this, ...values) }).call('receiver', 1, 2)
  assert.deepEqual(seen, ['receiver', 1, 2])
  assert.equal(guarded(() => { throw new Error('thrown') })(), undefined)
  guarded(async () => { throw new Error('rejected') })()
  unattended(Promise.reject(new Error('unattended')))
  await new Promise(setImmediate)
  assert.deepEqual(faults, ['thrown', 'rejected', 'unattended'])
})

test('a listener that throws is no fault of the application', () => {
  setFaultListener(() => { throw new Error('logger') })
  guarded(() => { throw new Error('thrown') })()
})
