'use strict'

// Detectors of memory that V8 does not limit: that of worker threads and native code which grows, a container that is
// nearly full, and the report that the process before this one left.

const { allocatorAdvice, ownerText } = require('../../../shared/memory-owner')
const { makeFinding } = require('../finding')
const { growingOf, keepingSiteOf, limitOf } = require('../growing')
const { duration, megabytes, percent, rounded } = require('../../../shared/findings/format-text')

/** @import { MemoryOwnerName, MemoryReport } from '../../../../types/memory' */
/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */

const SOON_MINUTES = 60

/**
 * The memory of a worker thread or of native code grows.
 * @type {Detector}
 */
const memoryGrows = {
  ids: ['memory-grows'],
  explains: [],
  find (readings, found) {
    const growing = growingOf(readings, 'worker', 'native')
    // Native memory grows along with Buffers and the heap: those are the reason then.
    if (growing === null || (growing.owner === 'native' && found.some(({ id }) => id === 'heap-grows' || id === 'buffers-grow'))) return []
    const { pid } = readings
    const { owner, name, bytes, bytesPerMinute, grownBytes, minutes } = growing
    const limit = limitOf(readings, bytesPerMinute)
    const site = keepingSiteOf(readings, growing)
    const isWorker = owner === 'worker'
    const mayBeWorkers = (readings.memory?.unknownWorkers ?? 0) > 0
    const subject = isWorker ? `The worker thread ${name}` : mayBeWorkers ? 'Native memory, or the heap of worker threads,' : 'Native memory'
    return [makeFinding(readings, {
      id: 'memory-grows',
      severity: limit !== null && limit.minutes <= SOON_MINUTES ? 'critical' : 'warning',
      title: `${subject} grows by ${megabytes(bytesPerMinute)} per minute${limit === null ? '' : ` and reaches ${limit.text}`}${site?.title ?? ''}.`,
      lostMs: 0,
      share: Math.min(1, bytes / (readings.memory?.room.limitBytes ?? bytes)),
      what: `It holds ${megabytes(bytes)}, ${megabytes(grownBytes)} more than ${duration(minutes * 60_000)} ago.${site === null ? '' : ` ${site.what}`}`,
      where: site && site.where,
      why: isWorker
        ? 'something in the worker keeps references to objects that are no longer needed'
        : 'memory that V8 does not count is not given back: objects of native modules that are not closed, or an allocator that keeps what was freed',
      instead: site?.instead ?? (isWorker
        ? 'limit what the worker keeps; start it with resourceLimits.maxOldGenerationSizeMb, so that it ends instead of the whole process'
        : 'close the objects of native modules (images, database handles, compressors); if nothing leaks, set MALLOC_ARENA_MAX=2 or preload jemalloc'),
      evidence: { owner, thread: name, bytes, bytesPerMinute: Math.round(bytesPerMinute), minutesToLimit: limit && rounded(limit.minutes), ...site?.evidence },
      confidence: 'medium',
      next: [`npx loopscope memory ${pid} --sites${site === null ? ' --seconds 60' : ''}`, ...(isWorker ? [`npx loopscope threads ${pid}`] : [])]
    })]
  }
}

const MEMORY_FULL = Object.freeze({ notable: 0.85, nearlyOver: 0.93, waited: 0.01 })

/**
 * The control group is nearly full: at its limit the kernel ends a process without a word.
 * @type {Detector}
 */
const memoryFull = {
  ids: ['memory-full'],
  explains: [],
  find (readings) {
    const container = readings.memory?.container ?? null
    if (container === null) return []
    const { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, pressure, basis } = container
    const share = Math.min(1, usedBytes / limitBytes)
    const hasKilled = (readings.memory?.killed ?? 0) > 0
    if (share < MEMORY_FULL.notable && !hasKilled) return []
    const waited = pressure?.of === 'container' ? pressure.someShare : 0
    const rssBytes = readings.process?.memory.outside?.rssBytes ?? null
    const isOthers = rssBytes !== null && rssBytes < usedBytes / 2
    return [makeFinding(readings, {
      id: 'memory-full',
      severity: share >= MEMORY_FULL.nearlyOver || hasKilled ? 'critical' : 'warning',
      title: share >= MEMORY_FULL.notable
        ? `The container's memory is ${percent(share)} full: ${megabytes(usedBytes)} of ${megabytes(limitBytes)}.`
        : `The kernel killed ${readings.memory?.killed === 1 ? '1 process' : `${readings.memory?.killed} processes`} of this container because its memory was full.`,
      lostMs: 0,
      share,
      what: `${megabytes(processBytes)} of it belong to its processes${rssBytes === null ? '' : `, ${megabytes(rssBytes)} to this one`}` +
        `${reclaimed === 0 ? '' : `; its use was at a limit ${reclaimed} times`}${killed === 0 ? '' : `; ${killed} of its processes were killed for it`}${waited < MEMORY_FULL.waited ? '' : `; processes waited for memory ${percent(waited)} of the last ten seconds`}.`,
      why: 'at the limit the kernel ends a process of the container at once, without an error and without a log line of the process',
      instead: isOthers
        ? 'most of it is not of this process: look at the other processes of the container, and at files in memory (tmpfs)'
        : 'see who owns the memory; limit what is kept; give V8 a limit below that of the container (--max-old-space-size), or raise the container\'s',
      evidence: { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, basis },
      next: [`npx loopscope memory ${readings.pid}`, `npx loopscope heap ${readings.pid} --kind profile --seconds 10`]
    })]
  }
}

/**
 * @param {MemoryReport['owners']} owners
 * @param {MemoryReport['earlier']} earlier
 * @param {number} at
 * @returns {string} the owner that grew most in the last moments
 */
function grownText (owners, earlier, at) {
  if (!earlier) return ''
  const sumOf = (/** @type {MemoryOwnerName} */ name) => owners.filter(({ owner }) => owner === name).reduce((sum, { bytes }) => sum + bytes, 0)
  const grown = owners.map(({ owner }) => ({ owner, bytes: sumOf(owner) - (earlier.bytes[owner] ?? 0) }))
  const most = grown.reduce((left, right) => right.bytes > left.bytes ? right : left, { owner: /** @type {MemoryOwnerName} */ ('native'), bytes: 0 })
  return most.bytes < NOTABLE_BYTES ? '' : `; ${ownerText(most.owner)} grew by ${megabytes(most.bytes)} in the ${duration(at - earlier.at)} before`
}

/**
 * What was freed stays in the process: the allocator keeps it.
 * @type {Detector}
 */
const fragmentation = {
  ids: ['fragmentation'],
  explains: ['memory-grows'],
  find (readings) {
    const { memory, pid } = readings
    if (!memory?.fragmentation) return []
    const { freedBytes, keptBytes, sinceMs } = memory.fragmentation
    return [makeFinding(readings, {
      id: 'fragmentation',
      severity: 'warning',
      title: `The process keeps ${megabytes(keptBytes)} that were freed: what V8 counts fell by ${megabytes(freedBytes)}, its memory did not.`,
      lostMs: 0,
      share: Math.min(1, keptBytes / memory.room.limitBytes),
      what: `${duration(sinceMs)} ago heap and Buffers were largest; since then native memory has risen by ${megabytes(keptBytes)}.`,
      why: 'the allocator holds freed memory in several arenas, each with gaps that it cannot give back',
      instead: allocatorAdvice(memory.allocator),
      evidence: { freedBytes, keptBytes, sinceMs, allocator: memory.allocator.name, arenaMax: memory.allocator.arenaMax },
      confidence: 'medium',
      next: [`npx loopscope memory ${pid}`]
    })]
  }
}

const NOTABLE_BYTES = 1e6
const PREVIOUS = Object.freeze({ shownMs: 24 * 3600_000, diedWithinMs: 5 * 60_000, owners: 3 })

/**
 * The process before this one left a report of its memory: it probably died of that.
 * @type {Detector}
 */
const memoryReport = {
  ids: ['memory-report'],
  explains: [],
  find (readings) {
    const previous = readings.memory?.previous ?? null
    if (previous === null || readings.at - readings.startedAt > PREVIOUS.shownMs) return []
    const { report: { pid, at, limit, owners, earlier, heapProfile }, name, path } = previous
    const beforeMs = Math.max(0, readings.startedAt - at)
    const biggest = owners.toSorted((left, right) => right.bytes - left.bytes).slice(0, PREVIOUS.owners)
    const subject = limit.of === 'container' ? "container's memory" : 'heap'
    const line = heapProfile?.lines[0]
    return [makeFinding(readings, {
      id: 'memory-report',
      severity: beforeMs <= PREVIOUS.diedWithinMs ? 'warning' : 'info',
      title: `The process before this one (pid ${pid}) had its ${subject} ${percent(limit.usedBytes / limit.limitBytes)} full ${duration(beforeMs)} before this one started.`,
      lostMs: 0,
      share: Math.min(1, limit.usedBytes / limit.limitBytes),
      what: `It held ${biggest.map(({ owner, name: thread, bytes }) => `${ownerText(owner, thread)} ${megabytes(bytes)}`).join(', ')}` +
        `${grownText(owners, earlier, at)}` +
        `${line === undefined ? '' : `; most of the sampled heap was allocated in ${line.function} (${line.file}:${line.line})`}.`,
      why: 'at the limit a process is killed, or aborts, without time to leave anything: the report was written shortly before',
      instead: 'read the report, and limit what the largest owner keeps; the same will happen to this process',
      evidence: { usedBytes: limit.usedBytes, limitBytes: limit.limitBytes, bytesPerSecond: limit.bytesPerSecond, basis: limit.basis, report: path },
      confidence: beforeMs <= PREVIOUS.diedWithinMs ? 'high' : 'medium',
      next: [`npx loopscope artifacts ${readings.pid} get ${name} -o -`, `npx loopscope memory ${readings.pid}`]
    })]
  }
}

module.exports = { fragmentation, memoryFull, memoryGrows, memoryReport }
