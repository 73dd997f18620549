'use strict'

// An observed process that asks for the time in several ways: how long that takes, and how old the answers are.

const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises')
const { Worker } = require('node:worker_threads')
const { serveAnswers } = require('../harness/answers')
const { callsLasting, timeNs } = require('../harness/slices')
const diagnostics = require('../..')
const clocks = require('../../lib/shared/clock')

const SLICE_MS = 20
const KEPT = 256 // results kept; a power of two
const WATCH_MS = 2000
const WORK_ITEMS = 200
const HAND_WRITTEN_MS = 1000
const RESOLUTION_MS = 10 // of our clock
const TRY_MS = 50 // longer than any keeper is late, and not yet a stall

const { clock } = diagnostics()
const alone = clocks.createClock() // what createClock() gives where no diagnostics run

let handWritten = Date.now()
setInterval(() => { handWritten = Date.now() }, HAND_WRITTEN_MS)

const written = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))

/** The least that can renew a time of day while this thread is blocked: how late it is, the machine is. */
function startThread () {
  const keep = `
    const written = new Float64Array(require('node:worker_threads').workerData)
    const renew = () => { written[0] = Date.now() }
    renew()
    setInterval(renew, ${RESOLUTION_MS})`
  new Worker(keep, { eval: true, workerData: written.buffer }).unref()
}

// V8 may not leave a store out, nor take a load from shared memory across one: every call is made, each time anew.
const kept = new Float64Array(KEPT)

/** One loop each, so that each is compiled for what it does. @type {Record<string, (calls: number) => void>} */
const LOOPS = {
  'empty loop' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = calls },
  'Date.now()' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = Date.now() },
  'performance.now()' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = performance.now() },
  'clock.now()' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = clock.now() },
  'hand-written variable' (calls) { for (let i = 0; i < calls; i++) kept[i % KEPT] = handWritten }
}

let fresh = clock

/** @type {Record<string, () => number>} */
const TIMES_OF_DAY = {
  'clock.now()': () => clock.now(),
  'clock.now() of a new clock': () => fresh.now(),
  'clock.now() without diagnostics': () => alone.now(),
  'a thread that does nothing else': () => written[0],
  'hand-written variable': () => handWritten
}

/** @returns {() => Promise<Record<string, number>>} nanoseconds a call, the loops in turns */
function speedMeter () {
  const slices = Object.entries(LOOPS).map(([name, loop]) => ({ name, loop, calls: callsLasting(loop, SLICE_MS) }))
  return async () => {
    /** @type {Record<string, number>} */
    const nsOf = {}
    for (const { name, loop, calls } of slices) {
      nsOf[name] = timeNs(loop, calls) / calls
      await nextTurn()
    }
    return nsOf
  }
}

/** @type {Record<string, () => Promise<void> | undefined>} what happens between two looks */
const SITUATIONS = {
  idle: () => sleep(1),
  'under load' () {
    JSON.parse(JSON.stringify(Array.from({ length: WORK_ITEMS }, (_, id) => ({ id, name: `item ${id}` }))))
    return nextTurn()
  },
  'during a block' () { return undefined } // not even a turn of the loop
}

/** @param {string} situation */
async function stalenessMs (situation) {
  const happen = SITUATIONS[situation]
  const ways = Object.entries(TIMES_OF_DAY)
  const maxima = ways.map(() => 0)
  fresh = diagnostics.createClock()
  const startMs = performance.now()
  while (performance.now() - startMs < WATCH_MS) {
    ways.forEach(([, read], index) => { maxima[index] = Math.max(maxima[index], Date.now() - read()) })
    const pause = happen()
    if (pause !== undefined) await pause
  }
  fresh.stop()
  return Object.fromEntries(ways.map(([name], index) => [name, maxima[index]]))
}

/** The observer takes a moment to start; when it renews the clock, time goes on while this thread is blocked. */
async function untilKept () {
  const time = new Float64Array(clock.buffer) // which the clock makes no use of before
  for (;;) {
    const startMs = performance.now()
    const [before] = time
    while (performance.now() - startMs < TRY_MS);
    if (time[0] !== before) return
    await sleep(TRY_MS)
  }
}

async function main () {
  startThread()
  await untilKept()
  while (written[0] === 0) await sleep(TRY_MS)
  serveAnswers('ready', { nsPerCall: speedMeter(), stalenessMs })
}

main()
