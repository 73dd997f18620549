'use strict'

// Detectors of memory problems: time of the garbage collector, a heap that grows or approaches its limit, and growing memory outside the heap. Memory of
// worker threads, of native code and of the container is judged in container.js.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { growingOf, keepingSiteOf, limitOf } = require('../growing')
const { entranceOf, hotSpotAt } = require('./hot-spot')
const { areBuffers, mayHaveWaited, observedMsOf, outsideHeapOf, ranShare, sumStalls } = require('../../../shared/findings/readings')
const { duration, megabytes, percent, placed, rounded, sentences, times } = require('../../../shared/findings/format-text')

/** @import { Detector } from '../finding' */
/** @import { Readings } from '../../../shared/findings/readings' */

const GC_PRESSURE = Object.freeze({
  // A healthy service spends a few percent of its busy time on collections, one that parses a lot up to a fifth.
  minBusyShare: 0.25,
  // And this share of the whole time, so that it is a real loss.
  minTimeShare: 0.05,
  // Of the time of the collector: making a Buffer is quick where its memory is not used yet.
  minBuffersShare: 0.1,
  sampleMs: 10
})

/** The garbage collector has much of the busy time, because the application allocates a lot. @type {Detector} */
const gcPressure = {
  ids: ['gc-pressure'],
  explains: ['slow-elsewhere', 'many-short-turns'],
  find (readings, found) {
    const { activity, pid } = readings
    if (activity === null || mayHaveWaited(readings)) return []
    const { gcMs, hotSpots, categories: { collected: { where } } } = activity
    const spot = hotSpotAt(hotSpots, where)
    const via = spot?.culprit.via ?? null
    const share = gcShareOf(activity)
    // A collection waits for its helper threads too, which are late where CPUs are short.
    const lostMs = gcMs * ranShare(readings)
    if (gcMs < MIN_SAMPLES * GC_PRESSURE.sampleMs || share < GC_PRESSURE.minBusyShare || lostMs < observedMsOf(readings) * GC_PRESSURE.minTimeShare) return []
    // What a call takes and what it leaves to be collected are one problem.
    const isConsequence = where !== null && found.some(one => one.id.startsWith('hot-') && one.severity !== 'info' && one.lostMs >= lostMs && one.where?.file === where.file && one.where.line === where.line)
    const stalls = sumStalls(readings, ['gc'])
    const stalled = stalls.count === 0 ? '' : `, in ${times(stalls.count, 'stall')} of up to ${duration(stalls.longestMs)}`
    return [makeFinding(readings, {
      id: 'gc-pressure',
      ...(isConsequence && { severity: /** @type {const} */ ('info') }),
      title: `The garbage collector takes ${isConsequence ? 'another ' : ''}${percent(share)} of the loop's busy time${where === null ? '' : `, most of it while ${placed(where)} ${via === null ? 'runs' : `calls ${entranceOf(via)}`}`}.`,
      lostMs,
      what: sentences(`Collections held the loop for ${duration(lostMs)} of the last ${duration(observedMsOf(readings))}${stalled}.`, isConsequence && 'The same line has a finding of its own: with less work there, less is collected.'),
      where: where && { ...where, via, route: spot?.route ?? null },
      why: 'everything that is allocated has to be collected, and while the collector marks and moves objects, nothing else runs',
      // The application cannot change what a package allocates, only what it calls.
      instead: via === null ? insteadOf(readings) : `call ${entranceOf(via)} less often or with less data, and keep what it returns; otherwise ${insteadOf(readings)}`,
      evidence: { gcMs: rounded(gcMs), busyShare: rounded(share, 3), gcStalls: stalls.count },
      confidence: where === null ? 'medium' : 'high',
      next: [`npx loopscope heap ${pid} --kind profile --seconds 10 --mode all`]
    })]
  }
}

/** @param {Readings['activity']} activity */
function gcShareOf (activity) {
  return activity === null || activity.busyMs === 0 ? 0 : activity.gcMs / activity.busyMs
}

/**
 * Buffers trigger collections like objects do: if they fill the memory, using more of them is the wrong advice.
 * @param {Readings} readings
 */
function insteadOf (readings) {
  const outside = outsideHeapOf(readings)
  const heapBytes = readings.process?.memory.heapUsedBytes ?? 0
  if (outside !== null && areBuffers(outside) && outside.buffersBytes > heapBytes) {
    return `keep fewer Buffers at a time: they hold ${megabytes(outside.buffersBytes)} outside the heap and trigger collections. Use streams, reuse Buffers ` +
      'instead of allocating new ones, and limit how many are kept'
  }
  const { gcMs, categories: { collected, buffers } } = /** @type {NonNullable<Readings['activity']>} */ (readings.activity)
  const isOfBuffers = buffers.where !== null && buffers.ms >= gcMs * GC_PRESSURE.minBuffersShare && buffers.where.line === collected.where?.line && buffers.where.file === collected.where.file
  if (isOfBuffers) return 'make fewer and smaller Buffers there: each brings the next collection closer. Use streams, and reuse Buffers instead of allocating new ones'
  return 'allocate less there (no copies, smaller chunks, streams), keep large data outside the heap (Buffer), or enlarge the young generation with --max-semi-space-size'
}

const HEAP_GROWS = Object.freeze({
  // V8 collects thoroughly long before the limit: what remains at this level is in use.
  full: 0.75,
  nearlyOver: 0.9,
  soonMinutes: 60,
  notableGc: 0.1 // of the busy time
})

/**
 * The heap approaches its limit, at which the process dies. The slope is known only for a watched heap, else only how full it is.
 * @type {Detector}
 */
const heapGrows = {
  ids: ['heap-grows'],
  // V8 collects more often near the limit.
  explains: ['gc-pressure', 'slow-elsewhere'],
  find (readings) {
    const { process, activity, pid } = readings
    if (process === null) return []
    const { memory } = process
    const level = memory.oldBytes / memory.limitBytes
    const growing = growingOf(readings, 'heap')
    const isGrowing = memory.trend?.verdict === 'growing' || growing !== null
    if (!isGrowing && level < HEAP_GROWS.full) return []
    const bytesPerMinute = memory.trend?.verdict === 'growing' ? memory.trend.bytesPerMinute : growing?.bytesPerMinute ?? 0
    const minutesOfHeap = memory.trend?.minutesToLimit ?? (memory.limitBytes - memory.oldBytes) / bytesPerMinute
    const limit = isGrowing ? limitOf(readings, bytesPerMinute, minutesOfHeap) : null
    const site = isGrowing ? keepingSiteOf(readings, { owner: 'heap', name: null, bytesPerMinute }) : null
    const isSoon = limit !== null && limit.minutes <= HEAP_GROWS.soonMinutes
    const gcShare = gcShareOf(activity)
    return [makeFinding(readings, {
      id: 'heap-grows',
      severity: isSoon || level >= HEAP_GROWS.full ? 'critical' : 'warning',
      title: isGrowing
        ? `The heap grows by ${megabytes(bytesPerMinute)} per minute${limit === null ? '' : ` and reaches ${limit.text}`}${site?.title ?? ''}.`
        : `The heap is nearly full: ${megabytes(memory.oldBytes)} of ${megabytes(memory.limitBytes)} are in use.`,
      lostMs: activity?.gcMs ?? 0,
      share: Math.min(1, level),
      what: sentences(
        `The old generation holds ${megabytes(memory.oldBytes)}, ${percent(level)} of its limit, after ${duration(process.uptimeMs)}.`,
        gcShare >= HEAP_GROWS.notableGc && `The garbage collector takes ${percent(gcShare)} of the loop's busy time: V8 collects more often the fuller the heap is.`,
        site?.what
      ),
      where: site && site.where,
      why: 'something keeps references to objects that are no longer needed, or too much is kept on purpose; at the limit the process dies',
      instead: site?.instead ?? 'find what keeps the memory by comparing two snapshots, limit what is kept (caches, queues, listeners), or raise --max-old-space-size if it is needed',
      evidence: {
        oldBytes: memory.oldBytes, limitBytes: memory.limitBytes, bytesPerMinute: isGrowing ? Math.round(bytesPerMinute) : null, minutesToLimit: limit && rounded(limit.minutes), gcShare: rounded(gcShare, 3), ...site?.evidence
      },
      confidence: isGrowing || level >= HEAP_GROWS.nearlyOver ? 'high' : 'medium',
      next: [
        site === null ? `npx loopscope memory ${pid} --sites --seconds 60` : `npx loopscope memory ${pid} --sites`,
        `npx loopscope heap ${pid} -o before.heapsnapshot`,
        `npx loopscope heap ${pid} -o after.heapsnapshot`,
        'npx loopscope diff before.heapsnapshot after.heapsnapshot'
      ]
    })]
  }
}

const BUFFERS_GROW = Object.freeze({
  // A pool or a burst of uploads can take less than this.
  minGrownBytes: 100e6,
  // Share of the current size: with less, most of it was there before.
  minNewShare: 0.5,
  // Share of the memory of the process: with less, something else makes it large.
  minRssShare: 0.25,
  soonMinutes: 60
})

const BUFFERS = Object.freeze({
  name: 'Buffers',
  instead: 'drop references to Buffers that are no longer needed; limit caches and queues of them by bytes; stream large bodies instead of collecting them'
})
const NATIVE = Object.freeze({
  name: 'memory of native code',
  instead: 'close the objects of native modules (images, database handles, compressors), drop references to WebAssembly memories, and limit how many exist at a time'
})

/**
 * The process holds more and more memory outside V8's heap: Buffers, or memory of native code. No limit of V8 applies, only that of the
 * container.
 * @type {Detector}
 */
const buffersGrow = {
  ids: ['buffers-grow'],
  // Each Buffer brings the next collection closer.
  explains: ['gc-pressure'],
  find (readings) {
    const outside = outsideHeapOf(readings)
    if (outside === null) return []
    const { activity, pid } = readings
    const { rssBytes, externalBytes, buffersBytes } = outside
    const share = Math.min(1, externalBytes / rssBytes)
    const growing = growingOf(readings, 'buffers', 'external')
    const isLarge = outside.grownBytes >= BUFFERS_GROW.minGrownBytes && outside.grownBytes >= externalBytes * BUFFERS_GROW.minNewShare && share >= BUFFERS_GROW.minRssShare
    if (!isLarge && growing === null) return []
    const { grownBytes, grownForMs } = isLarge || growing === null ? outside : { grownBytes: growing.grownBytes, grownForMs: growing.minutes * 60_000 }
    const bytesPerMinute = growing?.bytesPerMinute ?? null
    const limit = bytesPerMinute === null ? null : limitOf(readings, bytesPerMinute)
    const isOfBuffers = growing === null ? areBuffers(outside) : growing.owner === 'buffers'
    const site = keepingSiteOf(readings, growing)
    // Where nothing was sampled yet. Else it is known that they do not come from there.
    const used = (isOfBuffers && readings.memory?.sites == null && activity?.categories.buffers.where) || null
    const where = site?.where ?? (used && { ...used, via: null, route: null })
    const kind = isOfBuffers ? BUFFERS : NATIVE
    return [makeFinding(readings, {
      id: 'buffers-grow',
      severity: limit !== null && limit.minutes <= BUFFERS_GROW.soonMinutes ? 'critical' : 'warning',
      title: `Memory outside the heap grows: ${kind.name}, by ${megabytes(grownBytes)} in ${duration(grownForMs)}` +
        `${limit === null ? '' : `, and reaches ${limit.text}`}${site?.title ?? (where === null ? '' : `, most of them used in ${placed(where)}`)}.`,
      lostMs: activity?.gcMs ?? 0,
      share,
      what: sentences(`The process holds ${megabytes(externalBytes)} outside the heap, ${percent(share)} of its ${megabytes(rssBytes)} of memory; ` +
        `${megabytes(buffersBytes)} of that are Buffers.`, site?.what),
      where,
      why: 'something keeps them, or they are created faster than they are used; V8 does not limit this memory, so the process grows until the system kills it',
      instead: site?.instead ?? kind.instead,
      evidence: { rssBytes, externalBytes, buffersBytes, grownBytes, grownForMs: Math.round(grownForMs), bytesPerMinute: bytesPerMinute && Math.round(bytesPerMinute), minutesToLimit: limit && rounded(limit.minutes), ...site?.evidence },
      confidence: site === null ? 'medium' : 'high',
      next: [
        `npx loopscope memory ${pid} --sites${site === null ? ' --seconds 60' : ''}`,
        `npx loopscope heap ${pid} -o before.heapsnapshot`,
        `npx loopscope heap ${pid} -o after.heapsnapshot`,
        'npx loopscope diff before.heapsnapshot after.heapsnapshot'
      ]
    })]
  }
}

module.exports = { buffersGrow, gcPressure, heapGrows }
