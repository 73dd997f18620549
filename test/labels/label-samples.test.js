'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FunctionRoutes } = require('../../lib/observer/labels/function-routes')
const { FirstTurns, labelSamples, learnWindow } = require('../../lib/observer/labels/label-samples')
const { keyOfFrame, linesOf } = require('../../lib/observer/labels/function-keys')
const { profileOf } = require('../recorder/crafted')

const SAMPLE = 10_000

const lines = new Map()

/** A profile of samples of ten milliseconds, each function on a line of its own. */
function samplesOf (...stacks) {
  const profile = profileOf(stacks.map(stack => [stack, SAMPLE]))
  for (const { callFrame } of profile.nodes) {
    const { functionName, url } = callFrame
    if (url === '') continue
    if (!lines.has(functionName)) lines.set(functionName, lines.size)
    Object.assign(callFrame, { scriptId: '7', lineNumber: lines.get(functionName), columnNumber: 40 })
  }
  return profile
}

/** Probes with these functions on the stack, which lie where the crafted profiles have them. */
function addProbes (functionRoutes, route, functions, times = 30) {
  const { nodes } = samplesOf(functions)
  const calls = functions.map(name => nodes.find(({ callFrame }) => callFrame.functionName === name).callFrame)
    .map(({ functionName, url, lineNumber, columnNumber }) => [functionName, '', url, lineNumber + 1, columnNumber + 1, lineNumber + 1, columnNumber + 1])
  for (let time = 0; time < times; time++) functionRoutes.addProbe({ route, calls: JSON.stringify(calls) })
}

/** The function of that name answers this route; its text ends with its line, or so many lines later. */
function handler (functionRoutes, route, name, moreLines = 0) {
  const { scriptId, lineNumber, columnNumber } = samplesOf([name]).nodes[1].callFrame
  functionRoutes.addHandler({ route, scriptId, lineNumber, columnNumber, endLine: lineNumber + moreLines, endColumn: 80 })
}

/** @returns {(string | null)[]} the route of each sample */
function labelsOf (profile, functionRoutes, work = []) {
  const { names, samples } = labelSamples(profile, functionRoutes, work)
  return samples.map(index => names[index] ?? null)
}

test('samples in a stretch of a request\'s work have its route, whatever their stack', () => {
  const profile = samplesOf(['a'], ['a'], ['b'], ['a'])
  const work = [{ fromMicros: profile.startTime + 15_000, toMicros: profile.startTime + 35_000, route: 'GET /x' }]
  assert.deepEqual(labelsOf(profile, new FunctionRoutes(), work), [null, 'GET /x', 'GET /x', null])
})

/** Each sample's route, where these requests were read: route, start and end, in samples. */
function firstTurnsOf (profile, requests, { open = [], missing = false } = {}) {
  const at = count => profile.startTime + count * SAMPLE
  const routes = [...new Set(requests.map(([route]) => route))]
  const numbers = new Float64Array(requests.flatMap(([route, start, end]) => [routes.indexOf(route), at(start), at(start), at(end), 0, 0]))
  const firstTurns = new FirstTurns()
  const toMicros = profile.endTime + 1
  const log = { routes, numbers, fromMicros: profile.startTime, toMicros: missing ? profile.endTime : toMicros }
  firstTurns.add({ log, toMicros, inFlight: { total: open.length, requests: open.map(count => ({ fromMicros: at(count) })) } })
  const { names, samples } = labelSamples(profile, new FunctionRoutes(), [], [], firstTurns)
  return samples.map(index => names[index] ?? null)
}

test('what runs below the parser of a server is of the request that was read last, whichever routes share the function', () => {
  const turn = ['node:parserOnIncoming', 'node:emit', 'authorize']
  const profile = samplesOf(turn, turn, ['node:processTicks', 'authorize'], turn)
  profile.nodes.find(({ callFrame }) => callFrame.functionName === 'parserOnIncoming').callFrame.url = 'node:_http_server'
  const requests = [['GET /b', 1.5, 9], ['GET /a', 0.5, 9], ['GET /a', 3.5, 9]]
  assert.deepEqual(firstTurnsOf(profile, requests), ['GET /a', 'GET /b', null, 'GET /a'])
  assert.deepEqual(firstTurnsOf(profile, [['GET /a', 0.5, 0.9], ['GET /b', 1.5, 9]]), [null, 'GET /b', null, 'GET /b'], 'it had ended before')
  assert.deepEqual(firstTurnsOf(profile, requests, { open: [3.2] }), ['GET /a', 'GET /b', null, null], 'another one may have been read since')
  assert.deepEqual(firstTurnsOf(profile, requests, { missing: true }), [null, null, null, null], 'the log was full')
})

test('samples with a handler on the stack have its route; a handler of two routes decides nothing', () => {
  const functionRoutes = new FunctionRoutes()
  handler(functionRoutes, 'GET /a', 'answerA')
  handler(functionRoutes, 'GET /a', 'checkUser')
  handler(functionRoutes, 'GET /b', 'checkUser')
  assert.deepEqual(labelsOf(samplesOf(['answerA'], ['router', 'answerA', 'helper'], ['checkUser'], ['helper']), functionRoutes), ['GET /a', 'GET /a', null, null])
})

test('of two handlers the outer one counts, because it calls the other', () => {
  const functionRoutes = new FunctionRoutes()
  handler(functionRoutes, 'GET /a', 'answerA')
  handler(functionRoutes, 'GET /b', 'answerB')
  assert.deepEqual(labelsOf(samplesOf(['answerB', 'answerA']), functionRoutes), ['GET /b'])
})

test('a handler that was also seen for another route no longer decides anything', () => {
  const functionRoutes = new FunctionRoutes()
  handler(functionRoutes, 'GET /a', 'answerA')
  addProbes(functionRoutes, 'GET /b', ['answerA'])
  assert.deepEqual(labelsOf(samplesOf(['answerA']), functionRoutes), [null])
})

test('a handler whose request was lost is still one', () => {
  const functionRoutes = new FunctionRoutes()
  handler(functionRoutes, 'GET /a', 'answerA')
  addProbes(functionRoutes, null, ['answerA'])
  assert.deepEqual(labelsOf(samplesOf(['answerA']), functionRoutes), ['GET /a'])
})

test('a function that is written in a handler has its route, whatever calls it', () => {
  const functionRoutes = new FunctionRoutes()
  samplesOf(['asksA'], ['callbackInA'], ['behindA']) // on three lines, one after the other
  handler(functionRoutes, 'GET /a', 'asksA', 1)
  addProbes(functionRoutes, null, ['onData', 'callbackInA'])
  assert.deepEqual(labelsOf(samplesOf(['onData', 'callbackInA', 'helper'], ['onData', 'behindA'], ['asksA']), functionRoutes), ['GET /a', null, 'GET /a'])
  handler(functionRoutes, 'GET /b', 'asksA', 1)
  assert.deepEqual(labelsOf(samplesOf(['onData', 'callbackInA']), functionRoutes), [null])
})

test('functions that were only ever seen for one route label what they call', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /a', ['loadA', 'shared'])
  addProbes(functionRoutes, 'GET /b', ['loadB', 'shared'])
  assert.deepEqual(labelsOf(samplesOf(['loadA', 'shared'], ['loadB', 'shared'], ['shared'], ['unseen']), functionRoutes), ['GET /a', 'GET /b', null, null])
})

test('a few stack probes are not enough, and the more so the more of all probes are of that route', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /a', ['seldom'], 8)
  addProbes(functionRoutes, 'GET /a', ['often'], 24)
  addProbes(functionRoutes, 'GET /b', ['other'], 24)
  assert.deepEqual(labelsOf(samplesOf(['seldom'], ['often'], ['other']), functionRoutes), [null, 'GET /a', 'GET /b'])
  addProbes(functionRoutes, 'GET /a', ['main'], 1000)
  assert.deepEqual(labelsOf(samplesOf(['often']), functionRoutes), [null])
})

test('a helper is not taken for that of the one route it was seen with, as long as a fifth of it may be another\'s', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /often', ['helper'], 10)
  assert.deepEqual(labelsOf(samplesOf(['helper']), functionRoutes), [null])
  addProbes(functionRoutes, 'GET /rare', ['helper'], 1)
  addProbes(functionRoutes, 'GET /often', ['helper'], 20)
  assert.deepEqual(labelsOf(samplesOf(['helper']), functionRoutes), [null])
})

test('a stack probe gives the route to the sample next to it, also in a helper that several routes share', () => {
  const functionRoutes = new FunctionRoutes()
  const profile = samplesOf(['run', 'helper'], ['run', 'helper'], ['other', 'helper'])
  const lines = linesOf(['run', 'helper', 'deeper'].map(name => keyOfFrame(samplesOf([name]).nodes[1].callFrame)))
  const seenAt = (...micros) => micros.map(ms => ({ atMicros: profile.startTime + ms, route: 'GET /a', lines }))
  const labels = seen => {
    const { names, samples } = labelSamples(profile, functionRoutes, [], seen)
    return samples.map(index => names[index] ?? null)
  }
  const [first] = profile.timeDeltas
  assert.deepEqual(labels(seenAt(first + 1000)), ['GET /a', null, null])
  assert.deepEqual(labels(seenAt(first + SAMPLE - 3000)), [null, 'GET /a', null])
  assert.deepEqual(labels(seenAt(first + 2 * SAMPLE)), [null, null, null], 'another stack')
})

test('what runs for no request has no label, also where it calls what is known of a route', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /a', ['helper'])
  addProbes(functionRoutes, null, ['job'])
  assert.deepEqual(labelsOf(samplesOf(['helper'], ['job', 'helper'], ['job']), functionRoutes), ['GET /a', null, null])
})

test('functions that contradict each other are no label, unless one was seen much more often', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /a', ['outer'], 10)
  addProbes(functionRoutes, 'GET /b', ['inner'], 20)
  assert.deepEqual(labelsOf(samplesOf(['outer', 'inner']), functionRoutes), [null])
  addProbes(functionRoutes, 'GET /b', ['inner'], 400)
  addProbes(functionRoutes, 'GET /a', ['outer'], 20)
  assert.deepEqual(labelsOf(samplesOf(['outer', 'inner']), functionRoutes), ['GET /b'])
})

test('one addProbes in hundreds that is of another route is taken for a stray one', () => {
  const functionRoutes = new FunctionRoutes()
  addProbes(functionRoutes, 'GET /a', ['loadA'], 300)
  addProbes(functionRoutes, 'GET /b', ['loadB'], 300)
  addProbes(functionRoutes, 'GET /b', ['loadA'], 1)
  assert.deepEqual(labelsOf(samplesOf(['loadA']), functionRoutes), ['GET /a'])
})

test('a stack has the position of a function\'s text, a profile that of its parameters', () => {
  const functionRoutes = new FunctionRoutes()
  const profile = samplesOf(['loadA'])
  const { url, lineNumber, columnNumber } = profile.nodes[1].callFrame
  const calls = JSON.stringify([['loadA', '', url, lineNumber + 1, 1, lineNumber + 1, columnNumber + 1]])
  for (let time = 0; time < 30; time++) functionRoutes.addProbe({ route: 'GET /a', calls })
  for (let time = 0; time < 30; time++) functionRoutes.addProbe({ route: 'GET /b', calls: '[]' })
  const movedBy = columns => ({ ...profile, nodes: profile.nodes.map(node => ({ ...node, callFrame: { ...node.callFrame, columnNumber: columnNumber + columns } })) })
  assert.deepEqual([labelsOf(movedBy('async function loadA '.length), functionRoutes), labelsOf(movedBy(100), functionRoutes), labelsOf(movedBy(-1), functionRoutes)], [['GET /a'], [null], [null]])
})

test('garbage collection in the middle of the work of a route is of that route', () => {
  const functionRoutes = new FunctionRoutes()
  handler(functionRoutes, 'GET /a', 'answerA')
  handler(functionRoutes, 'GET /b', 'answerB')
  const collection = ['(garbage collector)']
  const profile = samplesOf(collection, ['answerA'], collection, ['(program)'], ['answerA'], collection, ['answerB'], collection, ['(idle)'], collection)
  assert.deepEqual(labelsOf(profile, functionRoutes), [null, 'GET /a', 'GET /a', 'GET /a', 'GET /a', null, 'GET /b', null, null, null])
})

test('windows teach what ran in the work of a request, but looks must agree', () => {
  const functionRoutes = new FunctionRoutes()
  const window = samplesOf(['loadA', 'shared'], ['loadA', 'shared'], ['loadB', 'shared'], ['loadB'])
  const { startTime } = window
  const work = [{ fromMicros: startTime, toMicros: startTime + 25_000, route: 'GET /a' }, { fromMicros: startTime + 25_000, toMicros: startTime + 45_000, route: 'GET /b' }]
  learnWindow(window, work, functionRoutes)
  assert.deepEqual(labelsOf(samplesOf(['loadA'], ['shared']), functionRoutes), [null, null])
  addProbes(functionRoutes, 'GET /a', ['loadA', 'shared'], 21)
  addProbes(functionRoutes, 'GET /b', ['loadB'], 25)
  assert.deepEqual(labelsOf(samplesOf(['loadA'], ['shared']), functionRoutes), ['GET /a', null])
})

test('routes and functions without end are bounded, and what is beyond has no label', () => {
  const functionRoutes = new FunctionRoutes()
  for (let route = 0; route < 3000; route++) addProbes(functionRoutes, `GET /${route}`, [`load${route}`], 22)
  assert.equal(functionRoutes.names.length, 1000)
  assert.deepEqual(labelsOf(samplesOf(['load2'], ['load2500']), functionRoutes), ['GET /2', null])
})
