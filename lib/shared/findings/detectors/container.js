'use strict'

// Detectors of memory that V8 does not limit: that of worker threads and native code which grows, and a container that is nearly full.

const { makeFinding } = require('../finding')
const { growingOf, limitOf } = require('../growing')
const { duration, megabytes, percent, rounded } = require('../format-text')

/** @import { Detector } from '../finding' */
/** @import { Readings } from '../readings' */

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
    const isWorker = owner === 'worker'
    const mayBeWorkers = (readings.memory?.unknownWorkers ?? 0) > 0
    const subject = isWorker ? `The worker thread ${name}` : mayBeWorkers ? 'Native memory, or the heap of worker threads,' : 'Native memory'
    return [makeFinding(readings, {
      id: 'memory-grows',
      severity: limit !== null && limit.minutes <= SOON_MINUTES ? 'critical' : 'warning',
      title: `${subject} grows by ${megabytes(bytesPerMinute)} per minute${limit === null ? '' : ` and reaches ${limit.text}`}.`,
      lostMs: 0,
      share: Math.min(1, bytes / (readings.memory?.room.limitBytes ?? bytes)),
      what: `It holds ${megabytes(bytes)}, ${megabytes(grownBytes)} more than ${duration(minutes * 60_000)} ago.`,
      why: isWorker
        ? 'something in the worker keeps references to objects that are no longer needed'
        : 'memory that V8 does not count is not given back: objects of native modules that are not closed, or an allocator that keeps what was freed',
      instead: isWorker
        ? 'limit what the worker keeps; start it with resourceLimits.maxOldGenerationSizeMb, so that it ends instead of the whole process'
        : 'close the objects of native modules (images, database handles, compressors); if nothing leaks, set MALLOC_ARENA_MAX=2 or preload jemalloc',
      evidence: { owner, thread: name, bytes, bytesPerMinute: Math.round(bytesPerMinute), minutesToLimit: limit && rounded(limit.minutes) },
      confidence: 'medium',
      next: [`npx loopscope memory ${pid}`, ...(isWorker ? [`npx loopscope threads ${pid}`] : [])]
    })]
  }
}

const MEMORY_FULL = Object.freeze({ notable: 0.85, nearlyOver: 0.93 })

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
    const { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, basis } = container
    const share = Math.min(1, usedBytes / limitBytes)
    if (share < MEMORY_FULL.notable) return []
    const rssBytes = readings.process?.memory.outside?.rssBytes ?? null
    const isOthers = rssBytes !== null && rssBytes < usedBytes / 2
    return [makeFinding(readings, {
      id: 'memory-full',
      severity: share >= MEMORY_FULL.nearlyOver ? 'critical' : 'warning',
      title: `The container's memory is ${percent(share)} full: ${megabytes(usedBytes)} of ${megabytes(limitBytes)}.`,
      lostMs: 0,
      share,
      what: `${megabytes(processBytes)} of it belong to its processes${rssBytes === null ? '' : `, ${megabytes(rssBytes)} to this one`}` +
        `${reclaimed === 0 ? '' : `; its use was at a limit ${reclaimed} times`}${killed === 0 ? '' : `; ${killed} of its processes were killed for it`}.`,
      why: 'at the limit the kernel ends a process of the container at once, without an error and without a log line of the process',
      instead: isOthers
        ? 'most of it is not of this process: look at the other processes of the container, and at files in memory (tmpfs)'
        : 'see who owns the memory; limit what is kept; give V8 a limit below that of the container (--max-old-space-size), or raise the container\'s',
      evidence: { usedBytes, limitBytes, highBytes, processBytes, reclaimed, killed, basis },
      next: [`npx loopscope memory ${readings.pid}`, `npx loopscope heap ${readings.pid} --kind profile --seconds 10`]
    })]
  }
}

module.exports = { memoryFull, memoryGrows }
