'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { SampledRuns } = require('../../lib/observer/slow-requests/slow-requests')

const NODES = ['(root)', '(idle)', '(garbage collector)', 'work'].map((functionName, index) => ({
  id: index + 1, callFrame: { functionName, scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 }
}))
const [, IDLE, GC, WORK] = NODES.map(({ id }) => id)

/** 10 ms between samples unless told otherwise. */
function windowOf (startTime, samples, { routes, deltas = samples.map(() => 10_000) } = {}) {
  const endTime = startTime + deltas.reduce((sum, delta) => sum + delta, 0)
  return { nodes: NODES, startTime, endTime, samples, timeDeltas: deltas, routes: { names: ['GET /a'], samples: routes ?? samples.map(() => -1) } }
}

const run = (fromMicros, toMicros, route = null, isGc = false) => ({ fromMicros, toMicros, route, isGc })

test('samples of one kind in a row are one run; an idle loop is none', () => {
  const runs = new SampledRuns({ hz: 100 })
  runs.addWindow(windowOf(0, [WORK, WORK, IDLE, WORK, GC, GC], { routes: [0, 0, -1, -1, -1, -1] }))
  assert.deepEqual(runs.since(0), [run(0, 20_000, 'GET /a'), run(30_000, 40_000), run(40_000, 60_000, null, true)])
})

test('those of several windows are found since a moment; what is a minute old is forgotten', () => {
  const runs = new SampledRuns({ hz: 100 })
  runs.addWindow(windowOf(0, [WORK]))
  runs.addWindow(windowOf(10_000, [WORK]))
  runs.addWindow(windowOf(20_000, [IDLE, WORK]))
  assert.deepEqual(runs.since(15_000), [run(10_000, 20_000), run(30_000, 40_000)])
  runs.addWindow(windowOf(60_015_000, [WORK]))
  assert.deepEqual(runs.since(0), [run(30_000, 40_000), run(60_015_000, 60_025_000)])
})

test('a sample does not stand for a time in which the process was not run', () => {
  const runs = new SampledRuns({ hz: 100 })
  runs.addWindow(windowOf(0, [WORK, WORK], { deltas: [10_000, 5_000_000] }))
  assert.deepEqual(runs.since(0), [run(0, 10_000), run(4_910_000, 5_010_000)])
})
