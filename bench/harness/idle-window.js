'use strict'

// What the observer does with a window of a process that did nothing: CPU time to parse it, to give its samples their labels and to keep it.

const { Session } = require('node:inspector/promises')
const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises')
const { History } = require('../../lib/observer/recorder/history')
const { SampledCalls } = require('../../lib/observer/sync-calls/sampled-calls')
const { WindowReading } = require('../../lib/observer/window-reading')

const INTERVAL_MICROS = 10_000
const REPETITIONS = 20
const WINDOWS = 3 // in each: as many as are kept

/**
 * @param {number} seconds  that the window lasts
 * @returns {Promise<{ samples: number, bytes: number, cpuMs: number }>} bytes: as V8 writes it; cpuMs: of the quickest repetition
 */
async function measureIdleWindow (seconds) {
  const text = JSON.stringify(await recordIdle(seconds))
  /** @type {number[]} */
  const cpuMs = []
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const begun = process.cpuUsage()
    await readWindows(text)
    const { user, system } = process.cpuUsage(begun)
    cpuMs.push((user + system) / 1e3 / WINDOWS)
  }
  return { samples: JSON.parse(text).samples.length, bytes: text.length, cpuMs: Math.min(...cpuMs) }
}

/** @param {number} seconds */
async function recordIdle (seconds) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
  await session.post('Profiler.start')
  await sleep(seconds * 1e3)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return profile
}

/** @param {string} text */
async function readWindows (text) {
  const history = new History({ keepMicros: Infinity })
  const reading = new WindowReading(/** @type {any} */ ({
    state: { isIdle: true, ownWorkMicros: 0, addSampledTime () {} },
    recorder: () => ({ canProbe: false }),
    sampledCalls: new SampledCalls(/** @type {any} */ ({
      sourceMaps: { known: (/** @type {unknown[]} */ frames) => frames, frames: async (/** @type {unknown[]} */ frames) => frames }
    })),
    slowRequests: { addWindow () {} },
    waitProfile: { addWindow () {} }
  }))
  for (let window = 0; window < WINDOWS; window++) {
    const profile = JSON.parse(text)
    reading.addWindow(history.add(profile))
    reading.addNotes({ toMicros: profile.endTime, work: [], probes: [], seen: [], late: [], answers: [], collections: [], log: null, calls: { firstName: 0, names: [], calls: new Float64Array(0) }, awaits: { stacks: [], samples: [] }, inFlight: { atMicros: 0, total: 0, upgraded: 0, running: null, requests: [] }, hasHandlers: false })
    await nextTurn()
  }
}

module.exports = { measureIdleWindow }
