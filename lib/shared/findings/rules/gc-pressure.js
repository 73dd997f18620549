'use strict'

// The collector has much of the busy time: the application allocates faster than it needs to.

const { makeFinding, MIN_SAMPLES } = require('../finding')
const { areBuffers, observedMsOf, outsideHeapOf, ranShare, sumStalls } = require('../readings')
const { duration, megabytes, percent, placed, rounded, times } = require('../words')

/** @import { Rule } from '../finding' */
/** @import { Readings } from '../readings' */

// A healthy service spends some percent of its busy time on collections, one that parses much up to a fifth.
const MIN_BUSY_SHARE = 0.25
// And it must be a loss: of the whole time.
const MIN_TIME_SHARE = 0.05
const SAMPLE_MS = 10

/** @type {Rule} */
module.exports = {
  ids: ['gc-pressure'],
  explains: ['slow-elsewhere', 'many-short-turns'],
  find (readings) {
    const { activity, pid } = readings
    if (activity === null) return []
    const { gcMs, busyMs, topics: { collected: { where } } } = activity
    const share = busyMs === 0 ? 0 : gcMs / busyMs
    if (gcMs < MIN_SAMPLES * SAMPLE_MS || share < MIN_BUSY_SHARE || gcMs < observedMsOf(readings) * MIN_TIME_SHARE) return []
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
