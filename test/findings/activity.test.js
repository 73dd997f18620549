'use strict'

// What is read out of a profile: where the time went, of whom, and what is spent all over.

const test = require('node:test')
const assert = require('node:assert/strict')
const { readActivity } = require('../../lib/observer/findings/activity')
const { NO_SOURCE } = require('../../lib/observer/stalls/culprit/source-lines')

const NAMES = { run: 'node:internal/timers', processImmediate: 'node:internal/timers', await: 'node:internal/process/task_queues', load: 'node:internal/modules/cjs/loader', log: 'node:internal/console/constructor', pbkdf2Sync: 'node:internal/crypto/pbkdf2', 'Writable.write': 'node:internal/streams/writable', 'Socket._writeGeneric': 'node:net', writeGeneric: 'node:internal/stream_base_commons', writeSync: 'node:fs', readableStreamPull: 'node:internal/webstreams/readablestream', readableStreamEnqueue: 'node:internal/webstreams/readablestream', internalConnect: 'node:net', onconnection: 'node:net', doSend: 'node:dgram', 'Socket.send': 'node:dgram', closeSocketHandle: 'node:net', 'Socket._destroy': 'node:net', 'Socket.connect': 'node:net', onStreamRead: 'node:internal/stream_base_commons', morgan: 'file:///app/node_modules/morgan/index.js', 'transports.write': 'file:///app/node_modules/winston/lib/winston/logger.js', parseJSONFromBytes: 'node:internal/deps/undici/undici', readAllBytes: 'node:internal/deps/undici/undici', express: 'file:///app/node_modules/express/router.js', marked: 'file:///app/node_modules/marked/index.js', next: 'file:///app/node_modules/router/index.js', check: 'file:///app/node_modules/outer/index.js', select: 'file:///app/node_modules/outer/index.js', count: 'file:///app/node_modules/outer/index.js', uniq: 'file:///app/node_modules/inner/index.js', compare: 'file:///app/node_modules/inner/index.js', safeParse: 'file:///app/node_modules/zod/v4/core/parse.cjs', init: 'file:///app/node_modules/zod/v4/core/core.cjs', 'document.toJSON': 'file:///app/node_modules/mongoose/lib/document.js', renderDevelopment: 'file:///app/node_modules/react-dom/cjs/react-dom-server.node.development.js', compile: 'file:///app/node_modules/marked/index.js', compileInput: 'file:///app/node_modules/inner/index.js', renderProduction: 'file:///app/node_modules/react-dom/cjs/react-dom-server.node.production.js' }

/** A profile of stacks, outermost first, for so many milliseconds each, in samples of ten. */
function record (stretches) {
  const root = { id: 1, callFrame: frameOf('(root)'), children: [] }
  const nodes = [root]
  const samples = stretches.flatMap(([stack, ms]) => Array.from({ length: ms / 10 }, () => {
    let node = root
    for (const name of stack) {
      let child = nodes.find(({ id, callFrame }) => node.children.includes(id) && callFrame.functionName === name)
      if (child === undefined) {
        child = { id: nodes.length + 1, callFrame: frameOf(name), children: [] }
        nodes.push(child)
        node.children.push(child.id)
      }
      node = child
    }
    return node.id
  }))
  return { nodes, startTime: 0, endTime: samples.length * 1e4, samples, timeDeltas: samples.map(() => 1e4) }
}

function frameOf (functionName) {
  const isMeta = functionName.startsWith('(')
  const url = isMeta ? '' : NAMES[functionName] ?? 'file:///app/app.js'
  return { functionName, scriptId: isMeta ? '0' : '1', url, lineNumber: isMeta ? -1 : functionName.length, columnNumber: isMeta ? -1 : 2 }
}

const read = (stretches, about = {}) => readActivity(record(stretches), { fromMs: 1e6, startedAt: 0, stalls: [], ...about }, { appRoot: '/app', source: NO_SOURCE })

test('a middleware that passes requests on is not blamed for the handlers behind it', () => {
  const { hotSpots, busyMs } = read([
    [['run', 'timing', 'express', 'listUsers'], 3000],
    [['run', 'timing', 'express', 'listOrders'], 2500],
    [['run', 'timing', 'express', 'showItem'], 2400]
  ])
  assert.equal(busyMs, 7900)
  assert.deepEqual(hotSpots.map(({ culprit, ms }) => [culprit.function, ms]), [['listUsers', 3000], ['listOrders', 2500], ['showItem', 2400]])
})

test('a function answers for its helpers, until one of them has most of it', () => {
  const helpers = ['first', 'second', 'third', 'fourth'].map(helper => [['run', 'render', helper], 1000])
  assert.deepEqual(read(helpers).hotSpots.map(({ culprit, share }) => [culprit.function, share]), [['render', 1]])
  assert.equal(read([[['run', 'render', 'first'], 5000], [['run', 'render', 'second'], 500]]).hotSpots[0].culprit.function, 'first')
})

test('the text of a hot spot has the line of the call, and the line on which its anonymous callback was at work', () => {
  const profile = record([[['run', 'byId', '(anonymous)'], 3000]])
  const [, , byId, callback] = profile.nodes
  byId.callFrame.lineNumber = 4
  callback.callFrame = { ...byId.callFrame, functionName: '', columnNumber: 30 }
  callback.positionTicks = [{ line: 6, ticks: 300 }]
  const lines = { 5: 'const byId = rows => rows.reduce((all, row) =>', 6: '  ({ ...all, [row.id]: row }), {})' }
  const source = { count: () => 10, read: (file, from, to = from) => Object.entries(lines).filter(([line]) => line >= from && line <= to).map(([, text]) => text), dependsOn: () => false }
  const { hotSpots: [{ culprit, text }] } = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source })
  assert.deepEqual([culprit.function, culprit.line, text], ['byId', 5, `${lines[5]}\n${lines[6]}`])
  callback.positionTicks = [{ line: 5, ticks: 300 }]
  const onOne = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source }).hotSpots[0].text
  assert.equal(onOne, `${lines[5]}\n${lines[6]}`, 'the arrow function goes on')
})

test('a loop that does nothing but wait for the clock is known, also where a helper reads it', () => {
  const loopOf = (lines, at = [1, 1]) => {
    const profile = record([[['run', 'pause', 'elapsed'], 3000]])
    const [, , ...functions] = profile.nodes
    functions.forEach(({ callFrame }, index) => { callFrame.lineNumber = at[index] - 1 })
    const source = { ...NO_SOURCE, count: () => lines.length, read: (_, from, to = from) => lines.slice(from - 1, to) }
    const [{ waitLoop }] = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source }).hotSpots
    return waitLoop && [waitLoop.function, waitLoop.line]
  }
  const waiting = [
    'const end = Date.now() + 2000; while (Date.now() < end);',
    'while (performance.now() < end) {}',
    'for (const end = Date.now() + ms; Date.now() < end;) {}',
    'const pause = ms => { const from = Date.now(); do { /* wait() */ } while (Date.now() - from < ms) }',
    'while (moment().isBefore(end)) { /* wait */ }',
    "while (process.hrtime.bigint() < end) i++ // until('then')"
  ]
  for (const text of waiting) assert.deepEqual(loopOf([text]), ['elapsed', 1], text)
  assert.deepEqual(loopOf(['function elapsed () {', '  while (true) {', '    const left = end - new Date().getTime()', '    if (left <= 0) break', '  }', '}'], [3, 3]), ['elapsed', 2])
  assert.deepEqual(loopOf(['  elapsed () { return Date.now() - this.from }', '  pause () {', '    while (this.elapsed() < this.ms) { /* not yet */ }', '  }'], [2, 1]), ['pause', 3])
  const working = [
    'while (Date.now() < end) step()',
    'while (Date.now() < end) { for (let i = 0; i < 1e4; i++) sum += i }',
    'for (const row of rows) if (row.end > Date.now()) live.push(row)',
    'while (Date.now() < end) await pause(5)',
    'while (rows.length > 0) { rows.pop().at = Date.now() }',
    'const isOver = Date.now() > end'
  ]
  for (const text of working) assert.equal(loopOf([text]), null, text)
})

test('a call into a dependency is told with the package, a synchronous call with its name', () => {
  const { hotSpots } = read([[['run', 'page', 'marked'], 3000], [['run', 'login', 'pbkdf2Sync'], 2000]])
  assert.deepEqual(hotSpots.map(({ culprit, sync }) => [culprit.function, culprit.via?.package ?? null, sync?.api ?? null]),
    [['page', 'marked', null], ['login', null, 'crypto.pbkdf2Sync']])
})

test('a package whose work divides over many of its functions is a hot spot, without a function of the application as well', () => {
  const { hotSpots } = read([[['run', 'check'], 1000], [['run', 'select'], 1000], [['run', 'count'], 1000]])
  assert.deepEqual(hotSpots.map(({ culprit, origin, ms }) => [culprit.file, origin, ms]), [['node_modules/outer/index.js', 'dependency', 3000]])
})

test('idle time before and after the work is not observed', () => {
  const { observedMs, fromMs } = read([[['(idle)'], 40_000], [['run', 'work'], 12_000], [['(idle)'], 8000]])
  assert.deepEqual([observedMs, fromMs], [12_000, 1_040_000])
  assert.equal(read([[['(idle)'], 20_000]]).observedMs, 20_000, 'where there was none all of it is')
})

test('time that is spent all over is summed up, with the function that most of it was for', () => {
  const { categories, gcMs } = read([
    [['run', 'handle', 'log'], 500], [['run', 'other', 'log'], 100],
    [['run', 'build'], 1000], [['(garbage collector)'], 800]
  ])
  assert.deepEqual([categories.logging.ms, categories.logging.where.function], [600, 'handle'])
  assert.deepEqual([gcMs, categories.collected.ms, categories.collected.where.function], [800, 800, 'build'])
})

test('where the line of a call is known, time that is spent all over has that line', () => {
  const profile = record([[['run', 'handle', 'log'], 1000], [['(garbage collector)'], 800]])
  const handle = profile.nodes.find(({ callFrame }) => callFrame.functionName === 'handle')
  handle.callFrame.lineNumber = 4
  const source = { count: () => 10, read: (file, from, to = from) => ['function handle () {', '  log(1)', '}'].slice(from - 5, to - 4), dependsOn: () => false }
  const { hotSpots: [{ culprit }], categories: { logging, collected } } = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source })
  assert.deepEqual([culprit.functionLine, culprit.line, logging.where.line, collected.where.line], [5, 6, 6, 6])
})

test('what a logging middleware passes on, and a transport of the application, is no time of the logger', () => {
  const { categories, hotSpots } = read([[['run', 'express', 'morgan', 'next', 'report'], 3000], [['run', 'express', 'morgan'], 400], [['run', 'handle', 'transports.write', 'AuditFile'], 1000]])
  assert.equal(categories.logging.ms, 400)
  assert.deepEqual(hotSpots.slice(0, 2).map(({ culprit, isLogging }) => [culprit.function, isLogging]), [['report', false], ['AuditFile', false]])
})

test('logging has its logger, and the functions that it was spent for, also where none has most of it', () => {
  const { categories: { logging } } = read([
    ...['listOrders', 'showOrder', 'search', 'export'].map(handler => [['run', handler, 'transports.write'], 1000]), [['run', 'ping', 'transports.write'], 100], [['run', 'handle', 'log'], 300]
  ])
  assert.deepEqual([logging.logger, logging.where, logging.places.map(place => [place.function, place.ms])], ['winston', null, [['listOrders', 1000], ['showOrder', 1000], ['search', 1000], ['export', 1000]]])
  assert.equal(read([[['run', 'handle', 'log'], 1000]]).categories.logging.logger, 'console')
  assert.equal(read([[['run', 'handle', 'transports.write'], 1000], [['run', 'handle', 'transports.write', 'writeSync'], 600]]).categories.logging.writingMs, 600)
})

test('what a function passes to streams of Node.js is known, unless a socket writes it', () => {
  const isStreaming = (...stack) => read([[['run', ...stack], 1000]]).hotSpots[0].isStreaming
  assert.deepEqual([isStreaming('handle', 'Writable.write'), isStreaming('handle'), isStreaming('handle', 'log', 'Writable.write'), isStreaming('handle', 'Writable.write', 'Socket._writeGeneric')], [true, false, false, false])
})

test('what ran when the process started and is over belongs to the start', () => {
  const stretches = [[['load', 'warmUp'], 4000], [['run', 'handle'], 5000], [['(idle)'], 1000]]
  const startUps = startedAt => read(stretches, { startedAt }).hotSpots.map(({ culprit, isStartUp }) => [culprit.function, isStartUp])
  assert.deepEqual(startUps(1e6 - 500), [['handle', false], ['warmUp', true]])
  assert.deepEqual(startUps(1e6 - 60_000), [['handle', false], ['warmUp', false]])
  const inRequest = { ...record(stretches), routes: { names: ['GET /config'], samples: Array(1000).fill(0) } }
  const { hotSpots } = readActivity(inRequest, { fromMs: 1e6, startedAt: 1e6 - 500, stalls: [] }, { appRoot: '/app', source: NO_SOURCE })
  assert.ok(hotSpots.every(({ isStartUp }) => !isStartUp), 'a request loaded it')
})

test('the stalls of a function are counted as its own, and tell its line and call', () => {
  const culprit = { function: 'login', file: 'app.js', line: 9, column: 12, functionLine: 6, call: 'pbkdf2Sync', via: null, share: 1 }
  const stall = { id: 1, at: 1_000_500, durationMs: 400, cause: 'code', route: 'POST /login', culprit, stack: [], evidence: {} }
  const { hotSpots: [login, other] } = read([[['run', 'login'], 5000], [['run', 'handle'], 1000]], { stalls: [stall, { ...stall, durationMs: 600 }, { ...stall, cause: 'starved' }] })
  assert.deepEqual(login.stalls, { count: 2, ms: 1000, longestMs: 600, lines: [{ line: 9, ms: 1000 }] })
  assert.equal(login.culprit.line, 9)
  assert.equal(other.stalls.count, 0)
})

test('where stalls were in several functions of a package, none of them is named', () => {
  const { culprit: page } = read([[['run', 'page', 'marked'], 5000]]).hotSpots[0]
  const stallIn = (entrance, durationMs) => {
    const culprit = { ...page, via: { package: 'marked', function: entrance, through: null } }
    return { id: 1, at: 1_000_500, durationMs, cause: 'code', route: null, culprit, stack: [], evidence: {} }
  }
  const viaOf = stalls => read([[['run', 'page', 'marked'], 5000]], { stalls }).hotSpots[0].culprit.via
  assert.deepEqual(viaOf([stallIn('lex', 400), stallIn('parse', 350), stallIn('use', 350)]), { package: 'marked', function: '(anonymous)', through: null })
  assert.equal(viaOf([stallIn('lex', 400), stallIn('parse', 300)]).function, 'lex')
})

test('a stall tells the route of its own time, and of no other', () => {
  const culprit = { function: 'login', file: 'app.js', line: 9, column: 12, functionLine: 6, call: null, via: null, share: 1 }
  const stall = { id: 1, at: 1_004_000, durationMs: 500, cause: 'code', route: 'GET /heavy', culprit, stack: [], evidence: {} }
  const { hotSpots: [login] } = read([[['run', 'login'], 5000]], { stalls: [stall] })
  assert.equal(login.route, null)
  assert.deepEqual(login.routes.map(({ route, share }) => [route, Math.round(share * 100)]), [[null, 90], ['GET /heavy', 10]])
})

test('labels of samples tell the routes, each with its own share of the busy time', () => {
  const hotSpotOf = numberAt => {
    const profile = record([[['run', 'login'], 3000], [['run', 'other'], 1000]])
    const routes = { names: ['GET /a', 'GET /b'], samples: profile.samples.map((_, index) => numberAt(index)) }
    return readActivity({ ...profile, routes }, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source: NO_SOURCE }).hotSpots[0]
  }
  const shares = ({ routes }) => routes.map(({ route, share }) => [route, Math.round(share * 100)])
  const mostly = hotSpotOf(index => index < 100 ? 0 : 1)
  assert.deepEqual([mostly.route, shares(mostly)], ['GET /b', [['GET /b', 50], ['GET /a', 25]]])
  const halves = hotSpotOf(index => [-1, 0, 1][index % 3])
  assert.deepEqual([halves.route, shares(halves)], [null, [[null, 25], ['GET /a', 25], ['GET /b', 25]]])
})

test('writes and connections of sockets are known with the function that asks for them, and time of the event loop itself', () => {
  const { busyMs, sockets } = read([
    [['onStreamRead', 'onMessage', 'Writable.write', 'Socket._writeGeneric', 'writeGeneric'], 400],
    [['onStreamRead', 'onMessage'], 100],
    [['onStreamRead', 'greet', 'Writable.write', 'Socket._writeGeneric', 'writeGeneric'], 20],
    [['onStreamRead', 'ask', 'Socket.connect'], 80],
    [['internalConnect'], 120],
    [['onconnection', 'accepted'], 30],
    [['onconnection'], 50],
    [['onStreamRead', 'Socket._destroy', 'closeSocketHandle'], 60],
    [['(event loop I/O)'], 200],
    [['(idle)'], 100]
  ])
  assert.deepEqual([busyMs, sockets.writes.ms, sockets.connects.ms, sockets.loopMs], [1060, 420, 200, 200])
  assert.deepEqual([sockets.accepts.ms, sockets.accepts.closingMs], [50, 60])
  assert.deepEqual([sockets.writes.where.function, Math.round(sockets.writes.where.share * 100)], ['onMessage', 95])
  assert.deepEqual([sockets.connects.where.function, Math.round(sockets.connects.where.share * 100)], ['ask', 40])
})

test('datagrams are sent later, for the function that sends most of them', () => {
  const { sends } = read([[['run', 'report', 'Socket.send'], 300], [['await', 'doSend'], 2700]]).sockets
  assert.deepEqual([sends.ms, sends.samples, sends.where.function], [3000, 300, 'report'])
})

test('what setImmediate() calls, and what awaited it, is summed up with the function that starts most of it', () => {
  const { categories: { immediates } } = read([[['processImmediate', 'poll'], 300], [['processImmediate', 'await', 'wait'], 700], [['run', 'poll'], 500], [['(program)'], 100]])
  assert.deepEqual([immediates.ms, immediates.where.function], [1000, 'wait'])
})

test('a synchronous write to a file, and that of a logger to a pipe, is none to a socket', () => {
  const { sockets } = read([[['onMessage', 'writeSync'], 200], [['onMessage', 'log', 'writeGeneric'], 100], [['onMessage', 'writeGeneric'], 300]])
  assert.deepEqual([sockets.writes.ms, sockets.otherWritesMs], [300, 300])
})

test('what web streams do in microtasks is one spot, whichever of their functions it is in', () => {
  const { hotSpots: [{ culprit, ms, isStreaming }, ...rest] } = read([[['await', 'readableStreamPull'], 1500], [['await', 'readableStreamEnqueue'], 1400], [['await', 'readableStreamPull', 'transform'], 300]])
  assert.deepEqual([culprit.function, culprit.file, ms, isStreaming], ['web streams', 'node:internal/webstreams/readablestream', 2900, true])
  assert.deepEqual(rest.map(spot => [spot.culprit.function, spot.isStreaming]), [['transform', false]])
})

test('a spot says whether the application itself is at work, and what its line has from the callback on that is', () => {
  const isOwn = (...stack) => read([[['run', ...stack], 1000]]).hotSpots[0].isOwn
  assert.deepEqual([isOwn('metrics'), isOwn('metrics', 'pbkdf2Sync')], [true, false])
  const { nodeCalls } = read([[['run', 'metrics', 'writeSync'], 400], [['run', 'metrics', 'writeGeneric'], 300], [['run', 'metrics', 'log'], 50], [['run', 'metrics'], 300]]).hotSpots[0]
  assert.deepEqual(nodeCalls, ['writeSync', 'writeGeneric'])
  const profile = record([[['run', 'byId', '(anonymous)'], 3000]])
  const [, , byId, callback] = profile.nodes
  const line = 'const byId = rows => JSON.stringify(rows.map(row => score(row)))'
  callback.callFrame = { ...byId.callFrame, functionName: '', columnNumber: line.indexOf('row =>') }
  const source = { ...NO_SOURCE, read: () => [line] }
  const [{ text, ownText }] = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source }).hotSpots
  assert.deepEqual([text, ownText], [line, 'row => score(row)))'])
})

test('a function that a write calls back is not writing', () => {
  assert.equal(read([[['onMessage', 'writeGeneric', 'onWritten'], 500]]).sockets.writes.ms, 0)
})

test('the queue of tasks takes time between tasks that do little, and none within one that does much', () => {
  const often = Array.from({ length: 60 }, () => [[['settle'], 30], [['(program)'], 20]]).flat()
  const seldom = Array.from({ length: 10 }, () => [[['tidy'], 300], [['(garbage collector)'], 10], [['(program)'], 20], [['(idle)'], 400], [['(program)'], 20]]).flat()
  assert.deepEqual(read(often).hotSpots.map(({ ms, queueMs }) => [ms, queueMs]), [[1800, 1180]])
  assert.deepEqual(read(seldom).hotSpots.map(({ ms, queueMs }) => [ms, queueMs]), [[3000, 0]])
  assert.equal(read([...often.map(([stack, ms]) => [['run', ...stack], ms])]).hotSpots[0].queueMs, 0, 'what a timer or a socket called is no task')
})

const OUTER = { file: 'node_modules/outer/index.js', line: 6, column: 3, functionLine: 6, call: null, via: { package: 'outer', function: 'select', through: null }, share: 1 }
const stallOf = (culprit, changes) => ({ id: 1, at: 1_000_500, durationMs: 200, cause: 'code', route: 'GET /', culprit, stack: [], evidence: {}, ...changes })

test('a dependency of a dependency is told with the package that the application called, however the time divides there', () => {
  const stalls = [stallOf({ ...OUTER, function: 'select' }), stallOf({ ...OUTER, function: 'count', functionLine: 5 })]
  const { hotSpots } = read([
    [['run', 'express', 'check', 'select', 'uniq', 'compare'], 2000], [['run', 'express', 'check', 'count'], 1500], [['run', 'uniq'], 20], [['run', 'handle'], 2000]
  ], { stalls })
  assert.deepEqual(hotSpots.map(({ origin, culprit, ms, stalls }) => [origin, culprit.via?.package, culprit.via?.through, ms, stalls.count]), [
    ['dependency', 'outer', { package: 'inner', function: 'uniq' }, 3500, 2],
    ['app', undefined, undefined, 2000, 0]
  ])
})

test('a framework alone is told as such', () => {
  const { hotSpots: [{ origin, culprit }] } = read([[['run', 'express'], 3000]])
  assert.deepEqual([origin, culprit.file, culprit.via], ['dependency', 'node_modules/express/router.js', null])
})

test('stalls of the helpers of a function are those of the function, where none of them is told alone', () => {
  const helpers = ['first', 'second', 'third']
  const stalls = helpers.map(helper => stallOf({ function: helper, file: 'app.js', line: 9, column: 1, functionLine: helper.length, call: null, via: null, share: 0.9 }, {
    stack: [helper, 'render'].map(name => ({ function: name, file: 'app.js', line: 9, column: 0 }))
  }))
  const { hotSpots: [render, ...rest] } = read(helpers.map(helper => [['run', 'render', helper], 1000]), { stalls })
  assert.deepEqual([rest, render.culprit.function, render.stalls.count, render.stalls.ms], [[], 'render', 3, 600])
})

test('a function that V8 inlined into its caller, which only the stalls show, is named', () => {
  const stalled = (name, durationMs, share) => stallOf({ function: name, file: 'app.js', line: 4, column: 1, functionLine: 3, call: null, via: null, share }, {
    durationMs, stack: [name, 'report'].map(one => ({ function: one, file: 'app.js', line: 4, column: 0 }))
  })
  const named = (...stalls) => read([[['run', 'report'], 3000]], { stalls }).hotSpots[0].culprit
  const { function: name, line } = named(stalled('build', 1400, 0.9), stalled('build', 1000, 0.9))
  assert.deepEqual([name, line], ['build', 4])
  assert.equal(named(stalled('build', 1400, 0.9)).function, 'report', 'it had less than half of the time')
  assert.equal(named(stalled('build', 2800, 0.4)).function, 'report', 'it had less than half of the stalls')
})

test('stalls of one function on several lines are told with all of them, and with no call that only one of them made', () => {
  const at = (line, call, durationMs) => stallOf({ function: 'report', file: 'app.js', line, column: 4, functionLine: 7, call, via: null, share: 1 }, { durationMs })
  const { hotSpots: [{ culprit, stalls }] } = read([[['run', 'report'], 3000]], { stalls: [at(12, 'JSON.parse', 300), at(14, 'Array.sort', 250), at(19, null, 200)] })
  assert.deepEqual([culprit.call, culprit.line, stalls.lines], [null, 7, [{ line: 12, ms: 300 }, { line: 14, ms: 250 }, { line: 19, ms: 200 }]])
})

test('stalls that agree on the line, but not on the call, have that line', () => {
  const at = (line, call, durationMs) => stallOf({ function: 'report', file: 'app.js', line, column: 4, functionLine: 7, call, via: null, share: 1 }, { durationMs })
  const { hotSpots: [{ culprit }] } = read([[['run', 'report'], 3000]], { stalls: [at(12, 'JSON.parse', 300), at(12, 'Array.sort', 250), at(19, null, 200)] })
  assert.deepEqual([culprit.call, culprit.line, culprit.column], [null, 12, 4])
})

test('a few stalls in one package do not make it the package that took most of the time', () => {
  const stretches = [[['run', 'page', 'check'], 1500], [['run', 'page', 'select'], 1500], [['run', 'page', 'marked'], 1600]]
  const viaOf = durationMs => {
    const [{ culprit }] = read(stretches).hotSpots
    const stalls = [stallOf({ ...culprit, via: { package: 'marked', function: 'parse', through: null } }, { durationMs })]
    return read(stretches, { stalls }).hotSpots[0].culprit.via?.package ?? null
  }
  assert.equal(read(stretches).hotSpots[0].culprit.via, null)
  assert.deepEqual([viaOf(300), viaOf(4000)], [null, 'marked'])
})

test('a function that makes a schema each time it is called compiles it each time', () => {
  const compilingOf = (lines, ...calls) => {
    const source = { ...NO_SOURCE, count: () => 60, read: (_, from, to = from) => lines.slice(from - 1, to) }
    const profile = record(calls.map(name => [['run', 'check(row)', name], 1500]))
    for (const { callFrame } of profile.nodes) if (callFrame.functionName === 'check(row)') callFrame.lineNumber = 1
    const [spot] = readActivity(profile, { fromMs: 1e6, startedAt: 0, stalls: [] }, { appRoot: '/app', source }).hotSpots
    return spot.compiling
  }
  const made = ["import { z } from 'zod'", 'function check (row) {', '  const schema = z.strictObject({', '    id: z.number()', '  })', '  return schema.safeParse(row)', '}']
  assert.equal(compilingOf(made, 'safeParse'), 'zod')
  assert.equal(compilingOf(made, 'safeParse', 'init'), 'zod', 'entered at several functions')
  assert.equal(compilingOf(made, 'marked'), null, 'another package takes the time')
  const kept = ["import { z } from 'zod'", 'function check (row) {', '  return schema.safeParse(row)', '}', 'const schema = z.object({ id: z.number() })']
  assert.equal(compilingOf(kept, 'safeParse'), null)
})

test('a middleware that only hands a request on does not answer for the package that comes after it', () => {
  const { hotSpots } = read([[['run', 'express', 'timing', 'next', 'check', 'select', 'uniq'], 3000]])
  assert.deepEqual(hotSpots.map(({ origin, culprit }) => [origin, culprit.function, culprit.via]),
    [['dependency', 'select', { package: 'outer', function: 'select', through: { package: 'inner', function: 'uniq' } }]])
})

test('a spot says the toJSON() or toString() that took its time, the development build that it went through, and the package that compiled', () => {
  const hotSpotOf = (...stack) => read([[['run', ...stack], 3000]]).hotSpots[0]
  assert.deepEqual(hotSpotOf('login', 'document.toJSON').converter, { function: 'document.toJSON', file: 'node_modules/mongoose/lib/document.js', line: 16, column: 3, package: 'mongoose' })
  assert.equal(hotSpotOf('login', 'toJSON').converter.package, null)
  assert.equal(hotSpotOf('login', 'marked').converter, null)
  assert.equal(hotSpotOf('login', 'renderDevelopment').development, 'react-dom')
  assert.equal(hotSpotOf('login', 'renderProduction').development, null)
  assert.equal(hotSpotOf('login', 'marked', 'compile', 'compileInput').compiling, 'marked')
  assert.equal(hotSpotOf('login', 'marked').compiling, null)
})

test('what Node.js does for an application that only awaits it is a spot of its own', () => {
  const { hotSpots: [{ culprit, ms, ownMs }, ...rest] } = read([[['await', 'readAllBytes', 'parseJSONFromBytes'], 3000], [['await', 'readAllBytes'], 3000]])
  assert.deepEqual([culprit.function, culprit.file, culprit.call, ms, ownMs, rest], ['Response.json', 'node:internal/deps/undici/undici', 'JSON.parse', 3000, 3000, []])
  assert.equal(read([[['await', 'handle', 'parseJSONFromBytes'], 3000]]).hotSpots[0].culprit.function, 'handle')
})
