'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { describeDifference } = require('../../lib/formats/flamegraph/difference')
const { encodeFlameGraphDifference } = require('../../lib/formats/flamegraph')
const { buildCallTree } = require('../../lib/formats/profile/call-tree')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const APP = { appRoot: '/app' }

function differenceOf (before, after) {
  return describeDifference(buildCallTree(before, APP), buildCallTree(after, APP))
}

/** By the names on the way to it: what each spent itself, after and before. */
function selvesOf ({ frames, nodes }) {
  const ways = []
  return Object.fromEntries(nodes.map(([parent, frame, ...selves], node) => {
    ways[node] = parent === -1 ? '' : `${ways[parent]}/${frames[frame][0]}`
    return [ways[node], selves]
  }).filter(([, selves]) => selves.some(self => self > 0)))
}

function moved (profile, lines) {
  return { ...profile, nodes: profile.nodes.map(node => ({ ...node, callFrame: { ...node.callFrame, lineNumber: node.callFrame.lineNumber + lines } })) }
}

test('each frame has its time after and before, also where it ran in one of them only', () => {
  const before = craft([[['login', 'hash'], 300], [['report'], 100], [['(idle)'], 50]])
  const after = craft([[['login', 'hash'], 500], [['login', 'log'], 20], [['(idle)'], 70]])
  const graph = differenceOf(before, after)
  assert.deepEqual(selvesOf(graph), { '/login/hash': [500, 300], '/login/log': [20, 0], '/report': [0, 100], '/(idle)': [70, 50] })
  assert.deepEqual(graph.difference, {
    before: { micros: 450, busyMicros: 400, samples: 3, busySamples: 2 },
    after: { micros: 590, busyMicros: 520, samples: 3, busySamples: 2 }
  })
})

test('a function that moved in its file is the same one, with its place of now', () => {
  const profile = craft([[['login', 'hash'], 300]])
  const { frames, nodes } = differenceOf(profile, moved(profile, 40))
  assert.deepEqual(nodes.map(([, , ...selves]) => selves), [[0, 0], [0, 0], [300, 300]])
  assert.equal(frames.find(([name]) => name === 'hash')[1], `app.js:${profile.nodes[2].callFrame.lineNumber + 41}`)
})

test('two of one name in a file are distinguished by their lines', () => {
  const before = craft([[['a', '(x)'], 300], [['b', '(y)'], 100]])
  for (const { callFrame } of before.nodes.filter(({ callFrame }) => /^\([xy]\)$/.test(callFrame.functionName))) {
    Object.assign(callFrame, { url: 'file:///app/app.js', scriptId: '7', lineNumber: callFrame.functionName === '(x)' ? 3 : 9, columnNumber: 0, functionName: '' })
  }
  const after = structuredClone(before)
  after.nodes[2].callFrame.lineNumber = 4
  assert.deepEqual(selvesOf(differenceOf(before, after)), { '/a/(anonymous)': [0, 300], '/b/(anonymous)': [100, 100] })
})

test('routes of both are there, by the same names', () => {
  const before = withRoutes(craft([[['login'], 300], [['report'], 100]]), { login: 'POST /login', report: 'GET /report' })
  const after = withRoutes(craft([[['report'], 50], [['home'], 10]]), { report: 'GET /report', home: 'GET /' })
  const { routes: { names, times } } = differenceOf(before, after)
  const byRoute = Object.fromEntries(times.map(([, route, ...selves]) => [names[route], selves]))
  assert.deepEqual(byRoute, { 'GET /report': [50, 100], 'GET /': [10, 0], 'POST /login': [0, 300] })
})

for (const { name, profile } of readRecorded()) {
  test(`${name} does not differ from itself`, () => {
    const { nodes } = differenceOf(profile, profile)
    assert.ok(nodes.every(([, , after, before]) => after === before))
    assert.equal(nodes.length, new Set(nodes.map(([parent, frame]) => `${parent} ${frame}`)).size)
  })
}

test('the page says what was compared, and keeps it text', () => {
  const evil = '</script><img src=x>'
  const page = encodeFlameGraphDifference(craft([[['a'], 300_000]]), craft([[['a'], 500_000], [['(idle)'], 500_000]]), {
    ...APP, title: evil, titles: { before: evil, after: 'now.cpuprofile' }, notes: [evil]
  }).toString()
  assert.doesNotMatch(page, /<img/)
  assert.match(page, /<p class="facts">before: &lt;\/script.* · 0\.30 s busy of 0\.30 s · 1 samples<\/p>/)
  assert.match(page, /<p class="facts">after: now\.cpuprofile · 0\.50 s busy of 1\.00 s · 2 samples<\/p>/)
  assert.doesNotMatch(page, /nothing to compare/)
})

test('the page says when there is nothing to compare', () => {
  assert.match(encodeFlameGraphDifference(craft([]), craft([[['a'], 10]])).toString(), /<h1>What changed<\/h1>[^]*nothing to compare/)
})

test('what is no profile is refused', () => {
  assert.throws(() => encodeFlameGraphDifference({}, craft([[['a'], 10]])), { code: 'ERR_LOOPSCOPE_INVALID_PROFILE' })
})
