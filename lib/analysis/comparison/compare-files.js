'use strict'

// Two or three heap snapshot files in, one report out: what changed by class, and who is to be suspected. It takes seconds and
// memory: it runs in a worker thread or the command line.

const fs = require('node:fs')
const path = require('node:path')
const { analyzeSnapshot } = require('./analyze')
const { toBaseline } = require('./baseline')
const { isBaselineFile, readBaseline } = require('./baseline-file')
const { compare } = require('./comparison')
const { whyIncomparable } = require('./comparability')
const { findSuspects } = require('../suspects/suspects')
const { headlineOf } = require('../suspects/headline')
const { withDeclaration } = require('../suspects/declaration')
const { compareTotals } = require('./totals')
const { errors } = require('../../shared/base/errors')

/** @import { Analysis, Progress } from './analyze' */
/** @import { Baseline } from './baseline' */
/** @import { Balance, ClassChange } from './comparison' */
/** @import { SnapshotFacts } from './comparability' */
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
 *
 * @typedef {{ baseline: Baseline, facts: SnapshotFacts, file: string }} Side
 */

const MAX_SNAPSHOTS = 3

/**
 * @param {readonly string[]} files  two or three, the oldest first; all but the last may be a `.heapindex`
 * @param {object} [options]
 * @param {boolean} [options.isClassic]
 * @param {(progress: Progress & { file: string }) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal]
 * @param {(file: string) => string | null} [options.readSource]  the text of a source file, to find where a variable is declared
 * @returns {Promise<HeapReport>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT, ERR_LOOPSCOPE_INVALID_OPTION
 */
async function compareFiles (files, { readSource, ...options } = {}) {
  if (files.length < 2 || files.length > MAX_SNAPSHOTS) {
    throw new errors.ERR_LOOPSCOPE_INVALID_OPTION('files', 'two or three heap snapshots', String(files.length))
  }
  const earlier = []
  for (const file of files.slice(0, -1)) earlier.push(await loadSide(file, options))
  const last = files[files.length - 1]
  const latest = await analyze(last, options)
  try {
    return report(earlier, { baseline: toBaseline(latest), facts: readFacts(last), file: last }, latest, readSource)
  } finally {
    latest.graph.close()
  }
}

/** @typedef {Omit<NonNullable<Parameters<typeof compareFiles>[1]>, 'readSource'>} Options */

/**
 * @param {string} file
 * @param {Options} options
 * @returns {Promise<Side>}
 */
async function loadSide (file, options) {
  if (isBaselineFile(file)) return loadIndex(file, options)
  const analysis = await analyze(file, options)
  analysis.graph.close()
  return { baseline: toBaseline(analysis), facts: readFacts(file), file }
}

/**
 * @param {string} file
 * @param {Options} options
 * @returns {Side}
 */
function loadIndex (file, { isClassic = false }) {
  const { baseline, facts } = readBaseline(file)
  const view = (/** @type {boolean} */ classic) => classic ? 'the classic view' : 'the view of DevTools'
  if (baseline.isClassic !== isClassic) {
    const got = `one of ${view(baseline.isClassic)}: use the snapshot itself`
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, `an index of ${view(isClassic)}`, got)
  }
  return { baseline, facts, file }
}

/**
 * @param {string} file
 * @param {Options} options
 */
function analyze (file, { onProgress = () => {}, ...options }) {
  return analyzeSnapshot(file, { ...options, onProgress: progress => onProgress({ ...progress, file }) })
}

/**
 * What was written beside the snapshot when it was taken. It is not needed.
 * @param {string} file
 * @returns {SnapshotFacts}
 */
function readFacts (file) {
  try {
    return Object(JSON.parse(fs.readFileSync(`${file}.json`, 'utf8')))
  } catch {
    return {}
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

module.exports = { compareFiles, loadSide }
