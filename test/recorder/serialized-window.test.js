'use strict'

// Windows of the engine `builtin` as the observer reads them.

const test = require('node:test')
const assert = require('node:assert/strict')
const v8 = require('node:v8')
const { runInThisContext } = require('node:vm')
const { assertCpuProfile } = require('../../lib/formats/profile/assert-profile')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { readSerialized } = require('../../lib/observer/recorder/serialized-window')

const skip = typeof v8.startCpuProfile === 'function' ? false : 'this Node.js has no v8.startCpuProfile()'
const INTERVAL_MICROS = 10_000
const [IDLE, WORK, OTHER] = [2, 3, 4]

function frame (functionName, url = '') {
  return { functionName, lineNumber: 0, columnNumber: 0, scriptId: url === '' ? 0 : 7, url }
}

/** As V8 writes it. */
function crafted ({ openedMicros = 1000, isSlow = true, samples, timeDeltas, startTime = 1000, endTime, hasIdle = true }) {
  const nodes = [
    { id: 1, hitCount: 0, callFrame: frame('(root)'), children: hasIdle ? [IDLE, WORK, OTHER] : [WORK, OTHER] },
    ...hasIdle ? [{ id: IDLE, hitCount: 0, callFrame: frame('(idle)') }] : [],
    { id: WORK, hitCount: 0, callFrame: frame('work', '/srv/app.js') },
    { id: OTHER, hitCount: 0, callFrame: frame('other', 'node:fs') }
  ]
  return { openedMicros, isSlow, json: JSON.stringify({ nodes, startTime, endTime, samples, timeDeltas }) }
}

/** How long each function ran, by the weight of its samples. */
function microsByName ({ nodes, samples, timeDeltas }) {
  const micros = {}
  samples.forEach((id, index) => {
    const { functionName } = nodes.find(node => node.id === id).callFrame
    micros[functionName] = (micros[functionName] ?? 0) + timeDeltas[index]
  })
  return micros
}

test('names and files are those of the source, whatever is in them', { skip }, () => {
  const until = () => {
    const end = performance.now() + 200
    while (performance.now() < end);
  }
  const odd = { 'a"b\\c\né漢😀' () { until() } }
  const evaluated = runInThisContext('(function (work) { work() })', { filename: 'odd"name\\x.js' })
  const openedMicros = monotonicMicros()
  const handle = v8.startCpuProfile()
  for (const work of Object.values(odd)) work()
  evaluated(until)
  const profile = readSerialized({ json: handle.stop(), openedMicros, isSlow: false }, INTERVAL_MICROS)
  assertCpuProfile(profile)
  const frames = profile.nodes.map(({ callFrame }) => callFrame)
  const found = frames.find(({ functionName }) => functionName === 'a"b\\c\né漢😀')
  assert.ok(found.url.startsWith('file:///') && found.url.endsWith('serialized-window.test.js'), found.url)
  assert.match(found.scriptId, /^\d+$/)
  assert.ok(frames.some(({ url }) => url === 'odd"name\\x.js'))
})

test('times are on the clock of the process, which counts further than 32 bits', () => {
  const openedMicros = 5 * 2 ** 32 + 1000
  const at = (startTime, endTime) => readSerialized(crafted({ openedMicros, isSlow: false, samples: [WORK], timeDeltas: [10], startTime, endTime }), INTERVAL_MICROS)
  const { startTime, endTime } = at(1005, 2005)
  assert.deepEqual([startTime, endTime], [openedMicros + 5, openedMicros + 1005])
  // Signed, and cut in the middle of a window.
  const before = readSerialized(crafted({ openedMicros: 2 ** 31 - 100, isSlow: false, samples: [WORK], timeDeltas: [10], startTime: 2 ** 31 - 90, endTime: -(2 ** 31) + 10 }), INTERVAL_MICROS)
  assert.deepEqual([before.startTime, before.endTime], [2 ** 31 - 90, 2 ** 31 + 10])
  const negative = readSerialized(crafted({ openedMicros: 2 ** 32 - 100, isSlow: false, samples: [WORK], timeDeltas: [10], startTime: -90, endTime: 10 }), INTERVAL_MICROS)
  assert.deepEqual([negative.startTime, negative.endTime], [2 ** 32 - 90, 2 ** 32 + 10])
})

test('a sample of a slow window counts for as long as one of any other', () => {
  const profile = readSerialized(crafted({
    samples: [WORK, IDLE, WORK, IDLE, WORK],
    timeDeltas: [20, 5e6, 5e6, 5e6, 3e6],
    endTime: 1000 + 18e6 + 520
  }), INTERVAL_MICROS)
  assertCpuProfile({ ...profile, nodes: profile.nodes.map(node => ({ children: [], ...node })) })
  assert.deepEqual(microsByName(profile), { '(idle)': 18e6 + 520 - INTERVAL_MICROS, work: INTERVAL_MICROS })
  assert.equal(profile.timeDeltas.reduce((sum, delta) => sum + delta, 0), profile.endTime - profile.startTime)
})

test('what two slow samples in a row saw at work was at work between them', () => {
  const profile = readSerialized(crafted({ samples: [OTHER, IDLE, WORK, WORK, OTHER], timeDeltas: [20, 5e6, 5e6, 5e6, 1e6], endTime: 1000 + 16e6 + 20 }), INTERVAL_MICROS)
  assert.deepEqual(microsByName(profile), { '(idle)': 20 + 10e6 - INTERVAL_MICROS, work: 5e6 + INTERVAL_MICROS, other: 1e6 })
})

test('a slow window in which V8 saw nothing at all was idle', () => {
  const profile = readSerialized(crafted({ samples: [], timeDeltas: [], endTime: 1000 + 2e6, hasIdle: false }), INTERVAL_MICROS)
  assert.deepEqual(microsByName(profile), { '(idle)': 2e6 })
  const own = readSerialized(crafted({ samples: [WORK, WORK], timeDeltas: [10, 2e6], endTime: 1000 + 2e6 + 10, hasIdle: false }), INTERVAL_MICROS)
  assert.deepEqual(microsByName(own), { '(idle)': 2e6 + 10 })
})
