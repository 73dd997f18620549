'use strict'

// Who held the loop as far as the looks of a stall tell, where next to no samples do: the one function of the application that all of
// them were in. A look is read at a moment that V8 chooses, and there are few of them: one that shows another function, and nobody is
// named. Pure: looks in, plain data out.

const { findCulprit } = require('./find-culprit')
const { lookProfile } = require('./look-profile')
const { hasNotBegun } = require('./matching-stacks')

/** @import { Culprit } from '../../../../types/diagnostics' */
/** @import { Look } from './blocked-stacks' */
/** @import { Findings } from './find-culprit' */
/** @import { SourceLines } from './source-lines' */

const MIN_LOOKS = 3
// What is asked for during one collection is answered when that ends, all at once: that is one moment, and says one thing. The period of
// the samples.
const MIN_APART_MICROS = 10e3

/**
 * @param {Look[]} looks  in order
 * @param {{ appRoot?: string, source?: SourceLines }} [context]
 * @returns {Findings | null} its share is that of the looks; null rather than a wrong one
 */
function seenCulprit (looks, context) {
  const apart = thoseApart(looks)
  if (apart.length < MIN_LOOKS) return null
  const found = find(apart, context)
  if (found.origin !== 'app' || found.culprit?.share !== 1) return null
  return looks.every(look => isSame(find([look], context).culprit, found.culprit)) ? found : null
}

/** @param {Look[]} looks */
function thoseApart (looks) {
  let lastMicros = -Infinity
  return looks.filter(({ atMicros }) => {
    if (atMicros - lastMicros < MIN_APART_MICROS) return false
    lastMicros = atMicros
    return true
  })
}

/**
 * @param {Look[]} looks
 * @param {Parameters<typeof findCulprit>[1]} context
 */
function find (looks, context) {
  const stacks = looks.map(({ stack }) => stack.slice(hasNotBegun(stack[0]) ? 1 : 0))
  return findCulprit(lookProfile(stacks), context, stacks)
}

/**
 * @param {Culprit | null} one
 * @param {Culprit | null} other
 */
function isSame (one, other) {
  return one?.function === other?.function && one?.file === other?.file && one?.functionLine === other?.functionLine
}

module.exports = { seenCulprit }
