'use strict'

// Findings about what the loop shares the process and the machine with: processors that are short, a process that is stopped, libuv's pool,
// other threads, and these diagnostics themselves. Each is one object.

const { showPosition } = require('../../formats/profile/frame')
const { makeFinding } = require('../finding')
const { NOTABLE_WORKERS, observedMsOf, processorShares, ranShare, slowRoutes, sumStalls, utilizationOf, workersOf } = require('../readings')
const { duration, percent, rounded, times } = require('../format-text')

/** @import { Stall } from '../../../../types/diagnostics' */
/** @import { Finding } from '../../../../types/findings' */
/** @import { Detector } from '../finding' */
/** @import { Readings, ThreadLoad } from '../readings' */

const STARVED = Object.freeze({
  // Of the time that was measured: a shared machine lets everybody wait a little.
  minWaitingShare: 0.3,
  minThrottledShare: 0.15,
  // Of all that was observed.
  minLostShare: 0.1,
  minStarvedShare: 0.02,
  minStalls: 2
})

/**
 * The system does not run a loop that is ready to: a CPU quota, or more work on the machine than processors.
 * @type {Detector}
 */
const starved = {
  ids: ['starved'],
  explains: ['slow-elsewhere', 'many-short-turns'],
  find (readings) {
    const observedMs = observedMsOf(readings)
    const stalls = sumStalls(readings, ['starved'])
    const { waiting, throttled, cpu } = processorShares(readings)
    const atWorkMs = observedMs * utilizationOf(readings)
    const lostMs = Math.max(stalls.ms, atWorkMs * (1 - ranShare(readings)))
    const isNow = (throttled >= STARVED.minThrottledShare || waiting >= STARVED.minWaitingShare) && lostMs >= observedMs * STARVED.minLostShare
    const isMain = isMainReason(readings)
    if (!isNow && !isMain) return []
    return [makeFinding(readings, {
      id: 'starved',
      // Otherwise what the loop does in the time that it gets comes first.
      ...(!isMain && { severity: /** @type {const} */ ('warning') }),
      lostMs,
      ...(throttled >= waiting / 2 ? quota(throttled) : neighbours(waiting)),
      what: [...countOf(stalls, observedMs), `${stalls.count === 0 ? 'In' : 'While it stalled, and in'} the last second, the loop was run ${percent(cpu)} ` +
        `of the time, and waited ${percent(waiting)} of it.`].join(' '),
      evidence: {
        starvedStalls: stalls.count, starvedMs: stalls.ms, waitingShare: rounded(waiting, 3), throttledShare: rounded(throttled, 3), cpuShare: rounded(cpu, 3)
      },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}

/**
 * Where code ran that would have held the loop for half a stall on a free machine as well, that is to be mended first.
 * @param {Readings} readings
 */
function isMainReason (readings) {
  const { stalls, thresholdMs, blockedMs } = readings
  const isOwn = (/** @type {Stall} */ { cause, evidence }) => cause !== 'starved' || (evidence.cpuMs ?? 0) >= thresholdMs / 2
  const sum = (/** @type {Stall[]} */ some) => some.reduce((ms, { durationMs }) => ms + durationMs, 0)
  const own = stalls.filter(isOwn)
  const others = stalls.filter(stall => !isOwn(stall))
  return others.length >= STARVED.minStalls && sum(others) >= sum(own) + blockedMs && sum(others) >= observedMsOf(readings) * STARVED.minStarvedShare
}

/**
 * @param {ReturnType<typeof sumStalls>} starved
 * @param {number} observedMs
 */
function countOf ({ count, ms }, observedMs) {
  return count === 0 ? [] : [`${times(count, 'stall')} of the last ${duration(observedMs)} (${duration(ms)}) had no other cause.`]
}

/** @param {number} throttled */
function quota (throttled) {
  return {
    title: `The CPU quota of its container holds this process back${throttled === 0 ? '' : ` ${percent(throttled)} of the time`}.`,
    why: 'when the quota of a period (usually 100 ms) is used up the whole process stands still until the next one, however free the machine is',
    instead: 'raise the CPU limit, or take it away and keep the request; run fewer processes, workers and threads in this container'
  }
}

/** @param {number} waiting */
function neighbours (waiting) {
  return {
    title: `The machine has more to do than processors: the loop waits ${percent(waiting)} of the time for one.`,
    why: 'the loop was ready to go on, and the system ran others instead',
    instead: 'run fewer workers here, move the neighbours or this process to another machine, or give it more processors'
  }
}

/**
 * The whole process stood still: stopped, frozen with its container, or with its machine.
 * @type {Detector}
 */
const suspended = {
  ids: ['suspended'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { count, ms, longestMs } = sumStalls(readings, ['suspended'])
    if (count === 0) return []
    return [makeFinding(readings, {
      id: 'suspended',
      title: `The whole process was suspended ${times(count, 'time')}, for ${duration(ms)} in all.`,
      lostMs: ms,
      since: Math.min(...readings.stalls.filter(({ cause }) => cause === 'suspended').map(({ at }) => at)),
      what: `In the last ${duration(observedMsOf(readings))} no thread of it ran for up to ${duration(longestMs)}, though none stood in line for a processor.`,
      why: 'something stopped it from outside: SIGSTOP or a debugger, a frozen container (docker pause, checkpoints), a paused or migrated virtual machine',
      instead: 'nothing in the code: look at who stops it, at the host\'s and the orchestrator\'s events of that moment',
      evidence: { count, suspendedMs: ms, longestMs },
      next: [`npx loopscope stalls ${readings.pid}`]
    })]
  }
}

const POOL_FULL = Object.freeze({
  // The probe asks once a second of work: the second time it is no chance.
  minQueued: 2,
  probeMs: 1000,
  // A backup or a start-up that fills the pool once is over soon.
  minShare: 0.1,
  defaultSize: 4
})

// What of the kinds of Node's resources is work of the pool.
const POOL_WORK = /^(FS|.*Job$|GetAddrInfo|GetNameInfo|Zlib|Brotli|Zstd|RandomBytes|PBKDF2|Scrypt)/i
const LOOKUP = /^Get(Addr|Name)Info/i

/**
 * libuv's thread pool has more to do than threads: asynchronous work of fs, crypto, zlib and dns.lookup queues there, unseen by the loop.
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
    const queues = work.map(([kind, count]) => `${count} ${LOOKUP.test(kind) ? `DNS (${kind})` : kind}`).join(', ')
    const isLookup = work.length > 0 && LOOKUP.test(work[0][0])
    const share = Math.min(1, queued * POOL_FULL.probeMs / Math.max(POOL_FULL.probeMs, observedMs))
    return [makeFinding(readings, {
      id: 'pool-full',
      title: `libuv's thread pool is full: work waits for one of its ${times(size, 'thread')}, up to ${duration(maxWaitMs)}.`,
      lostMs: observedMs * share,
      share,
      what: `${times(queued, 'probe')} of the last ${duration(observedMs)}, one a second, had to wait.${queues === '' ? '' : ` Under way or in line now: ${queues}.`}`,
      why: isLookup
        ? 'most of it looks up names (DNS): dns.lookup, which connections use, waits for the name server in a thread of the pool; libuv gives lookups half of the threads at most, and fs, crypto and zlib share the rest'
        : 'asynchronous fs, crypto, zlib and dns.lookup share the threads of one pool: while each is taken the rest waits, and with it the requests',
      instead: isLookup
        ? `keep connections open (an http.Agent or pool with keepAlive), so that fewer names are looked up, cache the answers, or ask with dns.resolve, which needs no thread; UV_THREADPOOL_SIZE (it is ${size}) raises how many run at once`
        : `set UV_THREADPOOL_SIZE in the environment (it is ${size}; as many as processors for crypto and zlib, more for slow disks and name servers), and do less of it at once`,
      evidence: { queued, maxWaitMs, size, work: queues, documentation: 'https://nodejs.org/api/cli.html#uv_threadpool_sizesize' },
      next: [`npx loopscope sync ${readings.pid}`]
    })]
  }
}

const BUSY_THREADS = Object.freeze({
  // Workers that start up have a few hundred milliseconds.
  minMs: 1000,
  // From here on a request that takes long may well wait for them: half a processor, and a loop that has room.
  full: 0.5,
  maxUtilization: 0.6
})

/**
 * Other threads of the process are at work. That is what they are for, and the loop does not show it: it is reported so that nobody takes an
 * idle loop for an idle process. Where requests are slow meanwhile, it is what they wait for.
 * @type {Detector}
 */
const busyThreads = {
  ids: ['busy-threads'],
  explains: ['slow-elsewhere'],
  find (readings) {
    const { threads, pid } = readings
    const workers = workersOf(readings)
    if (threads === null || workers === null || workers < NOTABLE_WORKERS || threads.workerMs < BUSY_THREADS.minMs) return []
    const who = threads.isPoolApart ? 'Worker threads' : "Worker threads, or libuv's pool,"
    return [makeFinding(readings, {
      id: 'busy-threads',
      ...weightOf(readings, workers),
      title: `${who} had ${percent(workers)} of a processor, while the main loop was busy ${percent(utilizationOf(readings))} of the time.`,
      what: whatOf(threads),
      why: 'their work is not in the figures, stalls and profiles of the main loop: that can be idle while all processors are taken',
      instead: 'look into the threads: what runs in them, and whether there are as many as processors for work that fills one',
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

/**
 * By itself it is no loss.
 * @param {Readings} readings
 * @param {number} workers
 * @returns {Pick<Finding, 'severity' | 'lostMs' | 'share'>}
 */
function weightOf (readings, workers) {
  const utilization = utilizationOf(readings)
  if (workers < BUSY_THREADS.full || utilization > BUSY_THREADS.maxUtilization || slowRoutes(readings).length === 0) return { severity: 'info', lostMs: 0, share: 0 }
  return { severity: 'warning', lostMs: observedMsOf(readings) * (1 - utilization), share: 1 - utilization }
}

/** @param {ThreadLoad} threads */
function whatOf ({ ms, workerMs, peak, busiest, watched }) {
  const total = `In the last ${duration(ms)} they had ${duration(workerMs)} of processor time, and ${percent(peak)} of a processor in the busiest five seconds.`
  if (watched.length > 0) return `${total} At work, by samples: ${watched.map(describeThread).join('; ')}.`
  return busiest.length === 0 ? `${total} None of them runs any more.` : `${total} By name: ${namesOf({ busiest })}.`
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
  // Of the time of the main thread since start. The budget is far below (docs/overhead.md).
  maxShare: 0.05,
  // At start everything is loaded at once.
  minUptimeMs: 30_000
})

// In threads of their own.
const ELSEWHERE = new Set(['observer', 'source-maps'])

/** Of what costs most. @type {Record<string, { why: string, instead: string }>} */
const ADVICE = {
  heartbeat: { why: 'the heartbeat wakes the loop at each of its periods', instead: 'raise heartbeatMs' },
  recorder: {
    why: 'ending a window of the sampler takes time of the main thread, the more the larger the application is',
    instead: 'raise recorder.windowSeconds, lower recorder.hz'
  },
  'own-work': {
    why: 'heap snapshots, histograms and reports stop the application while they are made',
    instead: 'make them less often, and heap histograms instead of snapshots'
  }
}

const ANY_ADVICE = Object.freeze({ why: 'it is time of the main thread that the application does not have', instead: 'turn off what is not needed' })

/**
 * What these diagnostics cost themselves, reported like any other cost.
 * @type {Detector}
 */
const ownCost = {
  ids: ['own-cost'],
  explains: [],
  find (readings) {
    const { process, pid, ownCpu: { ranShare, observerMs } } = readings
    if (process === null || process.uptimeMs < OWN_COST.minUptimeMs) return []
    // It is measured by the clock, which goes on while others have the processor.
    const own = Object.entries(process.ownSeconds).filter(([component]) => !ELSEWHERE.has(component))
      .map(([component, seconds]) => ({ component, seconds: seconds * ranShare })).sort((left, right) => right.seconds - left.seconds)
    const seconds = own.reduce((sum, one) => sum + one.seconds, 0)
    const share = seconds * 1e3 / process.uptimeMs
    if (share < OWN_COST.maxShare) return []
    const parts = own.map(({ component, seconds }) => `${component} ${duration(seconds * 1e3)}`).join(', ')
    const threads = Object.entries({ observer: (observerMs ?? 0) / 1e3, 'source maps': process.ownSeconds['source-maps'] ?? 0 }).filter(([, seconds]) => seconds > 0)
    const beside = threads.length === 0 ? '' : `; in threads of their own: ${threads.map(([thread, seconds]) => `${thread} ${duration(seconds * 1e3)}`).join(', ')}`
    return [makeFinding(readings, {
      id: 'own-cost',
      title: `These diagnostics themselves cost ${percent(share)} of the main thread's time.`,
      lostMs: observedMsOf(readings) * share,
      what: `CPU time since the start ${duration(process.uptimeMs)} ago: ${parts}${beside}.`,
      ...(ADVICE[own[0].component] ?? ANY_ADVICE),
      evidence: { share: rounded(share, 3), seconds: rounded(seconds), observerSeconds: observerMs === null ? null : rounded(observerMs / 1e3), mostOf: own[0].component },
      next: own[0].component === 'own-work' ? [`npx loopscope artifacts ${pid}`] : [`npx loopscope metrics ${pid}`]
    })]
  }
}

module.exports = { busyThreads, ownCost, poolFull, starved, suspended }
