'use strict'

// How sure a suspicion is, and why. The limits are chosen on applications that leak and others that only warm up
// (test/heap/suspects.slow.test.js); below them growth is what every process shows.

/** @import { Description, Suspect } from './suspects' */

const MIN_BYTES = 256 * 1024
const MIN_SHARE = 0.25 // of the heap's growth
const MUCH_BYTES = 4e6 // or as much as this, whatever the share
const MIN_OBJECTS = 20 // fewer new objects are a few large ones: a buffer, a file
const MIN_AGAIN = 0.25 // of what it grew between the first two snapshots, between the next two

/**
 * @param {Description & { share: number }} suspect
 * @returns {Suspect}
 */
function judge ({ bytes, ...suspect }) {
  const doubts = [...doubtsOf(suspect)]
  if (doubts.length > 0) return { ...suspect, confidence: 'low', reasons: doubts }
  if (bytes.length < 3) {
    const reason = 'two snapshots cannot tell a leak from a cache that is still filling: take a third'
    return { ...suspect, confidence: 'medium', reasons: [reason] }
  }
  const [first, then] = [bytes[1] - bytes[0], bytes[2] - bytes[1]]
  if (then < first * MIN_AGAIN) {
    return { ...suspect, confidence: 'low', reasons: ['it hardly grew again between the second and the third snapshot'] }
  }
  return { ...suspect, confidence: 'high', reasons: ['it grew between the first two snapshots, and again between the next two'] }
}

/** @param {Omit<Description, 'bytes'> & { share: number }} suspect */
function * doubtsOf ({ growthBytes, share, newObjects, objects, className, path }) {
  if (growthBytes < MIN_BYTES) yield 'it grew by less than every process does'
  if (share < MIN_SHARE && growthBytes < MUCH_BYTES) yield 'most of the growth is elsewhere'
  if (newObjects + objects < MIN_OBJECTS) yield 'it gained only a few objects'
  if (className === '(synthetic)' || path.length === 0) yield "V8's own roots hold it, perhaps only at this moment"
}

module.exports = { judge }
