'use strict'

// What the pages make of a graph before it is drawn: the frames of a browser's script, run here.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { describe, test } = require('node:test')
const vm = require('node:vm')
const { describeDifference } = require('../../lib/formats/flamegraph/difference')
const { describeTimes } = require('../../lib/formats/flamegraph/graph')
const { buildCallTree, buildTimeOrder } = require('../../lib/formats/profile/call-tree')
const { craft, readRecorded, withRoutes } = require('../fixtures/profiles/profiles')

const BROWSER = path.join(__dirname, '../../lib/page')
const loopscope = { sizes: require('../../lib/base/sizes') }
for (const name of ['frames', 'callers', 'changes', 'frame-text']) {
  vm.compileFunction(fs.readFileSync(path.join(BROWSER, `frames/${name}.js`), 'utf8'), ['loopscope'])(loopscope)
}
const { callers, changes, frames: { foldFrameworks, groupByRoute, treeOf }, frameText } = loopscope

function graphOf (samples, routes) {
  return describeTimes(callTreeOf(samples, routes))
}

/** Names that begin with `express` and `router` are of packages of that name. */
function callTreeOf (samples, routes) {
  const profile = craft(samples)
  for (const { callFrame } of profile.nodes) {
    const [owner] = /^(express|router)(?=\.)/.exec(callFrame.functionName) ?? []
    if (owner) callFrame.url = `file:///app/node_modules/${owner}/index.js`
  }
  return buildCallTree(routes ? withRoutes(profile, routes) : profile, { appRoot: '/app' })
}

/** As lines: depth by dots, name, milliseconds of it and below. */
function linesOf (data, depth = 0) {
  return [`${'.'.repeat(depth)}${data.name} ${data.value / 1000}`, ...data.children.flatMap(child => linesOf(child, depth + 1))]
}

function folded (samples, routes) {
  const graph = graphOf(samples)
  return linesOf(treeOf(foldFrameworks(routes ? groupByRoute(graphOf(samples, routes)) : graph).graph, false))
}

const SERVED = ['node:onRequest', 'express.handle', 'native:apply', 'router.next']

describe('frameworks are folded away', () => {
  test('above the application and between its functions; what they burned stays, by package', () => {
    const lines = folded([
      [[...SERVED, 'login', 'router.next', 'home'], 40_000],
      [[...SERVED, 'login', 'router.next'], 5000],
      [[...SERVED, 'login', 'router.next', 'express.flatten'], 3000],
      [[...SERVED], 20_000],
      [['node:onRequest', 'native:write'], 10_000],
      [['(garbage collector)'], 2000]
    ])
    assert.deepEqual(lines, ['all 80', '.login 48', '..home 40', '..router 5', '..express 3', '.router 20', '.Node.js 10', '.(garbage collector) 2'])
  })

  test('but what the application called is as it was', () => {
    const lines = folded([[[...SERVED, 'login', 'node:pbkdf2Sync', 'node:digest'], 30_000], [[...SERVED, 'login', 'express.send', 'router.write'], 10_000]])
    assert.deepEqual(lines, ['all 40', '.login 40', '..pbkdf2Sync 30', '...digest 30', '..express.send 10', '...router.write 10'])
  })

  test('a function is there once, whichever way led to it', () => {
    const lines = folded([[['express.a', 'login', 'work'], 10_000], [['router.b', 'login', 'work'], 20_000], [['login', 'express.c', 'work'], 5000]])
    assert.deepEqual(lines, ['all 35', '.login 35', '..work 35'])
  })

  test('and native functions follow their callers', () => {
    const lines = folded([[['login', 'native:forEach', 'each'], 10_000], [['express.a', 'native:forEach', 'each'], 7000], [['(program)'], 1000]])
    assert.deepEqual(lines, ['all 18', '.login 10', '..forEach 10', '...each 10', '.each 7', '.(program) 1'])
  })

  test('nothing is hidden where no function of the application was seen', () => {
    const samples = [[['node:onRequest', 'express.handle'], 10_000], [['(idle)'], 90_000]]
    const graph = graphOf(samples)
    const { graph: shown, isHidden } = foldFrameworks(graph)
    assert.deepEqual(linesOf(treeOf(shown, true)), linesOf(treeOf(graph, true)))
    assert.ok(!isHidden.includes(true))
  })

  test('below each route', () => {
    const samples = [[['express.a', 'login'], 20_000], [['express.a', 'report'], 30_000], [['express.a'], 5000], [['(idle)'], 100_000]]
    assert.deepEqual(folded(samples, { login: 'POST /login', report: 'GET /report' }),
      ['all 55', '.GET /report 30', '..report 30', '.POST /login 20', '..login 20', '.no request, or unknown 5', '..express 5'])
  })

  for (const { name, profile } of readRecorded()) {
    test(`no time of ${name} is lost or made`, () => {
      const graph = describeTimes(buildCallTree(profile, { appRoot: '/app' }))
      const { graph: shown, isHidden } = foldFrameworks(graph)
      assert.ok(isHidden.includes(true))
      for (const withIdle of [true, false]) assert.equal(treeOf(shown, withIdle).value, treeOf(graph, withIdle).value)
    })
  }
})

describe('a search', () => {
  const graph = graphOf([[[...SERVED, 'login', 'work'], 60_000], [[...SERVED, 'report', 'work'], 20_000], [['router.next'], 20_000]])
  const { graph: shown, isHidden } = foldFrameworks(graph)
  const find = term => frameText.describeMatches(frameText.find(treeOf(graph, false, isHidden), term), frameText.textFor(shown, treeOf(shown, false), false).shareOf)

  test('finds functions, files and packages, and counts time once', () => {
    assert.equal(find('work'), '80.0 % in 2 frames')
    assert.equal(find('login'), '60.0 % in 1 frame')
    assert.equal(find('app.js'), '80.0 % in 4 frames')
    assert.equal(find('nothing of the kind'), 'no match')
  })

  test('counts what is folded away, and says that it is', () => {
    assert.equal(find('express.handle'), '80.0 % in 1 folded frame')
    assert.equal(find('router'), '100.0 % in 2 folded frames')
    assert.equal(find('r'), '100.0 % in 3 and 5 folded frames')
  })

  test('marks the folded frame that a function burned its time in', () => {
    const { children } = treeOf(shown, false)
    assert.deepEqual(children.filter(data => frameText.isMatch(data, 'next')).map(({ name }) => name), ['router'])
  })
})

describe('a change', () => {
  /** Each of so many samples of a millisecond. */
  const repeat = counts => Object.entries(counts).flatMap(([stack, count]) => Array.from({ length: count }, () => [stack.split(' '), 1000]))

  function changeOf (before, after, { withIdle = false, folds = false } = {}) {
    const graph = describeDifference(callTreeOf(repeat(before)), callTreeOf(repeat(after)))
    const tree = treeOf(folds ? foldFrameworks(graph).graph : graph, withIdle)
    return { tree, text: frameText.textFor(graph, tree, withIdle) }
  }

  const steps = ({ tree, text }) => Object.fromEntries(tree.children.map(data => [data.name, text.colorOf(data)]))

  test('is of the share of the busy time, however long the recordings are', () => {
    const { tree, text } = changeOf({ login: 100, report: 300, '(idle)': 600 }, { login: 800, report: 800, '(idle)': 10 })
    const [login] = tree.children.filter(({ name }) => name === 'login')
    assert.deepEqual(steps({ tree, text }), { login: 'hottest', report: 'coldest' })
    assert.match(text.describe(login, ' | '), /^login \| app\.js:\d+ \| \+25\.0 points: 50\.0 %, before 25\.0 %; self \+25\.0: 50\.0 %, before 25\.0 %; 800\.0 ms, before 100\.0 ms \| application$/)
    assert.match(text.labelOf(login), /^● login \+25\.0\u2002app\.js:\d+$/)
  })

  test('is of all time where idle time is shown', () => {
    const seen = changeOf({ login: 100, '(idle)': 900 }, { login: 300, '(idle)': 700 }, { withIdle: true })
    assert.deepEqual(steps(seen), { '(idle)': 'coldest', login: 'hottest' })
    assert.deepEqual(steps(changeOf({ login: 100, '(idle)': 900 }, { login: 300, '(idle)': 700 })), { login: 'same' })
  })

  test('is none where two recordings of the same may differ by as much', () => {
    assert.deepEqual(steps(changeOf({ login: 20, report: 20 }, { login: 24, report: 16 })), { login: 'same', report: 'same' })
    assert.deepEqual(steps(changeOf({ login: 2000, report: 2000 }, { login: 2400, report: 1600 })), { login: 'hottest', report: 'coldest' })
  })

  test('has steps in both directions', () => {
    const seen = changeOf({ a: 1000, b: 1000, c: 1000, d: 1000, rest: 6000 }, { a: 1200, b: 1500, c: 800, d: 500, rest: 6000 })
    assert.deepEqual(steps(seen), { rest: 'same', b: 'hotter', a: 'warm', c: 'cool', d: 'colder' })
  })

  test('lists what is gone once, with all it called, and not what may be chance', () => {
    const { tree, text } = changeOf({ 'login hash': 300, 'login log': 50, report: 300, 'serve once': 1, 'serve draw': 300 }, { report: 300, 'serve draw': 300 })
    assert.deepEqual(changes.vanishedFrom(tree, text.changes).map(({ name, before }) => [name, before]), [['login', 350_000]])
    assert.deepEqual(changes.vanishedFrom(treeOf(graphOf([[['a'], 1000]]), false), text.changes), [])
  })

  test('of what frameworks burned is there by package', () => {
    const seen = changeOf({ 'express.a login': 100, 'express.a': 100 }, { 'express.a login': 100, 'express.b': 300 }, { folds: true })
    assert.deepEqual(linesOf(seen.tree), ['all 400', '.express 300', '.login 100'])
    assert.deepEqual(steps(seen), { express: 'hottest', login: 'coldest' })
  })

  test('is shown for search matches, too', () => {
    const { tree, text } = changeOf({ login: 100, report: 300 }, { login: 200, report: 200 })
    assert.equal(frameText.describeMatches(frameText.find(tree, 'login'), text.shareOf), '50.0 %, before 25.0 % in 1 frame')
  })
})

describe('of one function', () => {
  const graph = graphOf([[['serve', 'walk', 'walk', 'leaf'], 100_000], [['serve', 'walk'], 50_000], [['tick', 'walk'], 30_000], [['tick'], 20_000]])
  const named = name => graph.frames.findIndex(([known]) => known === name)

  test('the list has the time of its own and in all, a function that calls itself once', () => {
    const rows = callers.functionsOf(graph).map(({ frame, self, total }) => [graph.frames[frame][0], self / 1000, total / 1000])
    assert.deepEqual(rows, [['leaf', 100, 100], ['walk', 80, 180], ['tick', 20, 50], ['serve', 0, 150]])
  })

  test('its callers are as wide as what they called it for', () => {
    assert.deepEqual(linesOf(treeOf(callers.callersOf(graph, named('walk')), true)), ['walk 180', '.serve 150', '.tick 30'])
    assert.deepEqual(linesOf(treeOf(callers.callersOf(graph, named('leaf')), true)), ['leaf 100', '.walk 100', '..walk 100', '...serve 100'])
  })

  test('its callees are those of all its calls together', () => {
    assert.deepEqual(linesOf(treeOf(callers.calleesOf(graph, named('walk')), true)), ['walk 180', '.walk 100', '..leaf 100'])
  })
})

test('in the order of time a function stands there as often as it ran', () => {
  const profile = craft([[['a', 'b'], 10_000], [['a', 'b'], 10_000], [['c'], 5000], [['a', 'b'], 20_000], [['a', 'd'], 1000]])
  const graph = { ...describeTimes(buildTimeOrder(profile)), isOrdered: true }
  assert.deepEqual(linesOf(treeOf(graph, true)), ['all 46', '.a 20', '..b 20', '.c 5', '.a 21', '..b 20', '..d 1'])
  for (const { name, profile: recorded } of readRecorded()) {
    assert.equal(Math.round(buildTimeOrder(recorded).totalMicros), Math.round(buildCallTree(recorded).totalMicros), name)
  }
})
