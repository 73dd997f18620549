'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { pbkdf2Sync } = require('node:crypto')
const fs = require('node:fs')
const { Session } = require('node:inspector')
const v8 = require('node:v8')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { ENGINES, enginesOf } = require('../../lib/probe/recorder/engines')
const { readSerialized } = require('../../lib/observer/recorder/serialized-window')
const { inOrder } = require('../../lib/observer/recorder/window')
const { microsByStack } = require('./crafted')

const HZ = 1000
const PEER = 'v8-profiler-next'

function missingReason () {
  try {
    require(PEER)
    return null
  } catch (error) {
    return `${PEER} is not installed here: ${error.message.split('\n', 1)[0]}`
  }
}

/** Why an engine cannot be tried here. */
const MISSING = {
  inspector: null,
  builtin: typeof v8.startCpuProfile === 'function' ? null : 'this Node.js has no v8.startCpuProfile()',
  [PEER]: missingReason()
}

/**
 * Work for V8's sampler: a native call, since a cold start does not find every function that is optimized already, and a
 * long one, since on a busy machine the sampler's own thread is late.
 */
function work () {
  pbkdf2Sync('password', 'salt', 400_000, 32, 'sha256')
}

/** An engine with all windows that it ends, whichever way they come. */
function open (t, { usesSession, create }) {
  const windows = []
  const session = new Session()
  if (usesSession) {
    session.connect()
    session.on('Profiler.consoleProfileFinished', ({ params }) => windows.push({ title: params.title, ...params.profile }))
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 1e6 / HZ })
    t.after(() => session.disconnect())
  }
  const keep = window => { if (window !== null) windows.push('json' in window ? readSerialized(window, 1e6 / HZ) : window) }
  const engine = create({ hz: HZ })
  return { windows, open: title => engine.open(title), rotate: title => keep(engine.rotate(title)), close: () => keep(engine.close()) }
}

function hasSeenWork (window) {
  return [...microsByStack(inOrder(window)).keys()].some(stack => stack.includes('/work@'))
}

for (const [name, row] of Object.entries(ENGINES)) {
  const skip = MISSING[name] ?? false

  test(`${name}: every window is a V8 profile that goes on where the one before ends`, { skip }, t => {
    const engine = open(t, row)
    const fromMicros = monotonicMicros()
    engine.open('first')
    for (const title of ['second', 'third', 'fourth']) {
      work()
      engine.rotate(title)
    }
    work()
    engine.close()
    const toMicros = monotonicMicros()

    assert.equal(engine.windows.length, 4)
    for (const [index, window] of engine.windows.entries()) {
      assertCpuProfile(window)
      assert.ok(hasSeenWork(window), `window ${index} has not seen what ran`)
      if (index > 0) assert.ok(window.startTime <= engine.windows[index - 1].endTime, `a gap before window ${index}`)
    }
    // One clock for all: within a millisecond, since V8 and Node do not read it at the same moment.
    assert.ok(engine.windows[0].startTime > fromMicros - 1000)
    assert.ok(engine.windows[3].endTime < toMicros + 1000)
  })

  test(`${name}: lines and columns count from 0, and this file is in the frames`, { skip }, t => {
    const engine = open(t, row)
    engine.open('only')
    work()
    engine.close()
    const [{ nodes }] = engine.windows
    assert.deepEqual([nodes[0].callFrame.functionName, nodes[0].callFrame.lineNumber, nodes[0].callFrame.columnNumber], ['(root)', -1, -1])
    const { url, lineNumber, columnNumber } = nodes.find(({ callFrame }) => callFrame.functionName === 'work').callFrame
    const [line] = fs.readFileSync(__filename, 'utf8').split('\n').slice(lineNumber)
    assert.ok(url.endsWith('engines.test.js'))
    assert.equal(line.slice(columnNumber), '() {')
  })

  test(`${name}: after close() there is no window, closing again does no harm, and it opens anew`, { skip }, t => {
    const engine = open(t, row)
    engine.close()
    engine.open('first')
    engine.close()
    engine.close()
    assert.equal(engine.windows.length, 1)
    engine.open('second')
    work()
    engine.close()
    assert.equal(engine.windows.length, 2)
    assert.ok(engine.windows[1].startTime >= engine.windows[0].endTime)
  })
}

test('the error for a missing package names what to install', { skip: MISSING[PEER] === null && `${PEER} is installed here` }, () => {
  assert.throws(() => ENGINES[PEER].create({ hz: HZ }), { code: 'ERR_LOOPSCOPE_ENGINE_MISSING', message: /npm install v8-profiler-next$/ })
})

test('the error for an engine that this Node.js lacks names what it needs', { skip: MISSING.builtin === null && 'it has it' }, () => {
  assert.throws(() => ENGINES.builtin.create({ hz: HZ }), { code: 'ERR_LOOPSCOPE_ENGINE_UNSUPPORTED', message: /v8\.startCpuProfile/ })
})

test('by default it is what can sample slowly, else the inspector, and what takes its place', () => {
  const expected = MISSING.builtin !== null ? ['inspector'] : ENGINES.builtin.canSlow() ? ['builtin'] : ['inspector', 'builtin']
  assert.deepEqual([enginesOf('auto'), enginesOf('inspector'), enginesOf(PEER)], [expected, ['inspector'], [PEER]])
})

test('a rate of its own does not become that of every profile', { skip: MISSING.builtin ?? false }, () => {
  const engine = ENGINES.builtin.create({ hz: 1 })
  engine.open('first')
  engine.close()
  const handle = v8.startCpuProfile()
  const until = performance.now() + 500
  while (performance.now() < until);
  const { samples } = JSON.parse(handle.stop())
  assert.ok(samples.length > 10, `${samples.length} samples, where V8 takes one a millisecond`)
})
