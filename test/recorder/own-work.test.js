'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { withoutOwnFrames } = require('../../lib/formats/profile/own-frames')

const OURS = path.join(__dirname, '../../lib/probe/recorder/recorder.js')

/** One stack of frames `[name, url]` a sample, each of 100 ms, outermost first. */
function culpritOf (...stacks) {
  const nodes = [{ id: 1, callFrame: frameOf('(root)', ''), children: [] }]
  const samples = stacks.map(stack => stack.reduce((parent, [name, url]) => {
    const node = { id: nodes.length + 1, callFrame: frameOf(name, url), children: [] }
    nodes.push(node)
    nodes[parent - 1].children.push(node.id)
    return node.id
  }, 1))
  const profile = { nodes, samples, timeDeltas: samples.map(() => 100_000), startTime: 0, endTime: samples.length * 100_000 }
  return findCulprit(withoutOwnFrames(profile), { appRoot: '/app' })
}

function frameOf (functionName, url) {
  return { functionName, scriptId: url === '' ? '0' : '7', url, lineNumber: 0, columnNumber: 0 }
}

test('an interrupt that runs in the middle of a function is not what held the loop', () => {
  const handler = ['search', 'file:///app/search.js']
  const { culprit, codeMs } = culpritOf([handler], [handler, ['rotate', OURS], ['profileEnd', '']], [handler, ['rotate', OURS]])
  assert.deepEqual([culprit.function, culprit.call, culprit.share, codeMs], ['search', null, 1, 300])
})

test('loopscope\'s own work has no culprit', () => {
  assert.equal(culpritOf([['listOnTimeout', 'node:internal/timers'], ['rotate', OURS], ['profileEnd', '']]).culprit, null)
})

test('what loopscope\'s middleware calls is found, and the middleware is not the culprit', () => {
  const middleware = ['loopscope', path.join(__dirname, '../../lib/api/http/middleware.js')]
  assert.equal(culpritOf([middleware, ['next', '/app/node_modules/express/next.js'], ['login', '/app/login.js']]).culprit.function, 'login')
  assert.equal(culpritOf([middleware, ['next', '/app/node_modules/express/next.js']]).culprit.function, 'next')
})

test('time filed under what an interrupt called last belongs to the function above it', () => {
  for (const native of ['now', 'executionAsyncResource']) {
    assert.equal(culpritOf([['search', '/app/search.js'], [native, '']]).culprit.call, null)
  }
})

test('zlib has its public name', () => {
  assert.equal(culpritOf([['pack', '/app/pack.js'], ['syncBufferWrapper', 'node:zlib'], ['writeSync', '']]).culprit.call, 'zlib.*Sync')
})
