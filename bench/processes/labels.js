'use strict'

// A process whose main thread works on one request, deep in a stack, while it is probed as often as possible, or left alone; and which
// notices the route of requests that are done.

const fs = require('node:fs')
const { Worker, isMainThread, parentPort } = require('node:worker_threads')
const { serveAnswers } = require('../harness/answers')
const { createRequestContext } = require('../../lib/probe/http/contexts/one-request')
const { RouteContext } = require('../../lib/probe/http/contexts/route-context')
const { RequestNotes } = require('../../lib/probe/request-notes')
const { InspectorSession } = require('../../lib/observer/recorder/inspector-session')

const DEPTH = 20 // functions on the stack
const SLICE_MS = 50
const REQUESTS = 1_000_000
const EXPRESSION = 'globalThis.labelled'

if (isMainThread) measured()
else observe()

function measured () {
  const context = new RouteContext()
  context.start()
  const notes = new RequestNotes({ context, heartbeat: { dueMicros: Infinity }, tell: () => {} })
  let probes = 0
  const labelled = {
    probe () {
      probes++
      notes.probeStack()
    }
  }
  Object.assign(globalThis, { labelled }) // where EXPRESSION finds it
  const observer = new Worker(__filename)
  const request = { method: 'GET', url: '/users/7', route: { path: '/users/:id', stack: [] } }

  observer.once('message', () => serveAnswers('ready', {
    /** How fast it works, and how often it was probed meanwhile. */
    async work (/** @type {{ isProbed: boolean, ms: number }} */ { isProbed, ms }) {
      observer.postMessage(isProbed)
      const before = probes
      let turns = 0
      let workedMs = 0
      for (const untilMs = performance.now() + ms; performance.now() < untilMs;) {
        const fromMs = cpuMs()
        turns += /** @type {any} */ (context).run({ request }, () => deep(DEPTH, SLICE_MS))
        workedMs += cpuMs() - fromMs
        await new Promise(resolve => setImmediate(resolve))
        notes.handOver() // what was noted is taken away, as it is with each window
      }
      return { turnsPerMs: turns / workedMs, probesPerMs: (probes - before) / workedMs }
    },
    /** @returns {number} nanoseconds a request */
    notice () {
      const answered = createRequestContext(/** @type {any} */ (request), 0, 0)
      const from = process.hrtime.bigint()
      for (let number = 0; number < REQUESTS; number++) notes.noteUncounted(answered)
      return Number(process.hrtime.bigint() - from) / REQUESTS
    }
  }))
}

/**
 * @param {number} depth
 * @param {number} ms
 * @returns {number} how many turns its loop made
 */
function deep (depth, ms) {
  if (depth > 0) return deep(depth - 1, ms) + 0
  let turns = 0
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;) turns++
  return turns
}

/** Processor time of this thread: others may want the processor as well. */
function cpuMs () {
  return Number(fs.readFileSync('/proc/self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
}

async function observe () {
  const session = new InspectorSession({
    hz: 0,
    windowsBySession: false,
    titlePrefix: 'bench:',
    interruptExpression: EXPRESSION,
    onWindow: () => {}
  })
  const wanted = { probes: false }
  parentPort?.on('message', async isWanted => { // also keeps this thread running while the session opens
    wanted.probes = isWanted
    while (wanted.probes) await session.probeStack()
  })
  await session.open()
  parentPort?.postMessage('open')
}
