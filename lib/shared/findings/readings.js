'use strict'

// The input of the detectors: plain data about the recent past, gathered on demand (observer/findings/), and the figures that several detectors
// derive from it. Pure.

const { groupBy, sum } = require('../../base/sums')

/** @import { Culprit, DelaySummary, HeapTrend, Stall } from '../../../types/diagnostics' */
/** @import { Finding } from '../../../types/findings' */
/** @import { RequestInFlight } from '../../../types/requests' */
/** @import { SlowRequest } from '../../../types/slow-requests' */
/** @import { RouteWaits, WaitLine } from '../../../types/waits' */
/** @import { IoReading } from '../../observer/stalls/scheduler' */
/** @import { BucketReading } from '../../base/bucket-counts' */
/** @import { BusySample } from '../../observer/what-if/request-model' */

/**
 * @typedef {object} HotSpot  a function of the application, or of a dependency where the application has none on the stack, in which much of
 *   the time was spent
 * @property {Culprit} culprit
 * @property {number} calledShare  of its time, in the call or the package that the culprit names: 0 to 1; 1 where it names none
 * @property {'app' | 'dependency' | 'node'} origin
 * @property {number} ms        for which it held the loop
 * @property {number} ownMs     of that, with it as the innermost function of the application, and not in one of its helpers
 * @property {number} share     of the time in which the loop was busy
 * @property {number} samples
 * @property {number} sinceMs   epoch
 * @property {string | null} route  the one that has more than half of it
 * @property {{ route: string | null, share: number }[]} routes  the routes that it ran for, heaviest first, each with its share of the busy time; null:
 *   for no request, or for an unknown one
 * @property {string} text      of its line, where it can be read, and of the line of its callback that was at work
 * @property {string} [ownText]  the same without what stands on the line before that callback
 * @property {boolean} isOwn     the time was spent in functions of the application, and not in what they call
 * @property {string[]} [nodeCalls]  the functions of Node.js that it called for most of the time, heaviest first
 * @property {boolean} isLogging  the time was spent in the console or a logger
 * @property {boolean} isStreaming  the time was spent in streams of Node.js that it passes chunks to, not in sockets
 * @property {boolean} isWriting  the time was spent in writes of sockets
 * @property {number} queueMs    time of the queue of microtasks or ticks between two runs of it; 0 if no queue runs it
 * @property {string | null} development  the package whose development build most of the time went through
 * @property {string | null} inPackage  the package that the application called most of the time, by whichever of its functions
 * @property {string | null} compiling  the package that compiled templates or schemas most of the time
 * @property {{ function: string, file: string, line: number, column: number, package: string | null } | null} converter  the toJSON() or toString() that most of
 *   it was spent in; package: null where it is the application's own
 * @property {boolean} isStartUp  modules were loaded when the process started, which is over
 * @property {{ api: string, share: number } | null} sync  the heaviest synchronous call below it, with its share of the time of the hot spot
 * @property {{ count: number, ms: number, longestMs: number, lines: { line: number, ms: number }[] }} stalls  the ones it caused;
 *   lines: those of the function that were running
 * @property {Place | null} waitLoop  the loop, in it or in what calls it, that does nothing but wait until some time has passed
 * @property {{ function: string, file: string }[]} [callers]  the named functions of the application that call it
 * @property {string[]} [within]  the packages that called it back, directly or not
 * @property {string[]} [places]  of each, where several hot spots are reported as one
 *
 * @typedef {object} Category  time of one kind that is spent all over the application
 * @property {number} ms
 * @property {Place | null} where  the function of the application that most of it was spent for
 * @property {(Place & { ms: number })[]} [places]  of logging: the functions that it was spent for, most time first
 * @property {string | null} [logger]  of logging: the package that took most of it, 'console' for that of Node.js
 * @property {number} [writingMs]  of logging: of that, in synchronous writes to files
 *
 * @typedef {{ function: string, file: string, line: number, column: number }} Place
 *
 * @typedef {object} SocketTime  in system calls of sockets of one kind
 * @property {number} ms
 * @property {number} samples
 * @property {(NonNullable<Finding['where']> & { share: number }) | null} where  the function that caused most of it, and its share
 *
 * @typedef {object} SocketCalls
 * @property {SocketTime} writes
 * @property {SocketTime} sends  of datagrams
 * @property {SocketTime} connects
 * @property {{ ms: number, samples: number, closingMs: number }} accepts  of connections of clients; closingMs: closing any
 * @property {number} otherWritesMs  to files, and of logs, which the system counts as writes as well
 * @property {number} loopMs  of the event loop's own I/O outside JavaScript
 *
 * @typedef {object} Activity   the observed time, by the samples
 * @property {number} fromMs    epoch
 * @property {number} observedMs
 * @property {number} samples   without idle ones
 * @property {number} sampledShare  those samples, as a share of as many as the sampling rate promises; 1 where that is unknown
 * @property {number} busyMs
 * @property {number} gcMs
 * @property {HotSpot[]} hotSpots   heaviest first
 * @property {BusySample[]} busySamples  when it was busy, in order
 * @property {SocketCalls} sockets
 * @property {Record<'logging' | 'tasks' | 'immediates' | 'collected' | 'buffers', Category>} categories  tasks: V8's and Node's queues of microtasks
 *   and ticks themselves; immediates: callbacks of setImmediate(); collected: the garbage collector, by the function that ran before; buffers: making and filling Buffers
 *
 * @typedef {object} System     CPU time and I/O of the main thread over the last second, as the system counts them
 * @property {number} ms
 * @property {number | null} cpuMs
 * @property {number | null} runQueueMs
 * @property {number | null} throttledMs
 * @property {IoReading | null} io  system calls of the main thread; null where the system does not count them
 *
 * @typedef {object} ThreadLoad  CPU time over the last minute of the threads other than the main thread and loopscope's own
 * @property {number} ms        the period it covers
 * @property {number} workerMs  of worker threads
 * @property {boolean} areShortLived  most of the time, most of it is of workers that end within seconds
 * @property {number} poolMs    of libuv's pool
 * @property {number} peak      CPUs that workers used in the busiest five seconds
 * @property {boolean} isPoolApart  false: workers and libuv's pool cannot be distinguished, and are both in workerMs
 * @property {{ name: string, ms: number }[]} busiest  workers that are still running, by name
 * @property {BusyThread[]} watched  busiest first; empty where they are not watched
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
 * @property {number} [goneCount]    those of them whose client disconnected before the response was complete
 * @property {number} [goneSeconds]  theirs
 *
 * @typedef {object} OutsideHeap  memory that V8 or native code holds outside of V8's heap
 * @property {number} rssBytes       of the whole process
 * @property {number} externalBytes  all memory outside the heap that is reported to V8
 * @property {number} buffersBytes   of that, Buffers and other ArrayBuffers
 * @property {number} grownBytes     since it was lowest in the last quarter of an hour
 * @property {number} grownForMs     how long ago that was
 *
 * @typedef {object} ProcessReading  the answer of the main thread
 * @property {number} uptimeMs
 * @property {number} startUpMs  from the first line of the application to the first iteration of the loop
 * @property {DelaySummary} delay  in findings, p50 and p99 cover the observed time only
 * @property {BucketReading} [delayCounts]  in seconds, since start
 * @property {{ heapUsedBytes: number, oldBytes: number, limitBytes: number, trend: HeapTrend | null, outside: OutsideHeap | null }} memory
 * @property {number} poolSize  threads of libuv's pool
 * @property {Record<string, number>} waitsFor  how many resources of each kind keep the loop alive: file system requests, sockets, timers
 * @property {Record<string, number>} ownSeconds  loopscope's own cost, by component
 * @property {RouteReading[]} routes
 * @property {number} inFlight  requests
 *
 * @typedef {object} Pace       requests in the observed time
 * @property {number} ms        the period it covers; 0 if unknown
 * @property {RouteReading[]} routes
 *
 * @typedef {object} CallReading  calls of one name to a dependency, that ended in the observed time
 * @property {string} kind
 * @property {string} operation
 * @property {string} target
 * @property {number} count
 * @property {number} errors
 * @property {number} seconds
 * @property {number} p50Ms
 * @property {number} p99Ms
 *
 * @typedef {object} Readings
 * @property {number} at        epoch, milliseconds
 * @property {number} pid
 * @property {number} startedAt
 * @property {number} thresholdMs  from which a delay counts as a stall
 * @property {number} blockedMs    how long the loop has been blocked until now; 0 while it runs
 * @property {Activity | null} activity  null: nothing was recorded
 * @property {Stall[]} stalls      of the observed time
 * @property {SlowRequest[]} slow  the worst, as they are kept
 * @property {RouteWaits[]} [waits]  where sampled requests of the observed time waited
 * @property {RouteWaits[]} [openWaits]  the same of the requests of the last quarter of an hour that were not answered
 * @property {RequestInFlight[]} [underWay]  requests, oldest first
 * @property {import('../../formats/profile/called-package').DependsOn} [dependsOn]
 * @property {CallReading[]} [calls]  to dependencies
 * @property {Record<string, number>} [connections]  open connections to other processes, by port, the most at one moment; empty where that is not known
 * @property {System} system
 * @property {{ queued: number, maxWaitMs: number }} pool  probes of libuv's pool that had to wait; there is one per second of work
 * @property {{ ranShare: number, observerMs: number | null }} ownCpu  ranShare: CPU time of the main thread since start as a share of
 *   the time in which it was ready to run, 0 to 1; observerMs: CPU time of the observer thread since its start
 * @property {ThreadLoad | null} threads  null: the system does not count it
 * @property {import('../../observer/memory/memory-watch').MemoryState | null} memory  null: not followed
 * @property {ProcessReading | null} process  null: the main thread never answered
 * @property {Pace} pace
 * @property {Readings[]} [earlier]  periods of the last quarter of an hour with stalls, oldest first
 * @property {boolean} isStale
 */

// A little waiting is normal.
const NOTABLE_WAITING = 0.3
const LOOK_BACK_MS = 60_000 // findings are about this time, if it was recorded
const MIN_SAMPLED_SHARE = 0.75 // a busy process with CPU time has more than 0.9
const NEARLY_ALL = 0.9
// Workers that wait for work use next to nothing.
const NOTABLE_WORKERS = 0.03
// A mean over all requests of a route that people notice.
const SLOW_MS = 500
const MIN_REQUESTS = 5
// Where less is known of what requests waited for, it is not the reason.
const MAIN_WAIT = 0.5
// A small write takes this long at most, with what JavaScript does for it.
const SMALL_WRITE_MS = 0.2
// Two writes per message can be a response and a log line; the cost of larger writes depends on their bytes, not on their number. A write to a file takes
// a fraction of the time of one to a socket: with more of them, the system's count says little about sockets.
const MANY_WRITES = Object.freeze({ ofBusy: 0.3, ofTime: 0.1, samples: 50, perSecond: 1000, times: 1.8, maxBytes: 4096, maxOthers: 0.1 })
const MOSTLY = 0.8

/** What readings without a measurement of the process have. */
const UNMEASURED = Object.freeze({
  slow: [],
  system: { ms: 0, cpuMs: null, runQueueMs: null, throttledMs: null, io: null },
  pool: { queued: 0, maxWaitMs: 0 },
  threads: null,
  memory: null,
  process: null,
  pace: { ms: 0, routes: [] },
  isStale: false
})

/** How busy the loop was, 0 to 1; 0 where nothing was recorded. @param {Readings} readings */
function utilizationOf ({ activity }) {
  return activity === null || activity.observedMs === 0 ? 0 : Math.min(1, activity.busyMs / activity.observedMs)
}

/**
 * CPUs that worker threads used on average: 1 is one full CPU; null where that is unknown.
 * @param {Readings} readings
 */
function workersOf ({ threads }) {
  return threads === null || threads.ms === 0 ? null : threads.workerMs / threads.ms
}

/**
 * The time whose stalls are known, in milliseconds: the observed time, or the last minute where nothing is recorded.
 * @param {Readings} readings
 */
function stallTimeOf (readings) {
  return observedMsOf(readings) || Math.min(LOOK_BACK_MS, Math.max(1, readings.at - readings.startedAt))
}

/** The observed time in milliseconds. @param {Readings} readings */
function observedMsOf ({ activity }) {
  return activity?.observedMs ?? 0
}

/** @param {Readings} readings @param {readonly Stall['cause'][]} causes */
function sumStalls ({ stalls }, causes) {
  const meant = stalls.filter(({ cause }) => causes.includes(cause))
  return {
    count: meant.length,
    ms: stalledMs(meant),
    longestMs: Math.max(0, ...meant.map(({ durationMs }) => durationMs))
  }
}

/** @param {readonly Stall[]} stalls */
function stalledMs (stalls) {
  return sum(stalls, ({ durationMs }) => durationMs)
}

/**
 * The average number of requests in flight in the observed time, by Little's law, or the number now if none has ended; null where unknown.
 * @param {Readings} readings
 */
function inFlightOf ({ process, pace, stalls }) {
  if (process === null) return null
  const seconds = sum(pace.routes, route => route.seconds)
  const onAverage = pace.ms > 0 ? seconds * 1e3 / pace.ms : 0
  // After a stall the requests that waited are answered.
  return stalls.length > 0 && onAverage > 0 ? onAverage : Math.max(process.inFlight, onAverage)
}

/**
 * The request of another route that was delayed longest by code of this route, in the observed time.
 * @param {Readings} readings
 * @param {string | null} route
 * @returns {{ route: string, ms: number } | null}
 */
function longestBehind (readings, route) {
  const inTime = slowInTime(readings).filter(one => one.route !== route)
  const waits = inTime.flatMap(one => one.behind.filter(other => other.route !== null && other.route === route).map(({ ms }) => ({ route: one.route, ms })))
  return waits.reduce((/** @type {{ route: string, ms: number } | null} */ longest, wait) => longest === null || wait.ms > longest.ms ? wait : longest, null)
}

/** @param {Readings} readings */
function slowInTime ({ at, activity, slow }) {
  return slow.filter(one => one.at + one.durationMs >= (activity?.fromMs ?? at))
}

/**
 * The calls that requests of a route waited for most, in its slow requests of the observed time.
 * @param {Readings} readings
 * @param {string} route
 * @returns {{ name: string, share: number, callsPerRequest: number, errors: number } | null} share: of their waiting, 0 to 1; null: not known, or not one kind
 */
function mostWaited (readings, route) {
  const { requests, calls } = slowCallsOf(readings, route)
  const waitingMs = sum(requests, one => one.waitingMs)
  const [most] = calls.sort((left, right) => right.ms - left.ms)
  if (most === undefined || most.ms < waitingMs * MAIN_WAIT) return null
  return { name: most.name, share: Math.min(1, most.ms / waitingMs), callsPerRequest: most.calls / requests.length, errors: most.errors }
}

/**
 * @param {Readings} readings
 * @param {string} route
 * @returns {{ requests: SlowRequest[], calls: { name: string, ms: number, calls: number, errors: number }[] }} its slow requests of the observed time, and
 *   their calls by name
 */
function slowCallsOf (readings, route) {
  const requests = slowInTime(readings).filter(one => one.route === route)
  const byName = groupBy(requests.flatMap(({ waits }) => waits), callName)
  const calls = [...byName].map(([name, some]) => ({ name, ms: sum(some, ({ ms }) => ms), calls: sum(some, one => one.calls), errors: sum(some, ({ errors }) => errors) }))
  return { requests, calls }
}

/** @param {Pick<CallReading, 'kind' | 'operation' | 'target'>} call */
function callName ({ kind, operation, target }) {
  return `${kind} ${operation} ${target}`
}

/**
 * The line at which requests of a route waited most.
 * @param {Readings} readings
 * @param {string} route
 * @returns {{ line: WaitLine, share: number, isWhole: boolean } | null} share: of their waiting, 0 to 1; isWhole: they were followed to the end; null: none was sampled, or no line has most of it
 */
function mostWaitedLine ({ waits = [] }, route) {
  const found = waits.find(one => one.route === route)
  const [line] = found?.lines ?? []
  if (found === undefined || line === undefined || line.ms < found.waitingMs * MAIN_WAIT) return null
  return { line, share: Math.min(1, line.ms / found.waitingMs), isWhole: found.truncated === 0 }
}

/**
 * The route that a hot spot ran for, if it hardly ran for any other.
 * @param {HotSpot} spot
 * @returns {HotSpot['routes'][number] | null}
 */
function onlyRoute ({ share, routes: [heaviest] }) {
  return heaviest !== undefined && heaviest.route !== null && heaviest.share >= share * NEARLY_ALL ? heaviest : null
}

/**
 * How much CPU the loop got in the last second and in all stalls, which is when it is measured.
 * @param {Readings} readings
 * @returns {{ waiting: number, throttled: number, cpu: number }} shares of that time, 0 to 1: waiting for a CPU for whatever reason,
 *   throttled by a quota, and running
 */
function processorShares ({ system, stalls }) {
  const measured = [system, ...stalls.map(({ durationMs, evidence }) => ({ ...evidence, ms: durationMs }))].map(withWholeTime)
  const total = (/** @type {'ms' | 'cpuMs' | 'runQueueMs' | 'throttledMs'} */ name) => sum(measured, one => one[name] ?? 0)
  const share = (/** @type {number} */ ms) => total('ms') === 0 ? 0 : Math.min(1, ms / total('ms'))
  return { waiting: share(total('runQueueMs') + total('throttledMs')), throttled: share(total('throttledMs')), cpu: share(total('cpuMs')) }
}

/**
 * The counters of the system are read a little before and after the period.
 * @param {Pick<System, 'ms' | 'cpuMs' | 'runQueueMs' | 'throttledMs'>} measured
 */
function withWholeTime (measured) {
  return { ...measured, ms: Math.max(measured.ms, (measured.cpuMs ?? 0) + (measured.runQueueMs ?? 0)) }
}

/** @param {Readings} readings */
function requestsPerSecond ({ pace }) {
  return pace.ms === 0 ? 0 : sum(pace.routes, ({ count }) => count) * 1e3 / pace.ms
}

/**
 * Whether the writes of the main thread are small, so that the cost is that of the system call and not of the bytes. False where unknown: the system
 * counts those of the last second only, and if they are too few for the time that writes take, that time was spent on others.
 * @param {Readings} readings
 */
function hasSmallWrites (readings) {
  const { activity, system: { io, ms } } = readings
  if (activity === null || io === null) return false
  const writingMs = activity.sockets.writes.ms * ms / Math.max(1, observedMsOf(readings))
  return io.writes * SMALL_WRITE_MS >= writingMs && io.writtenBytes <= io.writes * MANY_WRITES.maxBytes
}

/**
 * Whether writes to sockets take much of the time and outnumber the messages; null if not, or where it is unknown.
 * @param {Readings} readings
 * @returns {{ perSecond: number, times: number, of: 'request' | 'read', bytes: number } | null}
 */
function manyWrites (readings) {
  const { activity, system: { io, ms } } = readings
  if (activity === null || io === null || ms === 0) return null
  const { ofBusy, ofTime, samples, maxOthers, ...least } = MANY_WRITES
  const { writes, otherWritesMs } = activity.sockets
  if (otherWritesMs > writes.ms * maxOthers) return null
  if (writes.samples < samples || writes.ms < activity.busyMs * ofBusy || writes.ms < observedMsOf(readings) * ofTime) return null
  const requests = requestsPerSecond(readings) * ms / 1e3
  // One read may bring several requests, and their database queries are answered in further reads.
  const times = io.writes / Math.max(1, requests, io.reads)
  const perSecond = io.writes * 1e3 / ms
  if (times < least.times || perSecond < least.perSecond || !hasSmallWrites(readings)) return null
  return { perSecond, times, of: requests >= io.reads * MOSTLY ? 'request' : 'read', bytes: io.writtenBytes / io.writes }
}

/**
 * The share of the loop's busy time in which it really had a CPU, 0 to 1. Samples cannot show it: they also see code that waits for a CPU.
 * @param {Readings} readings
 */
function ranShare (readings) {
  if (mayHaveWaited(readings)) return /** @type {Activity} */ (readings.activity).sampledShare
  const { waiting, cpu } = processorShares(readings)
  return waiting < NOTABLE_WAITING ? 1 : cpu / (cpu + waiting)
}

/**
 * Where the system does not report waits for a CPU: whether V8's sampler, a thread of the process, was late so often that the loop probably waited as
 * well. Then the samples do not prove that what they show ran for so long.
 * @param {Readings} readings
 */
function mayHaveWaited ({ system, activity }) {
  return system.runQueueMs === null && (activity?.sampledShare ?? 1) < MIN_SAMPLED_SHARE
}

/** @param {Readings} readings @returns {OutsideHeap | null} null where that is unknown */
function outsideHeapOf ({ process }) {
  return process?.memory.outside ?? null
}

/** dns.lookup(), in a thread of libuv's pool. @param {string} kind  of a resource, as Node.js names it */
function isPoolLookup (kind) {
  return /^Get(Addr|Name)Info/i.test(kind)
}

/** @param {OutsideHeap} outside */
function areBuffers ({ buffersBytes, externalBytes }) {
  return buffersBytes >= externalBytes / 2
}

/**
 * The routes whose requests take long, for whatever reason.
 * @param {Readings} readings
 * @param {number} [minMs]  mean
 * @returns {{ route: string, count: number, meanMs: number }[]} of the observed time, most total time first
 */
function slowRoutes ({ pace }, minMs = SLOW_MS) {
  return pace.routes.filter(({ count }) => count >= MIN_REQUESTS)
    .map(({ route, count, seconds }) => ({ route, count, meanMs: seconds * 1e3 / count }))
    .filter(({ meanMs }) => meanMs >= minMs)
    .sort((left, right) => right.meanMs * right.count - left.meanMs * left.count)
}

module.exports = {
  LOOK_BACK_MS,
  MIN_REQUESTS,
  NOTABLE_WORKERS,
  SLOW_MS,
  UNMEASURED,
  areBuffers,
  callName,
  hasSmallWrites,
  inFlightOf,
  isPoolLookup,
  longestBehind,
  manyWrites,
  mostWaited,
  mostWaitedLine,
  observedMsOf,
  onlyRoute,
  outsideHeapOf,
  processorShares,
  mayHaveWaited,
  ranShare,
  requestsPerSecond,
  slowCallsOf,
  slowInTime,
  slowRoutes,
  stalledMs,
  stallTimeOf,
  sumStalls,
  utilizationOf,
  workersOf
}
