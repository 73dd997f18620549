'use strict'

// What is kept of sampled requests, and how it is added up.

const test = require('node:test')
const assert = require('node:assert/strict')
const { monotonicMicros } = require('../../lib/base/monotonic')
const { SlowRequests } = require('../../lib/observer/slow-requests/slow-requests')
const { WaitProfile } = require('../../lib/observer/waits/wait-profile')

const STACK = JSON.stringify([['load', '/app/dist/app.js', 100, 3, 99, 1], ['handler', '/app/dist/app.js', 200, 3, 199, 1]])

/** Source maps that know one file, of which each line was a hundredth. */
const SOURCE_MAPS = {
  frames: async frames => SOURCE_MAPS.known(frames),
  known: frames => frames.map(frame => ({ ...frame, url: frame.url.replace('dist/app.js', 'src/app.ts'), lineNumber: (frame.lineNumber + 1) / 100 - 1 })),
  isKnown: () => true
}

function createProfile (late = [], sourceMaps = SOURCE_MAPS) {
  const slowRequests = new SlowRequests({ hz: 100, nameOf: () => undefined })
  slowRequests.addNotes({ toMicros: 0, work: [], seen: [], late, answers: [] })
  return new WaitProfile({ appRoot: '/app', sourceMaps, slowRequests })
}

/** A request that waited for all of its time. */
function sample (fromMicros, ms, parts) {
  const toMicros = fromMicros + ms * 1e3
  return { route: 'GET /', startMicros: fromMicros, toMicros, isOpen: false, truncatedMicros: 0, waits: [[0, -1, fromMicros, toMicros, '', -1, 0, 0, 0]], runs: [], ...parts }
}

test('lines are shown as they were written, with the requests that waited there', async () => {
  const profile = createProfile()
  const now = monotonicMicros()
  const samples = Array.from({ length: 100 }, (_, index) => sample(now - 2e6 + index, index + 1))
  profile.add({ stacks: [STACK], samples })
  assert.equal(profile.read().sampled, 0, 'the samples of the recorder follow')
  await profile.settleNow()
  const { sampled, routes: [{ requests, totalMs, unseenMs, lines: [line] }] } = profile.read()
  assert.deepEqual([sampled, requests, totalMs, unseenMs], [100, 100, 5050, 0])
  const { callers: [caller], ...rest } = line
  assert.deepEqual(rest, { function: 'load', file: 'src/app.ts', line: 1, column: 3, awaited: null, via: null, resumedBy: null, calledAt: null, longest: null, together: 0, requests: 100, open: 0, waits: 100, ms: 5050, queuedMs: 0, poolMs: 0, turnMs: 0, sharedMs: 0, share: 1, p50Ms: 50, p99Ms: 99, maxMs: 100 })
  assert.deepEqual([caller.function, caller.line], ['handler', 2])
  assert.deepEqual(profile.linesOf(now - 2e6 + 49).map(({ line: { line, ms }, spans }) => [line, ms, spans.length]), [[1, 50, 2]])
  assert.equal(profile.linesOf(5), null)
})

test('a line is open where a request without an answer waits in the end', async () => {
  const profile = createProfile()
  const fromMicros = monotonicMicros() - 2e6
  const until = toMicros => [[0, -1, fromMicros, toMicros, '', -1, 0, 0, 0]]
  const samples = [sample(fromMicros, 500, { isOpen: true }), sample(fromMicros, 500, { isOpen: true, waits: until(fromMicros + 1e5) }), sample(fromMicros, 500)]
  profile.add({ stacks: [STACK], samples })
  await profile.settleNow()
  const { routes: [{ requests, open, lines }] } = profile.read()
  assert.deepEqual([requests, open, lines.map(line => [line.requests, line.open])], [3, 2, [[3, 1]]])
})

test('a request is shown once its lines are known as they were written, or its reader asks', async () => {
  let isRead = false
  const profile = createProfile([], { ...SOURCE_MAPS, known: frames => isRead ? SOURCE_MAPS.known(frames) : frames, isKnown: () => isRead })
  const filesOf = () => profile.read().routes.flatMap(({ lines }) => lines.map(({ file }) => file))
  const now = monotonicMicros()
  profile.add({ stacks: [STACK], samples: [sample(now - 40e6, 100)] })
  assert.deepEqual(filesOf(), [])
  isRead = true
  assert.deepEqual(filesOf(), ['src/app.ts'])
  isRead = false
  profile.add({ stacks: [STACK.replace('load', 'find')], samples: [sample(now - 50e6, 100), sample(now - 40e6, 100)] })
  assert.deepEqual(profile.read().sampled, 2, 'one has waited for too long')
  await profile.settleNow()
  assert.deepEqual(profile.read().sampled, 3)
})

test('a long request that began before the time in question belongs to it, where only its end counts', async () => {
  const now = monotonicMicros()
  const profile = createProfile()
  profile.add({ stacks: [STACK], samples: [sample(now - 40e6, 30_000)] })
  await profile.settleNow()
  assert.deepEqual([profile.read({ fromMicros: now - 20e6 }).sampled, profile.read({ begunMicros: now - 20e6 }).sampled], [1, 0])
})

test('what the loop was busy with right until the function went on is standing in line; what it did before is not', async () => {
  const now = monotonicMicros()
  const profile = createProfile([[490, 470], [450, 430], [430, 419]].map(([from, to]) => ({ fromMicros: now - from * 1e3, toMicros: now - to * 1e3 })))
  profile.add({ stacks: [STACK], samples: [sample(now - 500_000, 80)] })
  await profile.settleNow()
  const { routes: [{ waitingMs, lines: [{ ms, queuedMs }] }] } = profile.read()
  assert.deepEqual([ms, queuedMs, waitingMs], [50, 30, 80])
})

test('a route keeps its last requests, all routes together a bounded number, and none for ever', async () => {
  const profile = createProfile()
  const now = monotonicMicros()
  for (let route = 0; route < 20; route++) {
    profile.add({ stacks: [STACK], samples: Array.from({ length: 400 }, (_, index) => sample(now - 1e6 + route * 1e3 + index, 1, { route: `GET /${route}` })) })
    await profile.settleNow()
  }
  const { sampled, routes } = profile.read()
  assert.equal(sampled, 1000)
  assert.deepEqual([routes.length, Math.max(...routes.map(({ requests }) => requests)) <= 200], [20, true])
  assert.deepEqual(profile.read({ route: 'GET /3' }).routes.map(({ route }) => route), ['GET /3'])
  assert.equal(profile.read({ fromMicros: now }).sampled, 0)
  assert.equal(profile.read({ begunMicros: now }).sampled, 0)
  profile.add({ stacks: [STACK], samples: [sample(now + 16 * 60e6, 1)] })
  await profile.settleNow()
  assert.deepEqual(profile.read({ fromMicros: 0 }).routes.map(({ requests }) => requests), [1])
})

test('a lock of the database is what a query waits for that goes on as the last query of another request ends', async () => {
  const frames = line => JSON.stringify([['query', '/app/node_modules/pg/lib/client.js', 700, 3, 600, 1], ['vote', '/app/dist/app.js', line * 100, 3, 99, 1]])
  const base = monotonicMicros() - 5e6
  // Of twelve requests that came at once each holds the lock for 20 ms.
  const locking = (index, { heldMicros = 20_000, lateMicros = 300, commits = true } = {}) => {
    const startMicros = base + index
    const lockedMicros = base + index * 20_000 + lateMicros
    const commit = commits ? [[1, -1, lockedMicros, lockedMicros + heldMicros - 500, '', -1, 0, 0, 0]] : []
    return sample(startMicros, (lockedMicros + heldMicros - startMicros) / 1e3, { waits: [[0, -1, startMicros, lockedMicros, '', -1, 0, 0, 0], ...commit] })
  }
  const turnOf = async samples => {
    const profile = createProfile()
    profile.add({ stacks: [frames(1), frames(2), frames(3)], samples })
    await profile.settleNow()
    const { routes: [{ lines }] } = profile.read()
    const { ms, turnMs } = lines.find(({ line }) => line === 1)
    return Math.round(turnMs / ms * 100)
  }
  const all = Array.from({ length: 12 }, (_, index) => index)
  assert.equal(await turnOf(all.map(index => locking(index))), 100)
  // After the commit it reads something, as long as the next one holds the lock and longer.
  const reading = index => ({ ...locking(index), toMicros: locking(index).toMicros + 27_000, waits: [...locking(index).waits, [2, -1, locking(index).toMicros, locking(index).toMicros + 27_000, '', -1, 0, 0, 0]] })
  assert.equal(await turnOf(all.map(reading)), 100, 'another query after the commit')
  // All in step, half a query apart: what ends together does so by chance.
  const inStep = index => {
    const startMicros = base + index % 2 * 20_000 + index
    return sample(startMicros, 60, { waits: [0, 1, 2].map(at => [at, -1, startMicros + at * 20_000, startMicros + (at + 1) * 20_000, '', -1, 0, 0, 0]) })
  }
  assert.equal(await turnOf(all.map(inStep)), 0, 'in step')
  assert.equal(await turnOf(all.map(index => locking(index, { heldMicros: 13_000 }))), 0, 'nobody ends then')
  assert.equal(await turnOf(all.map(index => locking(index, { commits: false }))), 0, 'they do nothing with a lock')
  assert.equal(await turnOf(all.slice(0, 4).map(index => locking(index))), 0, 'so few may be chance')
  const together = Array.from({ length: 12 }, (_, index) => ({ ...locking(3), startMicros: base + index }))
  assert.equal(await turnOf(together), 0, 'they came together and end together')
})

test('requests that were under way before are shown as they were sampled, where they still are', async () => {
  const profile = createProfile()
  const startMicros = monotonicMicros() - 30e6
  profile.add({ stacks: [STACK], samples: [sample(startMicros, 10_000, { isOpen: true })] })
  await profile.settleNow()
  const shown = underWay => profile.read({ begunMicros: startMicros + 1, underWay: new Set(underWay) }).routes.map(({ requests, open }) => [requests, open])
  assert.deepEqual([shown([]), shown([startMicros])], [[], [[1, 1]]])
})

test('requests that were not answered are kept beside many that were, and can be read alone', async () => {
  const profile = createProfile()
  const now = monotonicMicros()
  const samples = Array.from({ length: 600 }, (_, index) => sample(now - 30e6 + index * 1e3, 10, { isOpen: index < 5 || (index > 400 && index % 2 === 0) }))
  profile.add({ stacks: [STACK], samples })
  await profile.settleNow()
  const { routes: [all] } = profile.read()
  const { routes: [hung] } = profile.read({ areOpen: true })
  assert.equal(all.requests, 200)
  assert.ok(all.open >= 90 && all.open <= 110, `${all.open} are open: no more than about half`)
  assert.deepEqual([hung.requests, hung.open, hung.lines[0].open], [all.open, all.open, all.open])
  const few = createProfile()
  few.add({ stacks: [STACK], samples: samples.slice(0, 400) })
  await few.settleNow()
  assert.equal(few.read({ areOpen: true }).sampled, 5)
})
