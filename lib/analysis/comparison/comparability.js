'use strict'

// Whether two snapshots number the same objects alike. If not, comparing them object by object shows a wrong difference that
// looks right: nearly all numbers are there in both, and name other objects.

const { matchIds, NONE } = require('./match-ids')

/** @import { Baseline } from './baseline' */

const MIN_AGREEMENT = 0.9 // of objects with the same number that are of the same class; one process: 99 % and more
const MIN_SHARED = 1000

/**
 * @typedef {object} SnapshotFacts  what is known of a snapshot beside itself; all may be missing
 * @property {number} [pid]
 * @property {number} [startedAt]
 * @property {string} [nodeVersion]
 * @property {number[]} [canaryIds]
 * @property {number} [takenAt]
 */

/**
 * @param {{ baseline: Baseline, facts: SnapshotFacts }} before
 * @param {{ baseline: Baseline, facts: SnapshotFacts }} after
 * @returns {string | null} why not, in words; null: they do
 */
function whyIncomparable (before, after) {
  const reasons = [differentProcess(before.facts, after.facts), differentCanaries(before.facts, after.facts)]
  return reasons.find(reason => reason !== null) ?? differentObjects(before.baseline, after.baseline)
}

/**
 * @param {SnapshotFacts} before
 * @param {SnapshotFacts} after
 */
function differentProcess (before, after) {
  const versions = [before, after].map(({ nodeVersion }) => nodeVersion?.split('.')[0])
  if (versions[0] && versions[1] && versions[0] !== versions[1]) return `they are of Node.js ${before.nodeVersion} and ${after.nodeVersion}`
  if (isBoth(before.pid, after.pid) && before.pid !== after.pid) return `they are of two processes, ${before.pid} and ${after.pid}`
  if (isBoth(before.startedAt, after.startedAt) && before.startedAt !== after.startedAt) return 'the process was started anew between them'
  return null
}

/**
 * @param {SnapshotFacts} before
 * @param {SnapshotFacts} after
 */
function differentCanaries ({ canaryIds: before = [] }, { canaryIds: after = [] }) {
  if (before.length === 0 || after.length === 0 || before.join() === after.join()) return null
  return 'objects were numbered anew between them: an inspector session has ended, of a debugger or of another tool'
}

/**
 * @param {unknown} a
 * @param {unknown} b
 */
function isBoth (a, b) {
  return a !== undefined && b !== undefined
}

/**
 * @param {Baseline} before
 * @param {Baseline} after
 */
function differentObjects (before, after) {
  const { again } = matchIds(before.id, after.id)
  const names = numberNames([...before.classes, ...after.classes])
  const firstOfAfter = before.classes.length
  let shared = 0
  let alike = 0
  for (let a = 0; a < again.length; a++) {
    const b = again[a]
    if (b === NONE || before.id[a] % 2 === 0) continue
    shared++
    if (names[before.classOf[a]] === names[firstOfAfter + after.classOf[b]]) alike++
  }
  if (shared < MIN_SHARED) return `they have only ${shared} numbers of objects in common`
  if (alike >= shared * MIN_AGREEMENT) return null
  return `${Math.round((1 - alike / shared) * 100)} % of the numbers that both have are objects of another class`
}

/**
 * Numbers are compared at once; names are other strings in each snapshot.
 * @param {readonly { name: string }[]} classes
 * @returns {Uint32Array} equal where the names are
 */
function numberNames (classes) {
  const numbers = new Map(classes.map(({ name }, number) => [name, number]))
  return Uint32Array.from(classes, ({ name }) => /** @type {number} */ (numbers.get(name)))
}

module.exports = { whyIncomparable }
