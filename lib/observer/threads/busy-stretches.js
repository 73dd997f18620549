'use strict'

// When a thread was at work without a pause: that is what can be seen of its loop from outside. A message to its inspector is answered in the
// middle of its JavaScript (tried on Node 20 to 26), so it does not tell whether the loop turns; samples do. Pure.

/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */

// V8's own around what runs: neither work nor a pause.
const BETWEEN = new Set(['(root)', '(program)'])
const INTERVAL_MICROS = 20_000 // half as often as the recorder: there are many threads, and their stalls are long
// On a crowded machine the sampler waits its turn as well. What lies between two samples that are further apart is not known.
const MAX_GAP_MICROS = 250_000

/**
 * @typedef {{ fromMicros: number, toMicros: number, samples: number }} Stretch  samples: that saw it
 * @typedef {object} BusyTime
 * @property {number} busyMicros
 * @property {Stretch[]} stretches  in order
 * @property {boolean} isOpenAtStart  the first one may have begun before the profile
 * @property {boolean} isOpenAtEnd
 */

/**
 * @param {CpuProfile} profile  in order; a thread that waits is idle in it
 * @returns {BusyTime}
 */
function busyStretches ({ nodes, samples, timeDeltas, startTime }) {
  const kinds = new Map(nodes.map(node => [node.id, kindOf(node)]))
  /** @type {Stretch[]} */
  const stretches = []
  /** @type {Stretch | null} */
  let open = null
  let isOpenAtStart = true
  let busyMicros = 0
  let at = startTime
  samples.forEach((id, index) => {
    at += timeDeltas[index]
    const kind = kinds.get(id)
    if (kind === 'idle') {
      open = null
      isOpenAtStart &&= stretches.length > 0
    }
    if (kind !== 'busy') return
    busyMicros += Math.min(timeDeltas[index], MAX_GAP_MICROS)
    if (open === null || at - open.toMicros > MAX_GAP_MICROS) {
      open = { fromMicros: at - Math.min(timeDeltas[index], INTERVAL_MICROS), toMicros: at, samples: 1 }
      stretches.push(open)
    } else {
      open.toMicros = at
      open.samples++
    }
  })
  return { busyMicros, stretches, isOpenAtStart: isOpenAtStart && stretches.length > 0, isOpenAtEnd: open !== null }
}

/** @param {ProfileNode} node */
function kindOf ({ callFrame: { functionName, url } }) {
  if (url === '' && functionName === '(idle)') return 'idle'
  return url === '' && BETWEEN.has(functionName) ? 'between' : 'busy'
}

module.exports = { INTERVAL_MICROS, MAX_GAP_MICROS, busyStretches }
