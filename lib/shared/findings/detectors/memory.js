'use strict'

// Findings about memory: the collector's time, a heap on its way to its limit, and memory outside the heap that grows. Each is one object.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { areBuffers, observedMsOf, outsideHeapOf, ranShare, sumStalls } = require('../readings')
const { duration, megabytes, percent, placed, rounded, times } = require('../format-text')

/** @import { Detector } from '../finding' */
/** @import { Readings } from '../readings' */

const GC_PRESSURE = Object.freeze({
  // A healthy service spends some percent of its busy time on collections, one that parses much up to a fifth.
  minBusyShare: 0.25,
  // And it must be a loss: of the whole time.
  minTimeShare: 0.05,
  sampleMs: 10
})

/**
 * The collector has much of the busy time: the application allocates faster than it needs to.
 * @type {Detector}
 */
const gcPressure = {
  ids: ['gc-pressure'],
  explains: ['slow-elsewhere', 'many-short-turns'],
  find (readings) {
    const { activity, pid } = readings
    if (activity === null) return []
    const { gcMs, busyMs, categories: { collected: { where } } } = activity
    const share = busyMs === 0 ? 0 : gcMs / busyMs
    if (gcMs < MIN_SAMPLES * GC_PRESSURE.sampleMs || share < GC_PRESSURE.minBusyShare || gcMs < observedMsOf(readings) * GC_PRESSURE.minTimeShare) return []
    const stalls = sumStalls(readings, ['gc'])
    const stalled = stalls.count === 0 ? '' : `, in ${times(stalls.count, 'stall')} of up to ${duration(stalls.longestMs)}`
    return [makeFinding(readings, {
      id: 'gc-pressure',
      title: `The garbage collector takes ${percent(share)} of the loop's busy time${where === null ? '' : `, most of it while ${placed(where)} runs`}.`,
      lostMs: gcMs * ranShare(readings),
      what: `Collections held the loop for ${duration(gcMs)} of the last ${duration(observedMsOf(readings))}${stalled}.`,
      where: where && { ...where, via: null, route: null },
      why: 'what is allocated has to be collected, and while the collector marks and moves nothing else runs',
      instead: insteadOf(readings),
      evidence: { gcMs: rounded(gcMs), busyShare: rounded(share, 3), gcStalls: stalls.count },
      confidence: where === null ? 'medium' : 'high',
      next: [`npx loopscope heap ${pid} --kind profile --seconds 10 --mode all`]
    })]
  }
}

/**
 * Buffers count towards the next collection as objects do: where they are what fills the memory, more of them are no advice.
 * @param {Readings} readings
 */
function insteadOf (readings) {
  const outside = outsideHeapOf(readings)
  const heapBytes = readings.process?.memory.heapUsedBytes ?? 0
  if (outside !== null && areBuffers(outside) && outside.buffersBytes > heapBytes) {
    return `keep fewer Buffers at a time, which hold ${megabytes(outside.buffersBytes)} outside the heap and make V8 collect: pass them on as streams, ` +
      'fill one again instead of allocating another, bound what is kept'
  }
  return 'allocate less there (no copies, smaller pieces, streams), keep large data out of the heap (Buffer), or give the young generation more room with --max-semi-space-size'
}

const HEAP_GROWS = Object.freeze({
  // V8 collects in earnest long before the limit: what is still there at this level is in use.
  full: 0.75,
  nearlyOver: 0.9,
  soonMinutes: 60
})

/**
 * The heap on its way to its limit, where the process dies. Only of a watched heap is the slope known; of any other, how full it is.
 * @type {Detector}
 */
const heapGrows = {
  ids: ['heap-grows'],
  // The nearer the limit, the more it collects.
  explains: ['gc-pressure', 'slow-elsewhere'],
  find (readings) {
    const { process, activity, pid } = readings
    if (process === null) return []
    const { memory } = process
    const level = memory.oldBytes / memory.limitBytes
    const isGrowing = memory.trend?.verdict === 'growing'
    if (!isGrowing && level < HEAP_GROWS.full) return []
    const minutes = memory.trend?.minutesToLimit ?? null
    const isSoon = level >= HEAP_GROWS.nearlyOver || (minutes !== null && minutes <= HEAP_GROWS.soonMinutes)
    return [makeFinding(readings, {
      id: 'heap-grows',
      severity: isSoon || level >= HEAP_GROWS.full ? 'critical' : 'warning',
      title: isGrowing
        ? `The heap grows by ${megabytes(memory.trend?.bytesPerMinute ?? 0)} a minute${minutes === null ? '' : ` and reaches its limit in about ${duration(minutes * 60_000)}`}.`
        : `The heap is nearly full: ${megabytes(memory.oldBytes)} of ${megabytes(memory.limitBytes)} are in use.`,
      lostMs: activity?.gcMs ?? 0,
      share: Math.min(1, level),
      what: `The old generation holds ${megabytes(memory.oldBytes)}, ${percent(level)} of its limit, after ${duration(process.uptimeMs)}.`,
      why: 'something keeps a hold on what is not needed any more, or too much is kept on purpose; at the limit the process dies',
      instead: 'find what holds it with two snapshots, bound what is kept (caches, queues, listeners), or raise --max-old-space-size where it is needed',
      evidence: {
        oldBytes: memory.oldBytes, limitBytes: memory.limitBytes, bytesPerMinute: memory.trend?.bytesPerMinute ?? null, minutesToLimit: minutes && rounded(minutes)
      },
      confidence: isGrowing || level >= HEAP_GROWS.nearlyOver ? 'high' : 'medium',
      next: [
        `npx loopscope heap ${pid} -o before.heapsnapshot`,
        `npx loopscope heap ${pid} -o after.heapsnapshot`,
        'npx loopscope diff before.heapsnapshot after.heapsnapshot'
      ]
    })]
  }
}

const BUFFERS_GROW = Object.freeze({
  // Less is what a pool or a burst of uploads takes.
  minGrownBytes: 100e6,
  // Of what is held now: else most of it was there before.
  minNewShare: 0.5,
  // Of the memory of the process: else it is something else that makes it large.
  minRssShare: 0.25
})

/**
 * The process holds more and more memory outside of V8's heap: Buffers, or what native code allocates. No limit of V8 holds it back: the
 * container's does.
 * @type {Detector}
 */
const buffersGrow = {
  ids: ['buffers-grow'],
  // Each Buffer counts towards the next collection.
  explains: ['gc-pressure'],
  find (readings) {
    const outside = outsideHeapOf(readings)
    if (outside === null) return []
    const { activity, pid } = readings
    const { rssBytes, externalBytes, buffersBytes, grownBytes, grownForMs } = outside
    const share = Math.min(1, externalBytes / rssBytes)
    if (grownBytes < BUFFERS_GROW.minGrownBytes || grownBytes < externalBytes * BUFFERS_GROW.minNewShare || share < BUFFERS_GROW.minRssShare) return []
    const isOfBuffers = areBuffers(outside)
    const where = (isOfBuffers && activity?.categories.buffers.where) || null
    return [makeFinding(readings, {
      id: 'buffers-grow',
      severity: 'warning',
      title: `Memory outside the heap grows: ${isOfBuffers ? 'Buffers' : 'memory of native code'}, by ${megabytes(grownBytes)} in ${duration(grownForMs)}` +
        `${where === null ? '' : `, most of the work on them in ${placed(where)}`}.`,
      lostMs: activity?.gcMs ?? 0,
      share,
      what: `The process holds ${megabytes(externalBytes)} outside the heap, ${percent(share)} of its ${megabytes(rssBytes)} of memory, ` +
        `of which Buffers are ${megabytes(buffersBytes)}.`,
      where: where && { ...where, via: null, route: null },
      why: 'something keeps them, or they come faster than they are used; V8 does not limit this memory, so that the process grows until the system ends it',
      instead: isOfBuffers
        ? 'let go of Buffers that are not needed any more; bound caches and queues of them by bytes; pass large bodies on as streams instead of collecting them'
        : 'close what native modules hold (images, database handles, compressors), and bound how many of them there are at a time',
      evidence: { rssBytes, externalBytes, buffersBytes, grownBytes, grownForMs: Math.round(grownForMs) },
      confidence: where === null ? 'medium' : 'high',
      next: [
        `npx loopscope heap ${pid} -o before.heapsnapshot`,
        `npx loopscope heap ${pid} -o after.heapsnapshot`,
        'npx loopscope diff before.heapsnapshot after.heapsnapshot'
      ]
    })]
  }
}

module.exports = { buffersGrow, gcPressure, heapGrows }
