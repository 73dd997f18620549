'use strict'

// Measures the CPU time that the other threads of the process used in the last minute: workers, and libuv's pool. An idle loop does not show
// their load. It reads every few seconds, thread by thread only when threads other than the main thread were busy, and sums up on request.
// Linux only: on other systems, and if its files may not be read, there is nothing to read.

const fs = require('node:fs')
const path = require('node:path')
const { sum, sumBy } = require('../../base/sums')
const { intervalByTimer } = require('../../base/timers')
const { processCpuMs } = require('../stalls/scheduler')
const { monotonicMs } = require('../../base/monotonic')

/** @import { StartInterval } from '../../base/timers' */
/** @import { ThreadLoad as Load } from '../../shared/findings/readings' */

const PERIOD_MS = 5000
const KEPT = 12 // a minute
// Share of the time since the last reading; the observer itself and V8's helpers use some of it.
const MIN_OTHERS_SHARE = 0.02
// Right after a reading the rate means nothing.
const MIN_RATE_MS = 500
const MAX_NAMES = 4
// To tell threads that are started and ended all the time from one that ended.
const MIN_INTERVALS = 3
// The times of the threads and of the process are read one after the other, so small differences mean nothing.
const MIN_ENDED_MS = 100

const TASKS = '/proc/self/task'
const NS_PER_MS = 1e6

/**
 * @typedef {{ atMs: number, processMs: number, threads: Map<string, ThreadTime> }} Reading
 * @typedef {{ atMs: number, ms: number, workerMs: number, poolMs: number, endedMs: number, byName: Map<string, number> }} Interval
 *   the CPU time used in it; endedMs: by threads that have ended
 */

// Threads that Node.js and V8 name; Node 20 names none of them.
const ENGINE = /^((node-)?V8Worker|DelayedTaskSche|SignalInspector|v8:.*)$/
const POOL = /^libuv-worker$/
// The unnamed threads of V8's platform are the first after the main thread: four workers, and the inspector's signal thread; with Node 20 also
// the thread for delayed tasks.
const UNNAMED_ENGINE = Object.freeze(/** @type {Record<number, number>} */ ({ 20: 6, 22: 5 }))
const MAJOR = Number(process.versions.node.split('.')[0])
// From this version on the name distinguishes a worker from a thread of libuv's pool.
const NAMES_POOL = 22

/**
 * @typedef {'main' | 'observed' | 'own' | 'engine' | 'pool' | 'worker'} ThreadKind  own: the thread that reads, and others of loopscope; engine: V8's and Node's own;
 *   worker: all others, which on Node 20 includes those of libuv's pool
 * @typedef {{ name: string, kind: ThreadKind, cpuMs: number }} ThreadTime
 */

class ThreadLoadMeter {
  #readTimes
  #processMs
  #interval
  #now
  /** @type {Interval[]} */
  #intervals = []
  /** @type {Reading | null} */
  #last = null
  /** @type {(() => void) | undefined} */
  #end

  /**
   * @param {object} parts
   * @param {number | null} parts.threadPid  of the observed thread
   * @param {() => number | null} [parts.sourceMapsPid]  of the observer's thread that reads source maps
   * @param {typeof readThreadTimes} [parts.readTimes]
   * @param {() => number} [parts.processMs]  CPU time of the whole process
   * @param {StartInterval} [parts.interval]
   * @param {() => number} [parts.now]
   */
  constructor ({ threadPid, sourceMapsPid = () => null, readTimes = readThreadTimes, processMs = processCpuMs, interval = intervalByTimer, now = monotonicMs }) {
    this.#readTimes = () => readTimes({ threadPid, sourceMapsPid: sourceMapsPid() })
    this.#processMs = processMs
    this.#interval = interval
    this.#now = now
  }

  get running () { return this.#end !== undefined }

  start () {
    if (this.running) return
    this.#last = this.#take()
    this.#end = this.#interval(PERIOD_MS, () => this.#add())
  }

  stop () {
    this.#end?.()
    this.#end = undefined
    this.#last = null
    this.#intervals = []
  }

  /**
   * @param {number} lastMs  how far to look back
   * @returns {Omit<Load, 'watched'> | null} null: the system does not report it
   */
  read (lastMs) {
    const open = this.#last === null ? null : intervalBetween(this.#last, this.#take())
    if (open === null) return null
    const fromMs = this.#now() - lastMs
    const intervals = [...this.#intervals.filter(({ atMs }) => atMs > fromMs), open]
    const rated = intervals.filter(({ ms }) => ms >= MIN_RATE_MS)
    return {
      ms: sum(intervals, ({ ms }) => ms),
      workerMs: sum(intervals, ({ workerMs }) => workerMs) + clear(sum(intervals, ({ endedMs }) => endedMs)),
      areShortLived: rated.length >= MIN_INTERVALS && rated.filter(({ workerMs, endedMs }) => clear(endedMs) > workerMs).length > rated.length / 2,
      poolMs: sum(intervals, ({ poolMs }) => poolMs),
      peak: Math.max(0, ...rated.map(({ ms, workerMs, endedMs }) => (workerMs + clear(endedMs)) / ms)),
      isPoolApart: MAJOR >= NAMES_POOL,
      busiest: busiestOf(intervals)
    }
  }

  /** @returns {Reading | null} */
  #take () {
    const threads = this.#readTimes()
    return threads === null ? null : { atMs: this.#now(), processMs: this.#processMs(), threads }
  }

  #add () {
    const before = this.#last
    if (before === null) return this.stop()
    const [atMs, processMs] = [this.#now(), this.#processMs()]
    const isQuiet = processMs - before.processMs < (atMs - before.atMs) * MIN_OTHERS_SHARE
    const now = isQuiet ? { ...before, atMs, processMs } : this.#take()
    const interval = intervalBetween(before, now)
    if (interval === null) return this.stop()
    this.#last = now
    this.#keep(interval)
  }

  /** @param {Interval} interval */
  #keep (interval) {
    this.#intervals.push(interval)
    if (this.#intervals.length > KEPT) this.#intervals.shift()
  }
}

/** @param {Reading} before @param {Reading | null} now @returns {Interval | null} */
function intervalBetween (before, now) {
  if (now === null) return null
  const had = [...now.threads].map(([id, { name, kind, cpuMs }]) => ({ name, kind, ms: Math.max(0, cpuMs - (before.threads.get(id)?.cpuMs ?? 0)) }))
  const ofKind = (/** @type {ThreadTime['kind']} */ wanted) => had.filter(({ kind }) => kind === wanted)
  const msOf = (/** @type {{ ms: number }[]} */ some) => sum(some, ({ ms }) => ms)
  return {
    atMs: now.atMs,
    ms: now.atMs - before.atMs,
    workerMs: msOf(ofKind('worker')),
    poolMs: msOf(ofKind('pool')),
    // The time of a thread that has ended remains in the process's time only.
    endedMs: now.processMs - before.processMs - msOf(had),
    byName: sumBy(ofKind('worker'), ({ name }) => name, ({ ms }) => ms)
  }
}

/** @param {number} endedMs */
function clear (endedMs) {
  return endedMs >= MIN_ENDED_MS ? endedMs : 0
}

/** @param {Interval[]} intervals */
function busiestOf (intervals) {
  const byName = sumBy(intervals.flatMap(interval => [...interval.byName]), ([name]) => name, ([, ms]) => ms)
  return [...byName].map(([name, ms]) => ({ name, ms })).filter(({ ms }) => ms >= 1).sort((left, right) => right.ms - left.ms).slice(0, MAX_NAMES)
}

/**
 * The CPU time of each thread of the process, and its kind, as far as the system and Node.js show it. Called in the observer thread.
 * @param {{ threadPid: number | null, sourceMapsPid?: number | null, major?: number }} options  threadPid: of the observed thread;
 *   sourceMapsPid: of loopscope's thread for source maps
 * @returns {Map<string, ThreadTime> | null} by the thread's id; null where the system does not report it
 */
function readThreadTimes ({ threadPid, sourceMapsPid = null, major = MAJOR }) {
  try {
    const own = path.basename(fs.readlinkSync('/proc/thread-self'))
    const times = fs.readdirSync(TASKS).sort((left, right) => Number(left) - Number(right)).flatMap(id => readThread(id))
    return new Map(withKinds(times, { own: [own, String(sourceMapsPid)], observed: String(threadPid), major }))
  } catch {
    return null // not Linux, a kernel without schedstats, or the permission model
  }
}

/** @param {string} id */
function readThread (id) {
  try {
    const [cpuNs] = fs.readFileSync(`${TASKS}/${id}/schedstat`, 'latin1').split(' ')
    return [{ id, name: fs.readFileSync(`${TASKS}/${id}/comm`, 'utf8').trim(), cpuMs: Number(cpuNs) / NS_PER_MS }]
  } catch (error) {
    if (fs.existsSync(`${TASKS}/${id}`)) throw error
    return [] // it has ended in between
  }
}

/**
 * @param {{ id: string, name: string, cpuMs: number }[]} threads  oldest first
 * @param {{ own: string[], observed: string, major: number }} known
 * @returns {[string, ThreadTime][]}
 */
function withKinds (threads, { own, observed, major }) {
  let unnamedLeft = UNNAMED_ENGINE[major] ?? 0
  const kindOf = (/** @type {string} */ id, /** @type {string} */ name) => {
    if (id === String(process.pid)) return id === observed ? 'observed' : 'main'
    if (ENGINE.test(name)) return 'engine'
    if (POOL.test(name)) return 'pool'
    if (unnamedLeft-- > 0) return 'engine'
    if (own.includes(id)) return 'own'
    return id === observed ? 'observed' : 'worker'
  }
  return threads.map(({ id, name, cpuMs }) => [id, { name, kind: kindOf(id, name), cpuMs }])
}

module.exports = { ThreadLoadMeter, readThreadTimes, withKinds }
