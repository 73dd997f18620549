'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { pathToFileURL } = require('node:url')
const { findCulprit } = require('../../lib/observer/stalls/culprit/find-culprit')
const { withoutOwnFrames } = require('../../lib/formats/profile/own-frames')
const { slice } = require('../../lib/observer/recorder/window')
const { readRecorded } = require('../fixtures/profiles/profiles')
const { deepFreeze, profileOf } = require('../recorder/crafted')

const SERVE = ['node:emit', 'dep:handle', 'dep:next']
const ANONYMOUS = ''

function culpritOf (...samples) {
  return findCulprit(deepFreeze(profileOf(samples)), { appRoot: '/app' }).culprit
}

test('names the deepest heavy function of the application and the call below it', () => {
  const culprit = culpritOf([[...SERVE, 'login', 'hash', 'node:pbkdf2Sync', 'native:run'], 900_000], [[...SERVE, 'login'], 100_000])
  assert.deepEqual([culprit.function, culprit.file, culprit.call, culprit.share], ['hash', 'app.js', 'pbkdf2Sync', 0.9])
})

test('a method of Node has the name of its class, in the call and on the stack', () => {
  const profile = profileOf([[[...SERVE, 'encode', 'node:from', 'native:utf8WriteStatic'], 900_000]])
  profile.nodes.find(({ callFrame }) => callFrame.functionName === 'from').callFrame.url = 'node:buffer'
  const { culprit, stack } = findCulprit(deepFreeze(profile), { appRoot: '/app' })
  assert.deepEqual([culprit.function, culprit.call, stack[1].function], ['encode', 'Buffer.from', 'Buffer.from'])
})

test('what util.promisify() wraps is the call, not the wrapper', () => {
  const profile = profileOf([[[...SERVE, 'login', 'node:fn', 'node:scrypt'], 900_000]])
  profile.nodes.find(({ callFrame }) => callFrame.functionName === 'fn').callFrame.url = 'node:internal/util'
  assert.equal(findCulprit(deepFreeze(profile), { appRoot: '/app' }).culprit.call, 'scrypt')
})

test('a getter in which V8 answers an interrupt is not the call', () => {
  const profile = profileOf([[[...SERVE, 'encode', 'node:get'], 900_000]])
  profile.nodes.find(({ callFrame }) => callFrame.functionName === 'get').callFrame.url = 'node:buffer'
  const { culprit } = findCulprit(deepFreeze(profile), { appRoot: '/app' })
  assert.deepEqual([culprit.function, culprit.call], ['encode', null])
})

test('the function itself is meant where no call below it took half of its time', () => {
  const culprit = culpritOf([[...SERVE, 'render'], 700_000], [[...SERVE, 'render', 'node:stringify'], 300_000])
  assert.deepEqual([culprit.function, culprit.call, culprit.share], ['render', null, 1])
})

test('an anonymous comparator is its named function, an anonymous handler under a framework stays itself', () => {
  assert.equal(culpritOf([[...SERVE, 'sortRows', ANONYMOUS], 500_000]).function, 'sortRows')
  assert.equal(culpritOf([[...SERVE, 'sortRows', 'native:sort', ANONYMOUS], 500_000]).call, 'sort')
  const handler = culpritOf([['start', ...SERVE, ANONYMOUS], 500_000])
  assert.deepEqual([handler.function, handler.file], ['(anonymous)', 'app.js'])
})

test('an anonymous async function is not what its compiler put around it', () => {
  for (const helper of ['asyncGeneratorStep', '_asyncToGenerator', '_async_to_generator', '__awaiter', 'fulfilled']) {
    assert.equal(culpritOf([['node:processTicksAndRejections', helper, ANONYMOUS], 300_000]).function, '(anonymous)', helper)
  }
})

test('the middleware of this library is not what called an anonymous handler, wherever the library is installed', () => {
  const profile = profileOf([[['loopscope', ANONYMOUS], 500_000]])
  const ours = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'loopscope')
  ours.callFrame.url = pathToFileURL(require.resolve('../../lib/api/http/middleware')).href
  const { culprit } = findCulprit(withoutOwnFrames(deepFreeze(profile)), { appRoot: '/app' })
  assert.deepEqual([culprit.function, culprit.file], ['(anonymous)', 'app.js'])
})

test('recursion counts once', () => {
  const culprit = culpritOf([[...SERVE, 'walk', 'walk', 'walk'], 300_000], [[...SERVE, 'walk'], 100_000])
  assert.deepEqual([culprit.function, culprit.share], ['walk', 1])
})

test('a function that is called from several places is seen as a whole', () => {
  const paths = ['a', 'b', 'c'].map(name => [[name, 'parse'], 250_000])
  const culprit = culpritOf(...paths, [['d'], 250_000])
  assert.deepEqual([culprit.function, culprit.share], ['parse', 0.75])
})

test('a dependency is named where the application has no part in it', () => {
  const culprit = culpritOf([['node:emit', 'dep:parseBody', 'node:parse'], 500_000])
  assert.deepEqual([culprit.function, culprit.file, culprit.call], ['parseBody', 'node_modules/express/lib/router.js', 'parse'])
})

test('a function of a package inside a wrapper of another package is that package\'s, if it depends on the other', () => {
  const viaWith = dependsOn => {
    const profile = profileOf([[[...SERVE, 'report', 'dep:wrapper', 'dep:evaluate', 'dep:wrapper', 'dep:multiply'], 900_000]])
    for (const { callFrame } of profile.nodes) {
      const name = { wrapper: 'typed', evaluate: 'maths', multiply: 'maths' }[callFrame.functionName]
      if (name !== undefined) callFrame.url = `file:///app/node_modules/${name}/index.js`
    }
    const { culprit, calledShare } = findCulprit(deepFreeze(profile), { appRoot: '/app', source: { count: () => null, read: () => [], dependsOn } })
    assert.equal(calledShare, 1, 'in the package, whatever it is wrapped in')
    return culprit.via
  }
  const depends = viaWith((file, name) => file === 'node_modules/maths/index.js' && name === 'typed')
  assert.deepEqual([depends.package, depends.function], ['maths', '(anonymous)'])
  const alone = viaWith(() => false)
  assert.deepEqual([alone.package, alone.function, alone.through.package], ['typed', 'wrapper', 'maths'])
})

test('a package that is entered at several functions is named with the heaviest if that has half of its time, where together they have half of the time', () => {
  const enter = (parseMicros, formatMicros, ownMicros) => culpritOf(
    [[...SERVE, 'report', 'dep:parse'], parseMicros], [[...SERVE, 'report', 'toWeek', 'dep:format'], formatMicros], [[...SERVE, 'report'], ownMicros]
  )
  const culprit = enter(400_000, 350_000, 250_000)
  assert.deepEqual([culprit.function, culprit.via], ['report', { package: 'express', function: 'parse', through: null }])
  assert.equal(enter(260_000, 200_000, 540_000).via, null)
  const third = culpritOf(...['parse', 'format', 'toZone'].map((name, index) => [[...SERVE, 'report', `dep:${name}`], 330_000 - index]))
  assert.deepEqual([third.function, third.via], ['report', { package: 'express', function: '(anonymous)', through: null }], 'none of three has half of its time')
})

test('a name that V8 made up for a function is none', () => {
  assert.equal(culpritOf([[...SERVE, 'report', 'dep:<computed>'], 500_000]).via.function, '(anonymous)')
})

test('garbage collection and idle time have no culprit', () => {
  const { culprit, origin, stack, codeMs, gcMs } = findCulprit(profileOf([[['(garbage collector)'], 300_000], [['(idle)'], 900_000], [['(program)'], 5000]]))
  assert.deepEqual({ culprit, origin, stack, codeMs, gcMs }, { culprit: null, origin: null, stack: [], codeMs: 0, gcMs: 300 })
  assert.deepEqual(findCulprit({ ...profileOf([]), endTime: 9e9 }), { culprit: null, origin: null, calledShare: 1, stack: [], codeMs: 0, gcMs: 0 })
})

test('the collector takes no share of the code, and the stack is innermost first and bounded', () => {
  const deep = Array.from({ length: 80 }, (_, depth) => `f${depth}`)
  const { culprit, stack, gcMs, codeMs } = findCulprit(profileOf([[deep, 200_000], [['(garbage collector)'], 800_000]]))
  assert.deepEqual([culprit.function, culprit.share, codeMs, gcMs], ['f79', 1, 200, 800])
  assert.deepEqual([stack.length, stack[0].function, stack[49].function], [50, 'f79', 'f30'])
})

/** The longest stretch in which every sample was below the function. */
function stretchOf (profile, name) {
  const parentOf = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id])))
  const nameOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const isBelow = id => id !== undefined && (nameOf.get(id) === name || isBelow(parentOf.get(id)))
  const stretches = []
  let at = profile.startTime
  profile.samples.forEach((id, index) => {
    const from = at
    at += profile.timeDeltas[index]
    if (!isBelow(id)) return
    if (stretches.at(-1)?.to === from) stretches.at(-1).to = at
    else stretches.push({ from, to: at })
  })
  return stretches.sort((left, right) => (right.to - right.from) - (left.to - left.from))[0]
}

for (const { name, profile } of readRecorded()) {
  test(`finds each handler that held the loop in ${name}`, () => {
    for (const handler of ['login', 'parseReport', 'fillHeap']) {
      const { from, to } = stretchOf(profile, handler)
      const { culprit, codeMs } = findCulprit(slice(profile, from, to), { appRoot: '/app' })
      assert.deepEqual([culprit.function, culprit.file], [handler, 'routes.js'])
      assert.equal(culprit.call, handler === 'login' ? 'pbkdf2Sync' : null)
      assert.ok(Math.abs(codeMs - (to - from) / 1e3) < 1e-6)
    }
  })
}

test('code without a file is not the culprit: its caller is', () => {
  const toWasm = { url: 'wasm://wasm/002a0116', scriptId: '9' }
  const toCompiled = { url: '', scriptId: '9' }
  const culpritWith = (changes, ...samples) => {
    const profile = profileOf(samples)
    for (const { callFrame } of profile.nodes) Object.assign(callFrame, changes[callFrame.functionName])
    return findCulprit(deepFreeze(profile), { appRoot: '/app' }).culprit
  }
  const query = culpritWith({ step: toWasm }, [[...SERVE, 'query', 'dep:c.exec', 'native:js-to-wasm', 'step'], 900_000])
  assert.deepEqual([query.function, query.call, query.via], ['query', null, { package: 'express', function: 'exec', through: null }])
  const page = culpritWith({ template: toCompiled }, [[...SERVE, 'page', 'dep:render', 'template'], 900_000])
  assert.deepEqual([page.function, page.via], ['page', { package: 'express', function: 'render', through: null }])
  assert.equal(culpritWith({ template: toCompiled }, [[...SERVE, 'page', 'dep:express.render', 'template'], 900_000]).via.function, 'render')
  const alone = culpritWith({ step: toWasm }, [['node:emit', 'step'], 900_000])
  assert.deepEqual([alone.function, alone.file], ['step', 'wasm://wasm/002a0116'])
})
