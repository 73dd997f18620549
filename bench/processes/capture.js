'use strict'

// A large application under light load that takes CPU profiles in the way that its argument names, and measures its own loop.

const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises')
const vm = require('node:vm')
const { serveAnswers } = require('../harness/answers')

const FUNCTIONS = 20_000
const FUNCTIONS_PER_SCRIPT = 100
const LOAD_INTERVAL_MS = 10
const CALLS_PER_LOAD = 200
const RECORDED_MS = 500
const MARGIN_MS = 100 // what a profile leaves to the main thread comes just after it, if at all
const REST_MS = 300 // the garbage of one trial is not the next one's

/** @typedef {{ ready: () => Promise<void>, take: () => Promise<unknown>, recorderSeconds?: () => Promise<number> }} Case */

/** @type {Record<string, () => Case>} */
const CASES = {
  loopscope () {
    const diagnostics = require('../..')()
    const recorderSeconds = async () => {
      const text = await diagnostics.registry.metrics()
      return Number(/loopscope_overhead_seconds_total\{component="recorder"\} (\S+)/.exec(text)?.[1])
    }
    const ready = async () => { while (await recorderSeconds() === 0) await sleep(20) }
    return { ready, recorderSeconds, take: () => diagnostics.capture('cpu', { last: 10 }) }
  },
  inspector () {
    const { Session } = require('node:inspector/promises')
    const take = async () => {
      const session = new Session()
      session.connect()
      await session.post('Profiler.enable')
      await session.post('Profiler.setSamplingInterval', { interval: 10_000 })
      await session.post('Profiler.start')
      await sleep(RECORDED_MS)
      await session.post('Profiler.stop')
      session.disconnect()
    }
    return { ready: async () => {}, take }
  },
  'v8-profiler-next' () {
    const profiler = require('v8-profiler-next')
    profiler.setSamplingInterval(10_000)
    const take = async () => {
      profiler.startProfiling('trial', true)
      await sleep(RECORDED_MS)
      const profile = profiler.stopProfiling('trial')
      await profile.export()
      profile.delete()
    }
    return { ready: async () => {}, take }
  }
}

/** @returns {Promise<((value: number) => number)[]>} called once each, and so compiled; in turns, or it would be a stall to report */
async function loadApplication () {
  const functions = []
  for (let first = 0; first < FUNCTIONS; first += FUNCTIONS_PER_SCRIPT) {
    const sources = Array.from({ length: FUNCTIONS_PER_SCRIPT }, (_, index) =>
      `function part${first + index} (value) { let sum = value; for (let i = 0; i < 50; i++) sum = (sum * 31 + i) % ${1009 + index}; return sum }`)
    const script = new vm.Script(`[${sources.join(',\n')}]`, { filename: `application-${first}.js` })
    const parts = script.runInThisContext()
    for (const part of parts) part(1)
    functions.push(...parts)
    await nextTurn()
  }
  return functions
}

/** @param {((value: number) => number)[]} functions */
function keepLightLoad (functions) {
  let next = 0
  setInterval(() => {
    for (let call = 0; call < CALLS_PER_LOAD; call++) functions[next++ % FUNCTIONS](call)
  }, LOAD_INTERVAL_MS)
}

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ longestMs: number, tookMs: number }>}  of the turns of the loop until the work is done
 */
async function watchLoop (work) {
  const startMs = performance.now()
  let lastMs = startMs
  let longestMs = 0
  let isDone = false
  const watching = new Promise(resolve => {
    const turn = () => {
      const nowMs = performance.now()
      longestMs = Math.max(longestMs, nowMs - lastMs)
      lastMs = nowMs
      if (isDone) resolve(undefined)
      else setImmediate(turn)
    }
    setImmediate(turn)
  })
  await work()
  isDone = true
  await watching
  return { longestMs, tookMs: performance.now() - startMs }
}

/** @param {Case} subject */
async function trial ({ take, recorderSeconds = async () => NaN }) {
  await sleep(REST_MS)
  const secondsBefore = await recorderSeconds()
  const { longestMs: withMs, tookMs } = await watchLoop(async () => {
    await take()
    await sleep(MARGIN_MS)
  })
  const recorderMs = (await recorderSeconds() - secondsBefore) * 1e3
  await sleep(REST_MS)
  const { longestMs: withoutMs } = await watchLoop(() => sleep(tookMs))
  return { withMs, withoutMs, recorderMs: Number.isNaN(recorderMs) ? null : recorderMs }
}

async function main () {
  const subject = CASES[process.argv[2]]()
  await subject.ready()
  keepLightLoad(await loadApplication())
  await trial(subject) // the first loads what a capture needs
  serveAnswers('ready', { trial: () => trial(subject) })
}

main()
