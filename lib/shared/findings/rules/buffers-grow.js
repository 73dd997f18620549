'use strict'

// The process holds more and more memory outside of V8's heap: Buffers, or what native code allocates. No limit of V8 holds it back: the
// container's does.

const { makeFinding } = require('../finding')
const { areBuffers, outsideHeapOf } = require('../readings')
const { duration, megabytes, percent, placed } = require('../words')

/** @import { Rule } from '../finding' */

// Less is what a pool or a burst of uploads takes.
const MIN_GROWN_BYTES = 100e6
// Of what is held now: else most of it was there before.
const MIN_NEW_SHARE = 0.5
// Of the memory of the process: else it is something else that makes it large.
const MIN_RSS_SHARE = 0.25

/** @type {Rule} */
module.exports = {
  ids: ['buffers-grow'],
  // Each Buffer counts towards the next collection.
  explains: ['gc-pressure'],
  find (readings) {
    const outside = outsideHeapOf(readings)
    if (outside === null) return []
    const { activity, pid } = readings
    const { rssBytes, externalBytes, buffersBytes, grownBytes, grownForMs } = outside
    const share = Math.min(1, externalBytes / rssBytes)
    if (grownBytes < MIN_GROWN_BYTES || grownBytes < externalBytes * MIN_NEW_SHARE || share < MIN_RSS_SHARE) return []
    const isOfBuffers = areBuffers(outside)
    const where = (isOfBuffers && activity?.topics.buffers.where) || null
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
