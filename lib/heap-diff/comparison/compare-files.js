'use strict'

// Compares two or three heap snapshot files and creates a report: what changed by class, and the suspects of a leak. It takes seconds and much
// memory, so it runs in a worker thread or the command line.

const path = require('node:path')
const { errors } = require('../../base/errors')
const { headlineOf } = require('../report')
const { withDeclaration } = require('../suspects/places')
const { findSuspects } = require('../suspects/suspects')
const { toBaseline } = require('./baseline')
const { compare, compareTotals } = require('./comparison')
const { loadSnapshots, readFacts } = require('./load-snapshots')
const { matchIds, NONE } = require('./match-ids')

/** @import { Suspect } from '../suspects/suspects' */
/** @import { TakeFacts } from '../../probe/heap/take-snapshot' */
/** @import { Analysis, BaseSnapshot, LoadOptions } from './load-snapshots' */
/** @import { Baseline } from './baseline' */
/** @import { Balance, ClassChange } from './comparison' */

/**
 * @typedef {ClassChange & { isNoise: boolean }} ReportedClass  noise: V8's own, which changes in every process
 *
 * @typedef {object} HeapReport
 * @property {'loopscope-heap-comparison'} type
 * @property {1} version
 * @property {string} headline
 * @property {{ file: string, heapBytes: number, takenAt: number | null }[]} snapshots  the oldest first
 * @property {string | null} incomparable  why not object by object: then the classes are differences of totals
 * @property {Balance} balance
 * @property {number} codeGrowthBytes  compiled code and shapes: while it grows the application still warms up
 * @property {ReportedClass[]} classes
 * @property {Suspect[]} suspects
 *
 * @typedef {Partial<Pick<TakeFacts, 'pid' | 'startedAt' | 'nodeVersion' | 'takenAt'> & { canaryIds: number[] }>} SnapshotFacts  what is known of a
 *   snapshot beside itself; all may be missing
 */

const MAX_SNAPSHOTS = 3
const MIN_AGREEMENT = 0.9 // of objects with the same number that are of the same class; one process: 99 % and more
const MIN_SHARED = 1000

/**
 * @param {readonly string[]} files  two or three, the oldest first; all but the last may be a `.heapindex`
 * @param {LoadOptions & { readSource?: (file: string) => string | null }} [options]  readSource: the text of a source file, to find where a
 *   variable is declared
 * @returns {Promise<HeapReport>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT, ERR_LOOPSCOPE_INVALID_OPTION
 */
async function compareFiles (files, { readSource, ...options } = {}) {
  if (files.length < 2 || files.length > MAX_SNAPSHOTS) {
    throw new errors.ERR_LOOPSCOPE_INVALID_OPTION('files', 'two or three heap snapshots', String(files.length))
  }
  const last = files[files.length - 1]
  const { earlier, latest } = await loadSnapshots(files, options)
  try {
    return report(earlier, { baseline: toBaseline(latest), facts: readFacts(last), file: last }, latest, readSource)
  } finally {
    latest.graph.close()
  }
}

/**
 * @param {readonly BaseSnapshot[]} earlier
 * @param {BaseSnapshot} newest
 * @param {Analysis} latest
 * @param {((file: string) => string | null) | undefined} readSource
 * @returns {HeapReport}
 */
function report (earlier, newest, latest, readSource) {
  const [oldest] = earlier
  const incomparable = earlier.map(base => whyIncomparable(base, newest)).find(reason => reason !== null) ?? null
  const { classes, balance } = (incomparable === null ? compare : compareTotals)(oldest.baseline, latest, newest.baseline)
  const { suspects, codeGrowthBytes } = incomparable === null
    ? findSuspects(earlier.map(({ baseline }) => baseline), latest, newest.baseline)
    : { suspects: [], codeGrowthBytes: 0 }
  const placed = readSource ? suspects.map(suspect => withDeclaration(suspect, readSource)) : suspects
  return {
    type: 'loopscope-heap-comparison',
    version: 1,
    headline: headlineOf({ beforeBytes: oldest.baseline.heapBytes, afterBytes: newest.baseline.heapBytes, suspects: placed }),
    snapshots: [...earlier, newest].map(({ file, baseline, facts }) => ({
      file: path.basename(file),
      heapBytes: baseline.heapBytes,
      takenAt: facts.takenAt ?? null
    })),
    incomparable,
    balance,
    codeGrowthBytes,
    classes: classes.map(change => ({ ...change, isNoise: isNoise(change) })),
    suspects: placed
  }
}

/**
 * Code and shapes grow by running; native objects are numbered anew each time, so that each is deleted and new.
 * @param {ClassChange} change
 */
function isNoise ({ name, newCount, deletedCount, allocatedBytes, freedBytes, grownBytes }) {
  return name === '(compiled code)' || name === '(object shape)' ||
    (newCount === deletedCount && allocatedBytes === freedBytes && grownBytes === 0)
}

/**
 * Whether two snapshots number the same objects alike. If not, comparing them object by object shows a wrong difference that looks right: nearly all
 * numbers are there in both, and name other objects.
 * @param {{ baseline: Baseline, facts: SnapshotFacts }} before
 * @param {{ baseline: Baseline, facts: SnapshotFacts }} after
 * @returns {string | null} the reason why not; null: they do
 */
function whyIncomparable (before, after) {
  const reasons = [differentProcess(before.facts, after.facts), differentCanaries(before.facts, after.facts)]
  return reasons.find(reason => reason !== null) ?? differentObjects(before.baseline, after.baseline)
}

/** @param {SnapshotFacts} before @param {SnapshotFacts} after */
function differentProcess (before, after) {
  const versions = [before, after].map(({ nodeVersion }) => nodeVersion?.split('.')[0])
  if (versions[0] && versions[1] && versions[0] !== versions[1]) return `they are of Node.js ${before.nodeVersion} and ${after.nodeVersion}`
  if (isBoth(before.pid, after.pid) && before.pid !== after.pid) return `they are of two processes, ${before.pid} and ${after.pid}`
  if (isBoth(before.startedAt, after.startedAt) && before.startedAt !== after.startedAt) return 'the process was restarted between them'
  return null
}

/** @param {SnapshotFacts} before @param {SnapshotFacts} after */
function differentCanaries ({ canaryIds: before = [] }, { canaryIds: after = [] }) {
  if (before.length === 0 || after.length === 0 || before.join() === after.join()) return null
  return 'V8 renumbered the objects between them: an inspector session of a debugger or another tool has ended'
}

/** @param {unknown} a @param {unknown} b */
function isBoth (a, b) {
  return a !== undefined && b !== undefined
}

/** @param {Baseline} before @param {Baseline} after */
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

module.exports = { compareFiles }
