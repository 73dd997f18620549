'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { withoutOwnFrames } = require('../../lib/formats/profile/own-frames')
const { WRAPPER_NAME } = require('../../lib/base/own-files')
const { assertValid, deepFreeze } = require('./crafted')

const LIB = path.join(__dirname, '../../lib/')
const ROTATE = ['rotate', `${LIB}probe/recorder/recorder.js`]
const MIDDLEWARE = ['loopscope', pathToFileURL(`${LIB}api/http/middleware.js`).href]
const HANDLER = ['search', '/app/search.js']

/** One stack of frames `[name, url]` a sample, each of 1 ms, outermost first. */
function profileOf (...stacks) {
  const nodes = [{ id: 1, callFrame: frameOf('(root)', ''), children: [] }]
  const samples = stacks.map(stack => stack.reduce((parent, [name, url]) => {
    const known = nodes[parent - 1].children.find(id => nodes[id - 1].callFrame.functionName === name)
    if (known !== undefined) return known
    nodes.push({ id: nodes.length + 1, callFrame: frameOf(name, url), children: [] })
    nodes[parent - 1].children.push(nodes.length)
    return nodes.length
  }, 1))
  return deepFreeze({ nodes, samples, timeDeltas: samples.map(() => 1000), startTime: 0, endTime: samples.length * 1000 })
}

function frameOf (functionName, url) {
  return { functionName, scriptId: url === '' ? '0' : '7', url, lineNumber: url === '' ? -1 : 0, columnNumber: 0 }
}

/** The stack of each sample, by name. */
function stacksOf (profile) {
  assertValid(profile)
  const parents = new Map(profile.nodes.flatMap(({ id, children }) => children.map(child => [child, id])))
  const byId = new Map(profile.nodes.map(node => [node.id, node]))
  return profile.samples.map(sample => {
    const names = []
    for (let id = sample; id !== undefined; id = parents.get(id)) names.unshift(byId.get(id).callFrame.functionName)
    return names.slice(1).join(' ')
  })
}

test('an interrupt\'s time is that of the function that it interrupted', () => {
  const profile = profileOf([HANDLER], [HANDLER, ROTATE], [HANDLER, ROTATE, ['profileEnd', '']])
  assert.deepEqual(stacksOf(withoutOwnFrames(profile)), ['search', 'search', 'search'])
})

test('loopscope\'s own work outside requests belongs to (program), whether or not V8 saw one', () => {
  const timer = ['listOnTimeout', 'node:internal/timers']
  assert.deepEqual(stacksOf(withoutOwnFrames(profileOf([timer, ROTATE, ['profileEnd', '']], [timer, ROTATE]))), ['(program)', '(program)'])
  assert.deepEqual(stacksOf(withoutOwnFrames(profileOf([['(program)', '']], [timer, ROTATE], [timer]))), ['(program)', '(program)', 'listOnTimeout'])
})

test('what a middleware or a wrapper calls hangs under what calls it', () => {
  const wrapper = [WRAPPER_NAME, '/app/bundle.js']
  const profile = profileOf(
    [['handle', '/app/node_modules/router/index.js'], MIDDLEWARE, ['run', 'node:async_hooks'], HANDLER],
    [['handle', '/app/node_modules/router/index.js'], MIDDLEWARE],
    [HANDLER, wrapper, ['pbkdf2Sync', 'node:internal/crypto/pbkdf2']]
  )
  assert.deepEqual(stacksOf(withoutOwnFrames(profile)), ['handle run search', 'handle', 'search pbkdf2Sync'])
})

test('a package that loopscope loads or calls counts as loopscope\'s, and what it calls of the application does not', () => {
  const timer = ['listOnTimeout', 'node:internal/timers']
  const load = ['load', `${LIB}api/lazy-logger.js`]
  const [require, read] = [['require', 'node:internal/modules/helpers'], ['readFileSync', 'node:fs']]
  const [pino, thread] = [['(pino)', '/app/node_modules/pino/pino.js'], ['(thread-stream)', '/app/node_modules/thread-stream/index.js']]
  assert.deepEqual(stacksOf(withoutOwnFrames(profileOf(
    [timer, load, require, read],
    [timer, load, require, pino, require, thread, require, read],
    [HANDLER, load, require, pino, require, read],
    [HANDLER, require, pino, require, read]
  ))), ['(program)', '(program)', 'search', 'search require (pino) require readFileSync'])
  const serve = ['serve', `${LIB}api/admin/metrics-reading.js`]
  const metrics = ['metrics', '/app/node_modules/prom-client/lib/registry.js']
  assert.deepEqual(stacksOf(withoutOwnFrames(profileOf([timer, serve, metrics], [timer, serve, metrics, ['collect', '/app/metrics.js'], read], [timer, metrics]))),
    ['(program)', 'listOnTimeout collect readFileSync', 'listOnTimeout metrics'])
})

test('a profile without loopscope\'s frames stays as it is', () => {
  const profile = profileOf([HANDLER], [['(idle)', '']])
  assert.equal(withoutOwnFrames(profile), profile)
})
