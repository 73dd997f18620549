'use strict'

// Counts threads that wait in Atomics.wait(), as threads of a pool wait for work, as idle: V8's samples show the calling function as running,
// with the line. The source text of that line shows the wait. Pure but for the source lines.

const { fileURLToPath } = require('node:url')
const { sum } = require('../../base/sums')
const { idleUnless } = require('../../formats/profile/nodes')

/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */

const WAIT = /\bAtomics\s*\.\s*wait\s*\(/
// Share of a function's samples in the wait: above this it does little else.
const MOST = 0.8
const MIN_TICKS = 5 // with fewer samples the file is not worth reading

/** @param {CpuProfile} profile @param {Pick<SourceLines, 'read'>} source @returns {CpuProfile} */
function withIdleWaits (profile, source) {
  const waiting = new Set(profile.nodes.filter(node => isWaiting(node, source)).map(({ id }) => id))
  return waiting.size === 0 ? profile : idleUnless(profile, index => !waiting.has(profile.samples[index])).profile
}

/** @param {ProfileNode} node @param {Pick<SourceLines, 'read'>} source */
function isWaiting ({ callFrame: { url }, positionTicks = [] }, source) {
  if (!url.startsWith('file:') || positionTicks.length === 0) return false
  const ticksOf = (/** @type {{ ticks: number }[]} */ some) => sum(some, ({ ticks }) => ticks)
  const all = ticksOf(positionTicks)
  if (all < MIN_TICKS) return false
  const lines = positionTicks.filter(({ ticks }) => ticks >= all * (1 - MOST)) // lines with few samples do not decide
  const waits = lines.filter(({ line }) => source.read(fileURLToPath(url), line).some(text => WAIT.test(text)))
  return ticksOf(waits) >= all * MOST
}

module.exports = { withIdleWaits }
