'use strict'

// Detectors of what the loop shares with others: too little CPU time, a process that was stopped, libuv's thread pool, other threads, and the cost
// of loopscope itself; and files that are left open.

const { sum } = require('../../../base/sums')
const { showPosition } = require('../../../formats/profile/frame')
const { makeFinding } = require('../finding')
const { NOTABLE_SHARE } = require('../../connections')
const { isPoolLookup, NOTABLE_WORKERS, observedMsOf, processorShares, ranShare, slowRoutes, stalledMs, stallTimeOf, sumStalls, utilizationOf, workersOf } = require('../../../shared/findings/readings')
const { mostOfWork } = require('./hot')
const { STARTED_AGAIN } = require('./builtins')
const { describePlace, linesOf, lossOf, placeOf } = require('../waiting')
const { duration, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { Stall } from '../../../../types/diagnostics' */
/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings, ThreadLoad } from '../../../shared/findings/readings' */
/** @import { RouteLine } from '../waiting' */

const STARVED = Object.freeze({
  // Share of the measured time: on a shared machine a little waiting is normal.
  minWaitingShare: 0.3,
  minThrottledShare: 0.15,
  // Share of the observed time.
  minLostShare: 0.1,
  minStarvedShare: 0.02,
  minStalls: 2
})

/**
 * The loop is ready to run but gets no CPU time: a CPU quota, or more work on the machine than CPUs.
 * @type {Detector}
 */
const starved = {
  ids: ['starved'],
  explains: ['many-short-turns'],
  find (readings, found) {
    const observedMs = stallTimeOf(readings)
    const stalls = sumStalls(readings, ['starved'])
    const { waiting, throttled, cpu } = processorShares(readings)
    const atWorkMs = observedMs * utilizationOf(readings)
    const lostMs = Math.max(stalls.ms, atWorkMs * (1 - ranShare(readings)))
    const isNow = (throttled >= STARVED.minThrottledShare || waiting >= STARVED.minWaitingShare) && lostMs >= observedMs * STARVED.minLostShare
    const isMain = isMainReason(readings)
    if (!isNow && !isMain) return []
    const { instead, ...reason } = throttled >= waiting / 2 ? quota(throttled) : contention(waiting)
    const most = found.some(({ id }) => id.startsWith('hot-')) ? null : mostOfWork(readings)
    return [makeFinding(readings, {
      id: 'starved',
      // If it is not the main reason, what the loop does in the time that it gets comes first.
      ...(!isMain && { severity: /** @type {const} */ ('warning') }),
      lostMs,
      ...reason,
      what: sentences(
        countOf(stalls, observedMs),
        `${stalls.count === 0 ? 'In' : 'During stalls and in'} the last second, the loop ran ${percent(cpu)} of the time and waited for a CPU ${percent(waiting)} of it.`,
        most?.title
      ),
      instead: most?.instead ? `${instead}; or use less CPU: ${most.instead}` : instead,
      evidence: {
        starvedStalls: stalls.count, starvedMs: stalls.ms, waitingShare: rounded(waiting, 3), throttledShare: rounded(throttled, 3), cpuShare: rounded(cpu, 3)
      },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}

/**
 * Code that would have held the loop for half a stall on an idle machine as well has to be fixed first.
 * @param {Readings} readings
 */
function isMainReason (readings) {
  const { stalls, thresholdMs, blockedMs } = readings
  const isOwn = (/** @type {Stall} */ { cause, evidence }) => cause !== 'starved' || (evidence.cpuMs ?? 0) >= thresholdMs / 2
  const own = stalls.filter(isOwn)
  const others = stalls.filter(stall => !isOwn(stall))
  return others.length >= STARVED.minStalls && stalledMs(others) >= stalledMs(own) + blockedMs && stalledMs(others) >= stallTimeOf(readings) * STARVED.minStarvedShare
}

/** @param {ReturnType<typeof sumStalls>} starved @param {number} observedMs */
function countOf ({ count, ms }, observedMs) {
  return count > 0 && `${times(count, 'stall')} of the last ${duration(observedMs)}, ${duration(ms)} in total, had no other cause.`
}

/** @param {number} throttled */
function quota (throttled) {
  return {
    title: `CPU throttling: the CPU quota of the container stopped this process${throttled === 0 ? '' : ` ${percent(throttled)} of the time`}.`,
    why: 'when the quota of a period (usually 100 ms) is used up, the whole process stops until the next period, even if the machine is idle',
    instead: 'raise the CPU limit, or remove it and keep the CPU request; run fewer processes, workers and threads in this container'
  }
}

/** @param {number} waiting */
function contention (waiting) {
  return {
    title: `CPU contention: the process waited ${percent(waiting)} of the time for a CPU.`,
    why: 'the loop was ready to run, but the system ran other processes on all CPUs',
    instead: 'run fewer workers here, move other processes or this one to another machine, or add CPUs'
  }
}

const SUSPENDED = Object.freeze({
  // Less is a note, unless one was long: crowded hosts withhold a virtual machine's CPUs for a tenth of a second now and then.
  minShare: 0.01,
  longStall: 5
})

/** The whole process was stopped, or frozen with its container or machine. @type {Detector} */
const suspended = {
  ids: ['suspended'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { count, ms, longestMs } = sumStalls(readings, ['suspended'])
    if (count === 0) return []
    const isMinor = ms < SUSPENDED.minShare * stallTimeOf(readings) && longestMs < SUSPENDED.longStall * readings.thresholdMs
    return [makeFinding(readings, {
      id: 'suspended',
      ...isMinor && { severity: 'info' },
      title: `The whole process was suspended ${times(count, 'time')}, for ${duration(ms)} in total.`,
      lostMs: ms,
      since: Math.min(...readings.stalls.filter(({ cause }) => cause === 'suspended').map(({ at }) => at)),
      what: `In the last ${duration(stallTimeOf(readings))} none of its threads ran for up to ${duration(longestMs)}, although none was waiting for a CPU.`,
      why: 'something outside stopped it: SIGSTOP or a debugger, a frozen container (docker pause, checkpoints), a paused or migrated virtual machine',
      instead: 'nothing in the code: check the events of the host and the orchestrator at that time',
      evidence: { count, suspendedMs: ms, longestMs },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}

const POOL_FULL = Object.freeze({
  // There is one probe per second of work: two that had to wait are not chance.
  minQueued: 2,
  probeMs: 1000,
  // A backup or a startup fills the pool only briefly.
  minShare: 0.1,
  defaultSize: 4,
  // CPUs that its threads use, from which they compute more than they wait for disks and name servers.
  computing: 0.5,
  maxPlaces: 3
})

// What lines of the application await of it: modules of Node.js, and native packages that compute in it.
const COMPUTING = /^(?:node:)?(?:crypto|zlib)$|^(?:argon2|bcrypt|canvas|sharp|sqlite3)$/
const OF_POOL = /^(?:node:)?(?:fs|dns)(?:\/promises)?$/

// The kinds of Node's resources that are work of the pool.
const POOL_WORK = /^(FS|.*Job$|GetAddrInfo|GetNameInfo|Zlib|Brotli|Zstd|RandomBytes|PBKDF2|Scrypt)/i

/**
 * libuv's thread pool has more work than threads: asynchronous work of fs, crypto, zlib and dns.lookup queues there, invisible to the loop.
 * @type {Detector}
 */
const poolFull = {
  ids: ['pool-full'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { process, pool: { queued, maxWaitMs } } = readings
    const observedMs = observedMsOf(readings)
    if (queued < POOL_FULL.minQueued || queued * POOL_FULL.probeMs < observedMs * POOL_FULL.minShare) return []
    const size = process?.poolSize ?? POOL_FULL.defaultSize
    const work = Object.entries(process?.waitsFor ?? {}).filter(([kind]) => POOL_WORK.test(kind)).sort(([, left], [, right]) => right - left)
    const queues = work.map(([kind, count]) => `${count} ${isPoolLookup(kind) ? `DNS (${kind})` : kind}`).join(', ')
    const isLookup = work.length > 0 && isPoolLookup(work[0][0])
    const share = Math.min(1, queued * POOL_FULL.probeMs / Math.max(POOL_FULL.probeMs, observedMs))
    const cpus = poolCpusOf(readings)
    const isComputing = cpus !== null && cpus >= POOL_FULL.computing
    const places = poolLines(readings, isComputing)
    return [makeFinding(readings, {
      id: 'pool-full',
      title: `libuv's thread pool is full: work waits up to ${duration(maxWaitMs)} for one of its ${times(size, 'thread')}.`,
      lostMs: observedMs * share,
      share,
      what: sentences(
        `${times(queued, 'probe')} of the last ${duration(observedMs)}, one per second, had to wait.`,
        isComputing && `Its threads used ${percent(cpus)} of a CPU: they compute more than they wait for disks or name servers.`,
        places.length > 0 && `Requests wait for it: ${places.map(({ route, line, share }) => `${route} ${percent(share)} of its time at ${placed(line)} for ${line.awaited}`).join('; ')}.`,
        queues !== '' && `Running or queued now, of what Node.js lists: ${queues}.`
      ),
      where: placeOf(places[0] ?? null),
      why: isLookup
        ? 'most of the work is DNS lookups: dns.lookup, which connections use, waits for the name server in a thread of the pool; libuv gives lookups at most half of the threads, and fs, crypto and zlib share the rest'
        : 'asynchronous fs, crypto, zlib and dns.lookup share the threads of one pool: while all are busy, other work waits, and so do its requests',
      instead: isLookup
        ? `keep connections open (an http.Agent or pool with keepAlive), so that fewer names are looked up, cache the results, or use dns.resolve, which needs no thread; a higher UV_THREADPOOL_SIZE (now ${size}) runs more lookups at once`
        : isComputing
          ? `do less of what computes at once (a limit of requests in flight, cheaper parameters, a cache), or use more processes; a higher UV_THREADPOOL_SIZE (now ${size}) helps only while CPUs are free`
          : `set UV_THREADPOOL_SIZE in the environment (now ${size}; as many as CPUs for crypto and zlib, more for slow disks and name servers), and do less of this work at once`,
      evidence: { queued, maxWaitMs, size, cpus: cpus && rounded(cpus, 3), work: queues, documentation: 'https://nodejs.org/api/cli.html#uv_threadpool_sizesize' },
      next: [`npx loopscope sync ${readings.pid}`]
    })]
  }
}

/**
 * @param {Readings} readings
 * @returns {number | null} CPUs that the pool's threads used; null: not known
 */
function poolCpusOf ({ threads }) {
  return threads?.isPoolApart && threads.ms > 0 ? threads.poolMs / threads.ms : null
}

/**
 * Where requests wait for the pool: first at lines that make it compute, if it does.
 * @param {Readings} readings
 * @param {boolean} isComputing
 */
function poolLines (readings, isComputing) {
  const lines = linesOf(readings, ({ awaited }) => awaited !== null && (COMPUTING.test(awaited) || OF_POOL.test(awaited)))
  const computes = (/** @type {RouteLine} */ { line: { awaited } }) => isComputing && COMPUTING.test(String(awaited))
  return lines.toSorted((left, right) => Number(computes(right)) - Number(computes(left))).slice(0, POOL_FULL.maxPlaces)
}

const BUSY_THREADS = Object.freeze({
  // Workers use a few hundred milliseconds when they start.
  minMs: 1000,
  // With half a CPU or more, and a loop that is not busy, slow requests may well wait for workers.
  full: 0.5,
  maxUtilization: 0.6,
  // Of a route, at a line that awaits a worker: then its requests do, however little CPU time the workers get on a busy machine.
  minShare: 0.5,
  minWaitMs: 50,
  // As long as the work itself takes, requests wait in any case; more is standing in line for a thread.
  minTimesWork: 2
})
// What is awaited of a worker, by a promise of the application or of a package.
const WORKERS = new Set(['worker', 'node:worker_threads', 'jest-worker', 'piscina', 'synckit', 'threads', 'tinypool', 'workerpool'])

/**
 * Worker threads of the process are busy. That is what they are for, but the figures of the loop do not show it: it is reported so that an idle
 * loop is not mistaken for an idle process. If requests are slow meanwhile, they may wait for these threads.
 * @type {Detector}
 */
const busyThreads = {
  ids: ['busy-threads'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { threads, pid } = readings
    const workers = workersOf(readings)
    if (threads === null || workers === null || workers < NOTABLE_WORKERS || threads.workerMs < BUSY_THREADS.minMs) return []
    const [at = null] = linesOf(readings, ({ awaited, via }) => [awaited, via].some(name => name !== null && WORKERS.has(name)))
      .filter(({ share, meanMs }) => share >= BUSY_THREADS.minShare && meanMs >= BUSY_THREADS.minWaitMs)
    const subject = threads.isPoolApart ? 'Worker threads' : "Worker threads, or libuv's pool,"
    return [makeFinding(readings, {
      id: 'busy-threads',
      ...weightOf(readings, workers, at),
      title: `${subject} used ${percent(workers)} of a CPU, while the main loop was busy ${percent(utilizationOf(readings))} of the time.`,
      what: sentences(whatOf(threads), at && describePlace(at)),
      where: placeOf(at),
      ...(threads.areShortLived ? STARTED_AGAIN : LASTING),
      evidence: {
        workers: rounded(workers, 3),
        peak: rounded(threads.peak, 3),
        workerMs: Math.round(threads.workerMs),
        poolMs: Math.round(threads.poolMs),
        threads: namesOf(threads)
      },
      next: [`npx loopscope profile ${pid} --threads`]
    })]
  }
}

const LASTING = Object.freeze({
  why: 'their work is not in the figures, stalls and profiles of the main loop, which can be idle while all CPUs are in use',
  instead: 'profile the threads; for CPU-bound work, use as many threads as CPUs'
})

/**
 * Busy threads alone cost no request time, nor does work that a thread begins at once.
 * @param {Readings} readings
 * @param {number} workers
 * @param {RouteLine | null} at  where requests wait for them
 * @returns {Pick<Finding, 'severity' | 'lostMs' | 'share'>}
 */
function weightOf (readings, workers, at) {
  const isSlow = at !== null && slowRoutes(readings).some(({ route }) => route === at.route)
  if (at !== null && (isSlow || at.meanMs * at.waitingPerSecond >= workers * 1e3 * BUSY_THREADS.minTimesWork)) return lossOf(readings, at.seconds)
  const utilization = utilizationOf(readings)
  if (workers < BUSY_THREADS.full || utilization > BUSY_THREADS.maxUtilization || slowRoutes(readings).length === 0) return { severity: 'info', lostMs: 0, share: 0 }
  return { severity: 'warning', lostMs: observedMsOf(readings) * (1 - utilization), share: 1 - utilization }
}

/** @param {ThreadLoad} threads */
function whatOf ({ ms, workerMs, peak, busiest, watched, areShortLived }) {
  const total = `In the last ${duration(ms)} they used ${duration(workerMs)} of CPU time, and ${percent(peak)} of a CPU in the busiest five seconds.`
  if (watched.length > 0) return `${total} Busy time by samples: ${watched.map(describeThread).join('; ')}.`
  if (areShortLived) return `${total} Most of them ended within seconds.`
  return busiest.length === 0 ? `${total} All of them have ended.` : `${total} By name: ${namesOf({ busiest })}.`
}

/** @param {ThreadLoad['watched'][number]} thread */
function describeThread ({ name, busyMs, top }) {
  return `${name} ${duration(busyMs)}${top === null ? '' : ` in ${top.function} (${showPosition(top)})`}`
}

/** @param {Pick<ThreadLoad, 'busiest'>} threads */
function namesOf ({ busiest }) {
  return busiest.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ')
}

const OWN_COST = Object.freeze({
  // Share of the main thread's time since start. The budget is far below (docs/overhead.md).
  maxShare: 0.05,
  // At startup everything is loaded at once.
  minUptimeMs: 30_000
})

const SOON_MINUTES = 60
const LATE_MINUTES = 24 * 60 // further ahead no slope reaches
const NEARLY_ALL_FILES = 0.9

/** What is left open, by its kind, and what to do about it. @type {Record<string, string>} */
const CLOSING = Object.freeze({
  sockets: 'consume or destroy every response, destroy the socket when a client or an error ends a request, use one agent or client for all calls instead of a new one for each, and give idle connections a timeout',
  files: 'close what is opened: close() in finally, or streams in pipeline(), which closes them after errors as well',
  pipes: 'child processes and their pipes are left: end them with a timeout, and consume or ignore what they write',
  watchers: 'close() file watchers when what they are for is gone',
  'event loops': 'worker threads are started and do not end: call terminate(), or keep a few of them in a pool (piscina)'
})

/** Files or sockets are opened and not closed: at the limit nothing can be opened, nor a connection accepted. @type {Detector} */
const openFiles = {
  ids: ['open-files'],
  explains: [],
  find (readings) {
    const files = readings.memory?.files ?? null
    if (files === null) return []
    const { open, limit, growing, kinds } = files
    const share = open / limit
    const minutes = growing === null ? Infinity : Math.max(0, limit - open) / growing.perMinute
    if (share < NOTABLE_SHARE && minutes > LATE_MINUTES) return []
    const most = Object.entries(kinds).sort(([, left], [, right]) => right - left)
    const [[kind, count] = ['others', 0]] = most
    const pace = growing === null ? '' : `, and ${rounded(growing.perMinute)} more each minute${minutes > LATE_MINUTES ? '' : `: the limit is reached in about ${duration(minutes * 60_000)}`}`
    return [makeFinding(readings, {
      id: 'open-files',
      severity: share >= NEARLY_ALL_FILES || minutes <= SOON_MINUTES ? 'critical' : 'warning',
      title: `${open} files and sockets are open, of ${limit} that may be${pace}.`,
      lostMs: 0,
      share: Math.min(1, share),
      what: sentences(
        count > 0 && `By their kind: ${most.map(([name, open]) => `${open} ${name}`).join(', ')}.`,
        growing && `They became ${Math.round(growing.grown)} more in ${duration(growing.minutes * 60_000)}.`
      ),
      why: 'what is opened is not closed; at the limit opening a file, a connection or a process fails (EMFILE), and clients are not accepted',
      instead: `${CLOSING[kind] ?? 'close what is opened when it is no longer needed'}. If they are needed, raise the limit (ulimit -n)`,
      evidence: { open, limit, perMinute: growing && rounded(growing.perMinute), minutesToLimit: minutes > LATE_MINUTES ? null : rounded(minutes), mostOf: kind, ofThatKind: count },
      confidence: share >= NOTABLE_SHARE ? 'high' : 'medium',
      next: [`ls -l /proc/${readings.pid}/fd`]
    })]
  }
}

// Components that run in threads of their own.
const ELSEWHERE = new Set(['observer', 'source-maps'])

/** By the component that costs most. @type {Record<string, { why: string, instead: string }>} */
const ADVICE = {
  heartbeat: { why: 'the heartbeat wakes up the loop periodically', instead: 'raise heartbeatMs' },
  recorder: {
    why: 'ending a window of the sampler takes time of the main thread, more in large applications',
    instead: 'raise recorder.windowSeconds or lower recorder.hz'
  },
  'own-work': {
    why: 'heap snapshots, histograms and reports pause the application',
    instead: 'take them less often, and prefer heap histograms to snapshots'
  }
}

const ANY_ADVICE = Object.freeze({ why: 'the main thread does this work instead of the work of the application', instead: 'turn off what you do not need' })

/** The cost of loopscope itself, reported like any other cost. @type {Detector} */
const ownCost = {
  ids: ['own-cost'],
  explains: [],
  find (readings) {
    const { process, pid, ownCpu: { ranShare, observerMs } } = readings
    if (process === null || process.uptimeMs < OWN_COST.minUptimeMs) return []
    // Measured in wall-clock time, which continues while other threads have the CPU.
    const own = Object.entries(process.ownSeconds).filter(([component]) => !ELSEWHERE.has(component))
      .map(([component, seconds]) => ({ component, seconds: seconds * ranShare })).sort((left, right) => right.seconds - left.seconds)
    const seconds = sum(own, one => one.seconds)
    const share = seconds * 1e3 / process.uptimeMs
    if (share < OWN_COST.maxShare) return []
    const parts = own.map(({ component, seconds }) => `${component} ${duration(seconds * 1e3)}`).join(', ')
    const threads = Object.entries({ observer: (observerMs ?? 0) / 1e3, 'source maps': process.ownSeconds['source-maps'] ?? 0 }).filter(([, seconds]) => seconds > 0)
    const beside = threads.length === 0 ? '' : `; in its own threads: ${threads.map(([thread, seconds]) => `${thread} ${duration(seconds * 1e3)}`).join(', ')}`
    return [makeFinding(readings, {
      id: 'own-cost',
      title: `Loopscope itself costs ${percent(share)} of the main thread's time.`,
      lostMs: observedMsOf(readings) * share,
      what: `CPU time since the start ${duration(process.uptimeMs)} ago: ${parts}${beside}.`,
      ...(ADVICE[own[0].component] ?? ANY_ADVICE),
      evidence: { share: rounded(share, 3), seconds: rounded(seconds), observerSeconds: observerMs === null ? null : rounded(observerMs / 1e3), mostOf: own[0].component },
      next: own[0].component === 'own-work' ? [`npx loopscope artifacts ${pid}`] : [`npx loopscope metrics ${pid}`]
    })]
  }
}

module.exports = { busyThreads, openFiles, ownCost, poolFull, starved, suspended }
