'use strict'

// Detectors of memory that V8 does not limit: that of worker threads and native code which grows, a container that is
// nearly full, and the report that the process before this one left.

const { countBy, sum } = require('../../../base/sums')
const { keeperOf, ownerText } = require('../../../shared/memory-owner')
const { makeFinding } = require('../finding')
const { fillingSiteOf, growingOf, keepingSiteOf, limitOf } = require('../growing')
const { duration, megabytes, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { ContainerMemory, Growing, MemoryOwnerName, MemoryReport } from '../../../../types/memory' */
/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */

const SOON_MINUTES = 60

/** What grows, why that happens, and what to do about it. */
const GROWING = Object.freeze({
  worker: {
    why: 'something in the worker keeps references to objects that are no longer needed',
    instead: 'limit what the worker keeps; start it with resourceLimits.maxOldGenerationSizeMb, so that it ends instead of the whole process'
  },
  workers: {
    why: 'workers are started and do not end, or each of them keeps a little more',
    instead: 'end a worker when its work is done (terminate(), or process.exit() in it), or keep a few of them in a pool that hands them the next task (piscina)'
  },
  native: {
    why: 'memory that V8 does not count is not given back: objects of native modules that are not closed, or an allocator that keeps what was freed',
    instead: 'close the objects of native modules (images, database handles, compressors); if nothing leaks, set MALLOC_ARENA_MAX=2 or preload jemalloc'
  }
})

/** The memory of a worker thread or of native code grows. @type {Detector} */
const memoryGrows = {
  ids: ['memory-grows'],
  explains: [],
  find (readings) {
    const growing = isNativeExplained(readings) ? growingOf(readings, 'worker') : growingOf(readings, 'worker', 'native')
    if (growing === null) return []
    const { pid } = readings
    const { owner, name, bytes, bytesPerMinute, grownBytes, minutes } = growing
    const limit = limitOf(readings, bytesPerMinute)
    const site = keepingSiteOf(readings, growing)
    const kind = owner !== 'worker' ? 'native' : name === null ? 'workers' : 'worker'
    const mayBeWorkers = (readings.memory?.unknownWorkers ?? 0) > 0
    const subject = {
      worker: `The worker thread ${name}`,
      workers: `The memory of worker threads, of which ${readings.memory?.workers ?? 0} run,`,
      native: mayBeWorkers ? 'Native memory, or the heap of worker threads,' : 'Native memory'
    }[kind]
    return [makeFinding(readings, {
      id: 'memory-grows',
      severity: limit !== null && limit.minutes <= SOON_MINUTES ? 'critical' : 'warning',
      title: `${subject} grows by ${megabytes(bytesPerMinute)} per minute${limit === null ? '' : ` and reaches ${limit.text}`}${site?.title ?? ''}.`,
      lostMs: 0,
      share: Math.min(1, bytes / (readings.memory?.room.limitBytes ?? bytes)),
      what: sentences(`It holds ${megabytes(bytes)}, ${megabytes(grownBytes)} more than ${duration(minutes * 60_000)} ago.`, site?.what),
      where: site && site.where,
      why: GROWING[kind].why,
      instead: site?.instead ?? GROWING[kind].instead,
      evidence: { owner, thread: name, bytes, bytesPerMinute: Math.round(bytesPerMinute), minutesToLimit: limit && rounded(limit.minutes), ...site?.evidence },
      confidence: 'medium',
      next: [`npx loopscope memory ${pid} --sites${site === null ? ' --seconds 60' : ''}`, ...(kind !== 'native' ? [`npx loopscope threads ${pid}`] : [])]
    })]
  }
}

/**
 * Native memory grows along with Buffers and objects: where these grow faster they are the reason.
 * @param {Readings} readings
 */
function isNativeExplained (readings) {
  const others = readings.memory?.growing.filter(({ owner }) => owner === 'heap' || owner === 'buffers' || owner === 'external') ?? []
  return sum(others, ({ bytesPerMinute }) => bytesPerMinute) >= (growingOf(readings, 'native')?.bytesPerMinute ?? 0)
}

const MEMORY_FULL = Object.freeze({
  // Shares of the limit.
  notable: 0.85,
  nearlyOver: 0.93,
  minSwap: 0.05,
  slowed: 0.98, // of memory.high
  waited: 0.01 // of the time
})

/** The control group is nearly full: at its limit the kernel ends a process without a word. @type {Detector} */
const memoryFull = {
  ids: ['memory-full'],
  explains: [],
  find (readings) {
    const container = readings.memory?.container ?? null
    if (container === null) return []
    const { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, basis } = container
    const share = Math.min(1, usedBytes / limitBytes)
    const killedHere = readings.memory?.killed ?? 0
    if (share < MEMORY_FULL.notable && killedHere === 0 && !isSlowed(container)) return []
    const rssBytes = readings.process?.memory.outside?.rssBytes ?? null
    const isOthers = rssBytes !== null && rssBytes < usedBytes / 2
    return [makeFinding(readings, {
      id: 'memory-full',
      severity: share >= MEMORY_FULL.nearlyOver || killedHere > 0 ? 'critical' : 'warning',
      title: fullTitle(container, share, killedHere),
      lostMs: 0,
      share,
      what: fullText(container, rssBytes),
      why: fullReason(container),
      instead: isOthers
        ? 'most of it does not belong to this process: look at the other processes of the container, and at files in memory (tmpfs)'
        : 'see who owns the memory; limit what is kept; give V8 a limit below that of the container (--max-old-space-size), or raise the container\'s',
      evidence: { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, basis },
      next: [`npx loopscope memory ${readings.pid}`, `npx loopscope heap ${readings.pid} --kind profile --seconds 10`]
    })]
  }
}

/**
 * @param {ContainerMemory} container
 * @returns {boolean} whether the kernel makes its processes wait
 */
function isSlowed ({ usedBytes, highBytes }) {
  return highBytes !== null && usedBytes >= highBytes * MEMORY_FULL.slowed
}

/**
 * @param {ContainerMemory} container
 * @param {number} share
 * @param {number} killed  while this process has run
 */
function fullTitle (container, share, killed) {
  const { usedBytes, limitBytes, highBytes } = container
  if (share >= MEMORY_FULL.notable) return `The container's memory is ${percent(share)} full: ${megabytes(usedBytes)} of ${megabytes(limitBytes)}.`
  if (isSlowed(container)) return `The container's memory is at memory.high: ${megabytes(usedBytes)} of ${megabytes(/** @type {number} */ (highBytes))}.`
  return `The kernel killed ${killed === 1 ? '1 process' : `${killed} processes`} of this container because its memory was full.`
}

/** @param {ContainerMemory} container @param {number | null} rssBytes  of this process */
function fullText ({ processBytes, reclaimed, killed, swap, pressure }, rssBytes) {
  const swappedBytes = swap?.usedBytes ?? 0
  const waited = pressure?.of === 'container' ? pressure.someShare : 0
  const parts = [`${megabytes(processBytes)} of it belong to its processes${rssBytes === null ? '' : `, ${megabytes(rssBytes)} to this one`}`]
  if (reclaimed > 0) parts.push(`its use was at a limit ${reclaimed} times`)
  if (killed > 0) parts.push(`${killed} of its processes were killed for it`)
  if (swappedBytes > 0) parts.push(`${megabytes(swappedBytes)} are in swap`)
  if (waited >= MEMORY_FULL.waited) parts.push(`processes waited for memory ${percent(waited)} of the last ten seconds`)
  return `${parts.join('; ')}.`
}

/** @param {ContainerMemory} container */
function fullReason (container) {
  if (isSlowed(container) || container.highBytes === container.limitBytes) {
    return 'from memory.high on the kernel takes memory back and makes the processes of the container wait for it, so everything is slow'
  }
  if ((container.swap?.freeBytes ?? 0) >= container.limitBytes * MEMORY_FULL.minSwap) {
    return 'at the limit the kernel moves memory to swap, which makes every access slow, and when that is full it ends a process at once, without an error and without a log line of the process'
  }
  return 'at the limit the kernel ends a process of the container at once, without an error and without a log line of the process'
}

/**
 * @param {MemoryReport['owners']} owners
 * @param {MemoryReport['earlier']} earlier
 * @param {number} at
 * @returns {string} the owner that grew most in the last moments
 */
function grownText (owners, earlier, at) {
  if (!earlier) return ''
  const sumOf = (/** @type {MemoryOwnerName} */ name) => sum(owners.filter(({ owner }) => owner === name), ({ bytes }) => bytes)
  const grown = owners.map(({ owner }) => ({ owner, bytes: sumOf(owner) - (earlier.bytes[owner] ?? 0) }))
  const most = grown.reduce((left, right) => right.bytes > left.bytes ? right : left, { owner: /** @type {MemoryOwnerName} */ ('native'), bytes: 0 })
  return most.bytes < NOTABLE_BYTES ? '' : `; ${ownerText(most.owner)} grew by ${megabytes(most.bytes)} in the ${duration(at - earlier.at)} before`
}

/** What was freed stays in the process: the allocator keeps it, or V8. @type {Detector} */
const fragmentation = {
  ids: ['fragmentation'],
  explains: ['memory-grows'],
  find (readings) {
    const { memory, pid } = readings
    if (!memory?.fragmentation) return []
    const { freedBytes, keptBytes, ofHeapBytes, sinceMs } = memory.fragmentation
    const { isV8, name, advice } = keeperOf(memory.fragmentation, memory.allocator)
    return [makeFinding(readings, {
      id: 'fragmentation',
      severity: isV8 ? 'info' : 'warning', // V8 uses it again
      title: `The process keeps ${megabytes(keptBytes)} that were freed: what V8 counts fell by ${megabytes(freedBytes)}, its memory did not.`,
      lostMs: 0,
      share: Math.min(1, keptBytes / memory.room.limitBytes),
      what: `${duration(sinceMs)} ago heap and Buffers were largest; since then native memory has risen by ${megabytes(keptBytes)}.`,
      why: isV8 ? 'V8 keeps pages of its heap for the next time that it grows' : `${name} holds freed memory in several arenas, each with gaps that it cannot give back`,
      instead: advice,
      evidence: { freedBytes, keptBytes, ofHeapBytes, sinceMs, allocator: memory.allocator.name, arenaMax: memory.allocator.arenaMax },
      confidence: 'medium',
      next: [`npx loopscope memory ${pid}`]
    })]
  }
}

const NOTABLE_BYTES = 1e6
const PREVIOUS = Object.freeze({ shownMs: 24 * 3600_000, diedWithinMs: 5 * 60_000, owners: 3, leftTimes: 2 })

/** The process before this one left a report of its memory: it probably died of that. @type {Detector} */
const memoryReport = {
  ids: ['memory-report'],
  explains: [],
  find (readings) {
    const previous = readings.memory?.previous ?? null
    if (previous === null || readings.at - readings.startedAt > PREVIOUS.shownMs) return []
    const { report: { pid, at, limit, owners, earlier, growing, heapProfile, requests, sites = null }, name, path } = previous
    const beforeMs = Math.max(0, readings.startedAt - at)
    const largest = owners.toSorted((left, right) => right.bytes - left.bytes)
    const first = largest.find(({ owner }) => owner !== 'code') // which is there from the start
    const isOfHeap = limit.of === 'heap'
    const grows = growing.find(({ owner }) => !isOfHeap || owner === 'heap') ?? null
    const filled = grows ?? { owner: isOfHeap ? 'heap' : growingOwner(first?.owner), name: first?.name ?? null, bytesPerMinute: 0 }
    const site = keepingSiteOf({ memory: { sites } }, filled) ?? fillingSiteOf(sites, filled)
    const line = site === null ? heapProfile?.lines[0] : undefined
    const where = site?.where ?? (line === undefined ? null : { ...line, column: 1, via: null, route: null })
    const isLikely = beforeMs <= Math.max(PREVIOUS.diedWithinMs, PREVIOUS.leftTimes * leftMsOf(limit, grows))
    const held = largest.slice(0, PREVIOUS.owners).map(({ owner, name: thread, bytes }) => `${ownerText(owner, thread)} ${megabytes(bytes)}`).join(', ')
    const amount = isOfHeap || first === undefined ? `${megabytes(limit.usedBytes)} of ${megabytes(limit.limitBytes)}` : `${megabytes(first.bytes)} of it ${ownerText(first.owner, first.name)}`
    return [makeFinding(readings, {
      id: 'memory-report',
      severity: isLikely ? 'warning' : 'info',
      title: `The process before this one (pid ${pid}) had its ${isOfHeap ? 'heap' : "container's memory"} ${percent(limit.usedBytes / limit.limitBytes)} full ` +
        `${duration(beforeMs)} before this one started: ${amount}${site?.title ?? (where === null ? '' : `, most of the sampled heap allocated in ${placed(where)}`)}.`,
      lostMs: 0,
      share: Math.min(1, limit.usedBytes / limit.limitBytes),
      what: sentences(`It held ${held}${grownText(owners, earlier, at)}${requestsText(requests)}.`, site?.what),
      where,
      why: 'at the limit a process is killed, or aborts, without time to leave anything: the report was written shortly before',
      instead: site?.instead ?? 'read the report, and limit what the largest owner keeps; the same will happen to this process',
      evidence: { usedBytes: limit.usedBytes, limitBytes: limit.limitBytes, bytesPerSecond: limit.bytesPerSecond, basis: limit.basis, report: path, ...site?.evidence },
      confidence: isLikely ? 'high' : 'medium',
      next: [`npx loopscope artifacts ${readings.pid} get ${name} -o -`, `npx loopscope memory ${readings.pid}`]
    })]
  }
}

/**
 * @param {MemoryOwnerName | undefined} owner
 * @returns {Growing['owner']} by which sites are looked for
 */
function growingOwner (owner) {
  return owner === 'buffers' || owner === 'external' || owner === 'worker' || owner === 'native' ? owner : 'heap'
}

/**
 * @param {MemoryReport['limit']} limit
 * @param {Growing | null} growing
 * @returns {number} until the limit, by what it grew in the last minutes; 0: it is not known to have grown
 */
function leftMsOf ({ usedBytes, limitBytes }, growing) {
  return growing === null ? 0 : Math.max(0, limitBytes - usedBytes) / growing.bytesPerMinute * 60_000
}

/**
 * @param {MemoryReport['requests']} requests
 * @returns {string} how many were in flight, and the route of most of the oldest
 */
function requestsText (requests) {
  if (!requests || requests.total === 0) return ''
  const routes = requests.list.flatMap((/** @type {{ route?: string | null }} */ { route }) => route || [])
  const [[route, count] = ['', 0]] = [...countBy(routes, route => route)].sort(([, left], [, right]) => right - left)
  return `; ${times(requests.total, 'request')} ${requests.total === 1 ? 'was' : 'were'} in flight${count * 2 > requests.list.length ? `, most of ${route}` : ''}`
}

module.exports = { fragmentation, memoryFull, memoryGrows, memoryReport }
