'use strict'

// A merged profile is the sum of its parts, sample by sample.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { gunzipSync } = require('node:zlib')
const fc = require('fast-check')
const { Profile } = require('pprof-format')
const { FORMATS } = require('../../lib/formats/formats')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { mergeProfiles } = require('../../lib/formats/merge-profiles')
const { onlyRoute } = require('../../lib/formats/profile/only-route')
const { timesByProcess } = require('../../lib/formats/profile/time-kinds')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const HANDLERS = { login: 'POST /login', parseReport: 'GET /reports/:id', fillHeap: 'GET /fill' }

/** Time, samples and line ticks of each stack and route: functions by name, file and position. */
function sumsByStack (profiles) {
  const sums = {}
  for (const profile of profiles) {
    const waiting = [{ tree: buildCallTree(profile, { names: 'bare' }), above: '' }]
    for (const { tree: { frame, selfMicros, selfSamples, routes, children }, above } of waiting) {
      const stack = `${above};${frame.name}@${frame.file}:${frame.line}:${frame.column}`
      for (const [route, { micros, samples }] of routes.size > 0 ? routes : [[null, { micros: selfMicros, samples: selfSamples }]]) {
        if (micros === 0 && samples === 0) continue
        const sum = sums[`${stack} ${route}`] ??= { micros: 0, samples: 0 }
        sum.micros += micros
        sum.samples += samples
      }
      for (const tree of children) waiting.push({ tree, above: stack })
    }
  }
  return sums
}

function ticksOf (profiles) {
  return profiles.flatMap(({ nodes }) => nodes).flatMap(({ positionTicks = [] }) => positionTicks).reduce((sum, { ticks }) => sum + ticks, 0)
}

function asParts (profiles) {
  return profiles.map((profile, index) => ({ process: String(1000 + index), profile }))
}

const names = fc.constantFrom('login', 'report', 'native:parse', 'node:read', '(idle)', '(program)')
const stacks = fc.array(names, { minLength: 1, maxLength: 5 })
const profiles = fc.array(fc.tuple(fc.array(fc.tuple(stacks, fc.integer({ min: -20, max: 1000 })), { maxLength: 30 }), fc.boolean()), { maxLength: 6 })
  .map(all => all.map(([samples, hasRoutes]) => hasRoutes ? withRoutes(craft(samples), HANDLERS) : craft(samples)))

test('every stack of a merged profile has the time and the samples of its parts together', () => {
  fc.assert(fc.property(profiles, parts => {
    const merged = mergeProfiles(asParts(parts))
    assert.deepEqual(sumsByStack([merged]), sumsByStack(parts))
    assert.ok(merged.timeDeltas.every(micros => micros >= 0))
    const times = timesByProcess(buildCallTree(merged))
    for (const { process, micros } of times) {
      assert.equal(micros, buildCallTree(parts[Number(process) - 1000]).totalMicros)
    }
  }))
})

test('so has one of profiles that V8 recorded, whatever it numbers in each process', () => {
  const recorded = readRecorded().map(({ profile }, index) => {
    const renumbered = profile.nodes.map(node => ({
      ...node,
      id: node.id + index * 7,
      callFrame: { ...node.callFrame, scriptId: Number(node.callFrame.scriptId) === 0 ? '0' : String(Number(node.callFrame.scriptId) + index) },
      children: (node.children ?? []).map(id => id + index * 7)
    }))
    return { ...withRoutes(profile, HANDLERS), nodes: renumbered, samples: profile.samples.map(id => id + index * 7) }
  })
  const merged = mergeProfiles(asParts(recorded))
  assert.deepEqual(sumsByStack([merged]), sumsByStack(recorded))
  assert.equal(ticksOf([merged]), ticksOf(recorded))
  const twice = mergeProfiles(asParts([recorded[0], recorded[0]]))
  assert.ok(twice.nodes.length <= recorded[0].nodes.length, 'the same functions are not there twice')
})

test('functions of two files are two, though two processes gave both the same script', () => {
  const parts = ['a.js', 'b.js'].map(file => {
    const profile = craft([[['work'], 10]])
    profile.nodes[1].callFrame.url = `file:///app/${file}`
    return profile
  })
  const { nodes } = mergeProfiles(asParts(parts))
  assert.deepEqual(nodes.map(({ callFrame }) => callFrame.url), ['', 'file:///app/a.js', 'file:///app/b.js'])
  assert.notEqual(nodes[1].callFrame.scriptId, nodes[2].callFrame.scriptId)
})

test('it is as long as the times of all, and says from when to when they were', () => {
  const early = craft([[['work'], 100]])
  const late = { ...craft([[['work'], 300]]), startTime: 1_000_050, endTime: 1_000_350 }
  const merged = mergeProfiles(asParts([early, late]))
  assert.equal(merged.endTime - merged.startTime, 400)
  assert.equal(merged.processes.wallMicros, 350)
  assert.deepEqual(merged.processes.names, ['1000', '1001'])
  assert.equal(Profile.decode(gunzipSync(FORMATS.pprof.encode(merged))).durationNanos, 350_000)
})

test('of no profile, and of one without samples, comes an empty one that every format takes', () => {
  for (const parts of [[], asParts([craft([])])]) {
    const merged = mergeProfiles(parts)
    for (const { encode } of Object.values(FORMATS)) assert.ok(encode(merged).length > 0)
  }
})

test('a pprof has the pid of each sample beside its route', () => {
  const parts = [[['login'], 30], [['login'], 10]].map(sample => withRoutes(craft([sample]), HANDLERS))
  const { sample, stringTable: { strings } } = Profile.decode(gunzipSync(FORMATS.pprof.encode(mergeProfiles(asParts(parts)))))
  const labels = sample.map(({ label, value }) => [
    Number(value[1]), ...label.map(({ key, num, str }) => `${strings[Number(key)]}=${Number(num) || strings[Number(str)]}`)
  ])
  assert.deepEqual(labels, [[30_000, 'http_route=POST /login', 'pid=1000'], [10_000, 'http_route=POST /login', 'pid=1001']])
})

test('the text shows the time by process, and the flame graph too', () => {
  const merged = mergeProfiles(asParts([craft([[['login'], 300_000], [['(idle)'], 700_000]]), craft([[['report'], 100_000]])]))
  const text = FORMATS.text.encode(merged, { appRoot: '/app' }).toString()
  assert.match(text, /^1\.10 s of 2 processes in 1\.00 s, 3 samples$/m)
  assert.match(text, /^ +300\.0 +75\.0% +30\.0% +1000 +login app\.js:3$/m)
  assert.match(text, /^ +100\.0 +25\.0% +100\.0% +1001 +report app\.js:3$/m)
  const page = FORMATS.flamegraph.encode(merged).toString()
  assert.match(page, /Busy time by process: 1000 75\.0 % · 1001 25\.0 %/)
})

test('a cpuprofile keeps the processes, so that a file of it can be read again, by route too', () => {
  const parts = [[['login'], 30], [['report'], 10]].map(sample => withRoutes(craft([sample]), { login: 'POST /login' }))
  const merged = mergeProfiles(asParts(parts))
  const read = JSON.parse(FORMATS.cpuprofile.encode(merged))
  assert.deepEqual(read.processes, { names: ['1000', '1001'], samples: [0, 1], wallMicros: 30 })
  const { profile } = onlyRoute(read, 'POST /login')
  assert.deepEqual(timesByProcess(buildCallTree(profile)).map(({ process, busyMicros }) => [process, busyMicros]), [['1000', 30], ['1001', 0]])
})
