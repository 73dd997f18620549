'use strict'

// Two or three heap snapshot files in, one report out: what changed by class, and who is to be suspected. It takes seconds and
// memory: it runs in a worker thread or the command line.

const path = require('node:path')
const { toBaseline } = require('./baseline')
const { compare, compareTotals } = require('./comparison')
const { whyIncomparable } = require('./comparability')
const { loadSnapshots, readFacts } = require('./load-snapshots')
const { findSuspects } = require('../suspects/suspects')
const { headlineOf } = require('../suspects/headline')
const { withDeclaration } = require('../suspects/places')
const { errors } = require('../../shared/base/errors')

/** @import { Analysis, Progress } from './analyze' */
/** @import { Balance, ClassChange } from './comparison' */
/** @import { Side } from './load-snapshots' */
/** @import { Suspect } from '../suspects/suspects' */

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
 */

const MAX_SNAPSHOTS = 3

/**
 * @param {readonly string[]} files  two or three, the oldest first; all but the last may be a `.heapindex`
 * @param {object} [options]
 * @param {boolean} [options.isClassic]
 * @param {boolean} [options.isParallel]  the older ones are read in a thread of their own meanwhile, where they are large
 * @param {(progress: Progress & { file: string }) => void} [options.onProgress]  of what this thread does
 * @param {AbortSignal} [options.signal]
 * @param {(file: string) => string | null} [options.readSource]  the text of a source file, to find where a variable is declared
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
 * @param {readonly Side[]} earlier
 * @param {Side} newest
 * @param {Analysis} latest
 * @param {((file: string) => string | null) | undefined} readSource
 * @returns {HeapReport}
 */
function report (earlier, newest, latest, readSource) {
  const [oldest] = earlier
  const incomparable = earlier.map(side => whyIncomparable(side, newest)).find(reason => reason !== null) ?? null
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

module.exports = { compareFiles }
