'use strict'

// One of the older snapshots of a comparison: what is needed of it, from the file itself or from an index of it.

const { analyzeSnapshot } = require('./analyze')
const { toBaseline } = require('./baseline')
const { isBaselineFile, readBaseline } = require('./baseline-file')
const { errors } = require('../../shared/base/errors')
const { readRegularText } = require('../../shared/base/regular-file')

/** @import { Progress } from './analyze' */
/** @import { Baseline } from './baseline' */
/** @import { SnapshotFacts } from './comparability' */

/**
 * @typedef {{ baseline: Baseline, facts: SnapshotFacts, file: string }} Side
 *
 * @typedef {object} Options
 * @property {boolean} [isClassic]
 * @property {(progress: Progress & { file: string }) => void} [onProgress]
 * @property {AbortSignal} [signal]
 */

/**
 * @param {string} file
 * @param {Options} [options]
 * @returns {Promise<Side>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function loadSide (file, options = {}) {
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
    return Object(JSON.parse(readRegularText(`${file}.json`)))
  } catch {
    return {}
  }
}

module.exports = { analyze, loadSide, readFacts }
