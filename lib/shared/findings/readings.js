'use strict'

// What findings are made of: plain data, gathered when somebody asks (observer/findings/), about a stretch of the recent past; and the figures
// that several findings need of it. Pure.

/** @import { Culprit, DelaySummary, HeapTrend, Stall } from '../../../types/diagnostics' */
/** @import { Finding } from '../../../types/findings' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { IoReading } from '../../observer/stalls/scheduler' */
/** @import { BucketReading } from '../base/bucket-counts' */

/**
 * @typedef {object} HotSpot  a function of the application, or of a dependency where the application has none on the stack, in which much of
 *   the time was spent
 * @property {Culprit} culprit
 * @property {'app' | 'dependency' | 'node'} origin
 * @property {number} ms        that the loop was held by it
 * @property {number} ownMs     of that, where it was the innermost function of the application, and not a helper of its
 * @property {number} share     of the time in which the loop was busy
 * @property {number} samples
 * @property {number} sinceMs   epoch
 * @property {string | null} route  that has more than half of it
 * @property {{ route: string | null, share: number }[]} routes  that it ran for, heaviest first, each with its own share of the busy time; null:
 *   for no request, or it is not known for which
 * @property {string} text      of its line, where it can be read
 * @property {boolean} isLogging  the time was spent in the console or a logger
 * @property {boolean} isWriting  the time was spent in writes of sockets
 * @property {number} queueMs    that the queue of microtasks or ticks took between two runs of it; 0 where that did not run it
 * @property {string | null} development  the package whose development build most of it went through
 * @property {{ function: string, file: string, line: number, column: number, package: string | null } | null} converter  the toJSON() or toString() that most of
 *   it was spent in; package: null where it is the application's own
 * @property {boolean} isStartUp  it was in loading modules when the process started, and is over
 * @property {{ api: string, share: number } | null} sync  the synchronous call below it that took the most, of all the time of the hot spot
 * @property {{ count: number, ms: number, longestMs: number, lines: { line: number, ms: number }[] }} stalls  of the loop, that it caused;
 *   lines: of the function, on which it was
 * @property {string[]} [places]  where several of them are taken together, each
 *
 * @typedef {object} Category  time of a kind that is spent all over the application
 * @property {number} ms
 * @property {Place | null} where  the function of the application that most of it was spent for
 *
 * @typedef {{ function: string, file: string, line: number, column: number }} Place
 *
 * @typedef {object} SocketTime  in system calls of sockets of one kind
 * @property {number} ms
 * @property {number} samples
 * @property {(NonNullable<Finding['where']> & { share: number }) | null} where  what asked for most of it, and for which part of it
 *
 * @typedef {object} SocketCalls
 * @property {SocketTime} writes
 * @property {SocketTime} connects
 * @property {{ ms: number, samples: number, closingMs: number }} accepts  of connections of clients; closingMs: closing any
 * @property {number} loopMs  of the event loop's own I/O outside JavaScript
 *
 * @typedef {object} Activity   what the samples say of the observed time
 * @property {number} fromMs    epoch
 * @property {number} observedMs
 * @property {number} samples   that were not idle
 * @property {number} busyMs
 * @property {number} gcMs
 * @property {HotSpot[]} hotSpots   heaviest first
 * @property {SocketCalls} sockets
 * @property {Record<'logging' | 'loading' | 'tasks' | 'collected' | 'buffers', Category>} categories  tasks: V8's and Node's queues of microtasks and
 *   ticks themselves; collected: the collector, by what ran before; buffers: they were made and filled
 *
 * @typedef {object} System     what the system did to the main thread over the last second
 * @property {number} ms
 * @property {number | null} cpuMs
 * @property {number | null} runQueueMs
 * @property {number | null} throttledMs
 * @property {IoReading | null} io  system calls of the main thread; null where the system does not tell
 *
 * @typedef {object} ThreadLoad  processor time of other threads than the observed one and ours, of the last minute
 * @property {number} ms        of which this is told
 * @property {number} workerMs  of worker threads
 * @property {number} poolMs    of libuv's pool
 * @property {number} peak      processors that workers had in the busiest five seconds
 * @property {boolean} isPoolApart  false: workers and libuv's pool cannot be told apart, and are both in workerMs
 * @property {{ name: string, ms: number }[]} busiest  workers that still run, by name
 * @property {BusyThread[]} watched  the busiest first; none where they are not watched
 *
 * @typedef {object} BusyThread
 * @property {string} name
 * @property {number} busyMs
 * @property {(Place & { share: number }) | null} top  the function that most of it was spent in
 *
 * @typedef {object} RouteReading  since start
 * @property {string} route
 * @property {number} count
 * @property {number} seconds
 *
 * @typedef {object} OutsideHeap  memory that V8 or native code holds outside of V8's heap
 * @property {number} rssBytes       of the whole process
 * @property {number} externalBytes  all memory outside the heap that is reported to V8
 * @property {number} buffersBytes   of that, Buffers and other ArrayBuffers
 * @property {number} grownBytes     since it was lowest in the last quarter of an hour
 * @property {number} grownForMs     how long ago that was
 *
 * @typedef {object} ProcessReading  what the main thread said
 * @property {number} uptimeMs
 * @property {number} startUpMs  from the first line of the application to the first turn of the loop
 * @property {DelaySummary} delay  as findings have it, p50 and p99 are of the observed time
 * @property {BucketReading} [delayCounts]  in seconds, since start
 * @property {{ heapUsedBytes: number, oldBytes: number, limitBytes: number, trend: HeapTrend | null, outside: OutsideHeap | null }} memory
 * @property {number} poolSize  threads of libuv's pool
 * @property {Record<string, number>} waitsFor  how many of each kind keep the loop alive: requests of the file system, sockets, timers
 * @property {Record<string, number>} ownSeconds  what we cost, by component
 * @property {RouteReading[]} routes
 * @property {number} inFlight  requests
 * @property {SlowRequest[]} slow  the worst, as they are kept
 *
 * @typedef {object} Pace       what changed in the observed time
 * @property {number} ms        of that, 0: it is not known
 * @property {RouteReading[]} routes
 *
 * @typedef {object} Readings
 * @property {number} at        epoch, milliseconds
 * @property {number} pid
 * @property {number} startedAt
 * @property {number} thresholdMs  from which a delay counts as a stall
 * @property {number} blockedMs    how long the loop has been stuck now, 0 while it turns
 * @property {Activity | null} activity  null: nothing was recorded
 * @property {Stall[]} stalls      of the observed time
 * @property {System} system
 * @property {{ queued: number, maxWaitMs: number }} pool  probes of libuv's pool, one a second of work, that had to wait
 * @property {{ ranShare: number, observerMs: number | null }} ownCpu  ranShare: part of the time since start that the main thread was run, of that
 *   in which it was ready to, 0 to 1; observerMs: CPU time of our thread since its start
 * @property {ThreadLoad | null} threads  null: the system does not tell
 * @property {ProcessReading | null} process  null: the main thread never answered
 * @property {Pace} pace
 * @property {Readings[]} [earlier]  stretches of the last quarter of an hour with stalls, oldest first
 * @property {boolean} isStale
 */

// Everybody waits a little.
const NOTABLE_WAITING = 0.3
const NEARLY_ALL = 0.9
// Workers that wait for work have next to nothing.
const NOTABLE_WORKERS = 0.03
// What a person notices, as a mean of all requests of a route.
const SLOW_MS = 500
const MIN_REQUESTS = 5

/**
 * How busy the loop was, 0 to 1; 0 where nothing was recorded.
 * @param {Readings} readings
 */
function utilizationOf ({ activity }) {
  return activity === null || activity.observedMs === 0 ? 0 : Math.min(1, activity.busyMs / activity.observedMs)
}

/**
 * Processors that worker threads had, on average: 1 is one whole; null where that is not known.
 * @param {Readings} readings
 */
function workersOf ({ threads }) {
  return threads === null || threads.ms === 0 ? null : threads.workerMs / threads.ms
}

/**
 * The observed time in milliseconds.
 * @param {Readings} readings
 */
function observedMsOf ({ activity }) {
  return activity?.observedMs ?? 0
}

/**
 * @param {Readings} readings
 * @param {readonly Stall['cause'][]} causes
 */
function sumStalls ({ stalls }, causes) {
  const meant = stalls.filter(({ cause }) => causes.includes(cause))
  return {
    count: meant.length,
    ms: meant.reduce((sum, { durationMs }) => sum + durationMs, 0),
    longestMs: Math.max(0, ...meant.map(({ durationMs }) => durationMs))
  }
}

/**
 * How many requests were being answered on average of the observed time, by Little's law, or now where none has ended meanwhile; null where nobody said.
 * @param {Readings} readings
 */
function inFlightOf ({ process, pace, stalls }) {
  if (process === null) return null
  const seconds = pace.routes.reduce((sum, route) => sum + route.seconds, 0)
  const onAverage = pace.ms > 0 ? seconds * 1e3 / pace.ms : 0
  // After a stall nobody waits any more.
  return stalls.length > 0 && onAverage > 0 ? onAverage : Math.max(process.inFlight, onAverage)
}

/**
 * The request of another route that was held up longest by code of this one, in the observed time.
 * @param {Readings} readings
 * @param {string | null} route
 * @returns {{ route: string, ms: number } | null}
 */
function longestBehind ({ at, activity, process }, route) {
  const slow = process?.slow.filter(one => one.at + one.durationMs >= (activity?.fromMs ?? at) && one.route !== route) ?? []
  const waits = slow.flatMap(one => one.behind.filter(other => other.route !== null && other.route === route).map(({ ms }) => ({ route: one.route, ms })))
  return waits.reduce((/** @type {{ route: string, ms: number } | null} */ longest, wait) => longest === null || wait.ms > longest.ms ? wait : longest, null)
}

/**
 * The route that a hot spot ran for, where it ran for no other one that matters.
 * @param {HotSpot} spot
 * @returns {HotSpot['routes'][number] | null}
 */
function onlyRoute ({ share, routes: [heaviest] }) {
  return heaviest !== undefined && heaviest.route !== null && heaviest.share >= share * NEARLY_ALL ? heaviest : null
}

/**
 * How the system treated the loop in the last second and in all stalls, when it was measured.
 * @param {Readings} readings
 * @returns {{ waiting: number, throttled: number, cpu: number }} parts of that time, 0 to 1: waiting for a processor for whatever reason,
 *   held back by a quota, and being run
 */
function processorShares ({ system, stalls }) {
  const measured = [system, ...stalls.map(({ durationMs, evidence }) => ({ ...evidence, ms: durationMs }))].map(withWholeTime)
  const sum = (/** @type {'ms' | 'cpuMs' | 'runQueueMs' | 'throttledMs'} */ name) => measured.reduce((all, one) => all + (one[name] ?? 0), 0)
  const share = (/** @type {number} */ ms) => sum('ms') === 0 ? 0 : Math.min(1, ms / sum('ms'))
  return { waiting: share(sum('runQueueMs') + sum('throttledMs')), throttled: share(sum('throttledMs')), cpu: share(sum('cpuMs')) }
}

/**
 * What the system counted is read a little earlier and later than the time itself.
 * @param {Pick<System, 'ms' | 'cpuMs' | 'runQueueMs' | 'throttledMs'>} measured
 */
function withWholeTime (measured) {
  return { ...measured, ms: Math.max(measured.ms, (measured.cpuMs ?? 0) + (measured.runQueueMs ?? 0)) }
}

/** @param {Readings} readings */
function requestsPerSecond ({ pace }) {
  return pace.ms === 0 ? 0 : pace.routes.reduce((sum, { count }) => sum + count, 0) * 1e3 / pace.ms
}

// Two for each message may be an answer and a log line; larger ones cost by their bytes, and not by their number.
const MANY_WRITES = Object.freeze({ ofBusy: 0.3, ofTime: 0.1, samples: 50, perSecond: 1000, times: 1.8, maxBytes: 4096 })
const MOSTLY = 0.8

/**
 * Whether what the main thread writes is small: then a write costs as a system call, and not by its bytes. False where it is not known.
 * @param {Readings} readings
 */
function hasSmallWrites ({ system: { io } }) {
  return io !== null && io.writtenBytes <= io.writes * MANY_WRITES.maxBytes
}

/**
 * That writes of sockets take much of the time, and are more than there are messages; null where they are not, or where it is not known.
 * @param {Readings} readings
 * @returns {{ perSecond: number, times: number, of: 'request' | 'read', bytes: number } | null}
 */
function manyWrites (readings) {
  const { activity, system: { io, ms } } = readings
  if (activity === null || io === null || ms === 0) return null
  const { ofBusy, ofTime, samples, ...least } = MANY_WRITES
  const { writes } = activity.sockets
  if (writes.samples < samples || writes.ms < activity.busyMs * ofBusy || writes.ms < observedMsOf(readings) * ofTime) return null
  const requests = requestsPerSecond(readings) * ms / 1e3
  // Requests may come several in one read, and what they ask of a database is answered in reads of its own.
  const times = io.writes / Math.max(1, requests, io.reads)
  const perSecond = io.writes * 1e3 / ms
  if (times < least.times || perSecond < least.perSecond || !hasSmallWrites(readings)) return null
  return { perSecond, times, of: requests >= io.reads * MOSTLY ? 'request' : 'read', bytes: io.writtenBytes / io.writes }
}

/**
 * Which part of the time in which the loop was at work it was run, 0 to 1. The samples do not know: they see the code that waits for a
 * processor as well.
 * @param {Readings} readings
 */
function ranShare (readings) {
  const { waiting, cpu } = processorShares(readings)
  return waiting < NOTABLE_WAITING ? 1 : cpu / (cpu + waiting)
}

/**
 * @param {Readings} readings
 * @returns {OutsideHeap | null} null where that is not known
 */
function outsideHeapOf ({ process }) {
  return process?.memory.outside ?? null
}

/** @param {OutsideHeap} outside */
function areBuffers ({ buffersBytes, externalBytes }) {
  return buffersBytes >= externalBytes / 2
}

/**
 * The routes whose requests take long, whatever for.
 * @param {Readings} readings
 * @returns {{ route: string, count: number, meanMs: number }[]} of the observed time, those with the most time in all first
 */
function slowRoutes ({ pace }) {
  return pace.routes.filter(({ count }) => count >= MIN_REQUESTS)
    .map(({ route, count, seconds }) => ({ route, count, meanMs: seconds * 1e3 / count }))
    .filter(({ meanMs }) => meanMs >= SLOW_MS)
    .sort((left, right) => right.meanMs * right.count - left.meanMs * left.count)
}

module.exports = {
  MIN_REQUESTS,
  NOTABLE_WORKERS,
  areBuffers,
  hasSmallWrites,
  inFlightOf,
  longestBehind,
  manyWrites,
  observedMsOf,
  onlyRoute,
  outsideHeapOf,
  processorShares,
  ranShare,
  requestsPerSecond,
  slowRoutes,
  sumStalls,
  utilizationOf,
  workersOf
}
