'use strict'

// Reads the snapshots of a comparison: one after the other, or the base snapshots in a separate thread at the same time. That takes the same CPU time
// and half the wall time, but the memory of both at once.

const fs = require('node:fs')
const os = require('node:os')
const { Worker } = require('node:worker_threads')
const { attempt } = require('../../base/guard')
const { sum } = require('../../base/sums')
const { errors } = require('../../base/errors')
const { answerOfThread, ownFile, threadFlags } = require('../../base/own-files')
const { readRegularText } = require('../../base/regular-file')
const { isBaselineFile, readBaseline, toBaseline } = require('./baseline')
const { readGraph } = require('../graph/read-graph')
const { spreadDetachedness, transferOwnedSizes } = require('../graph/as-devtools')
const { findDominators } = require('../graph/dominators')
const { findDistances } = require('../graph/distances')
const { findRawClasses } = require('../graph/raw-classes')
const { ROOT } = require('../graph/graph')

/** @import { Baseline } from './baseline' */
/** @import { SnapshotFacts } from './compare-files' */
/** @import { Distances } from '../graph/distances' */
/** @import { Dominators } from '../graph/dominators' */
/** @import { Graph } from '../graph/graph' */
/** @import { RawClasses } from '../graph/raw-classes' */

/**
 * @typedef {{ baseline: Baseline, facts: SnapshotFacts, file: string }} BaseSnapshot  one of the older snapshots
 * @typedef {{ earlier: BaseSnapshot[], latest: Analysis }} Snapshots  latest: close its graph
 *
 * @typedef {object} Options
 * @property {boolean} [isClassic]
 * @property {(progress: Progress & { file: string }) => void} [onProgress]  of what this thread does
 * @property {AbortSignal} [signal]
 *
 * @typedef {Options & { isParallel?: boolean }} LoadOptions  isParallel: the older ones are read in a thread of their own, where they are large
 */

const MIN_BYTES = 20e6 // a smaller file is read before a thread has started

/**
 * @param {readonly string[]} files  the oldest first
 * @param {LoadOptions} options
 * @returns {Promise<Snapshots>}
 */
async function loadSnapshots (files, { isParallel = false, ...options }) {
  const earlier = files.slice(0, -1)
  const last = files[files.length - 1]
  if (isParallel && isWorthThread(earlier)) return inParallel(earlier, last, options)
  const bases = []
  for (const file of earlier) bases.push(await loadBaseSnapshot(file, options))
  return { earlier: bases, latest: await analyze(last, options) }
}

/** @param {readonly string[]} files */
function isWorthThread (files) {
  const bytes = sum(files, file => fs.statSync(file).size)
  return bytes >= MIN_BYTES && os.availableParallelism() > 1
}

/** @param {readonly string[]} earlier @param {string} last @param {Options} options @returns {Promise<Snapshots>} */
async function inParallel (earlier, last, { signal, ...options }) {
  const stop = new AbortController()
  const signals = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const analyzed = analyze(last, { ...options, signal: signals })
  try {
    const [bases, latest] = await Promise.all([loadInThread({ files: earlier, isClassic: options.isClassic }, signals), analyzed])
    return { earlier: bases, latest }
  } catch (error) {
    stop.abort() // the other one of the two
    analyzed.then(({ graph }) => graph.close(), () => {})
    throw error
  }
}

/**
 * @param {{ files: readonly string[], isClassic?: boolean }} order
 * @param {AbortSignal} signal
 * @returns {Promise<BaseSnapshot[]>}
 */
async function loadInThread (order, signal) {
  signal.throwIfAborted()
  const file = ownFile('heap-diff/comparison/base-snapshots-worker.js')
  const worker = new Worker(file, { name: 'loopscope older snapshots', workerData: order, execArgv: threadFlags(), env: {} })
  const { bases } = await answerOfThread(worker, signal, 'the thread that reads the older snapshots ended without them')
  return bases
}

/**
 * Loads what a comparison needs of a base snapshot, from the file itself or from its index.
 * @param {string} file
 * @param {Options} [options]
 * @returns {Promise<BaseSnapshot>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function loadBaseSnapshot (file, options = {}) {
  if (isBaselineFile(file)) return loadIndex(file, options)
  const analysis = await analyze(file, options)
  analysis.graph.close()
  return { baseline: toBaseline(analysis), facts: readFacts(file), file }
}

/** @param {string} file @param {Options} options @returns {BaseSnapshot} */
function loadIndex (file, { isClassic = false }) {
  const { baseline, facts } = readBaseline(file)
  const view = (/** @type {boolean} */ classic) => classic ? 'the classic view' : 'the view of DevTools'
  if (baseline.isClassic !== isClassic) {
    const got = `one of ${view(baseline.isClassic)}: use the snapshot itself`
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, `an index of ${view(isClassic)}`, got)
  }
  return { baseline, facts, file }
}

/** @param {string} file @param {Options} options */
function analyze (file, { onProgress = () => {}, ...options }) {
  return analyzeSnapshot(file, { ...options, onProgress: progress => onProgress({ ...progress, file }) })
}

/**
 * The facts file written beside the snapshot when it was taken. It is optional.
 * @param {string} file
 * @returns {SnapshotFacts}
 */
function readFacts (file) {
  return attempt(() => Object(JSON.parse(readRegularText(`${file}.json`))), {})
}

/**
 * @typedef {object} Analysis
 * @property {Graph} graph        sizes are those after ownership
 * @property {Dominators} dominators
 * @property {() => Distances} paths  from the roots; computed on first use, while the graph is open
 * @property {RawClasses} raw
 * @property {number} heapBytes   what DevTools shows as the total
 * @property {boolean} isClassic
 *
 * @typedef {object} Progress
 * @property {'reading' | 'sizes' | 'dominators' | 'classes'} stage
 * @property {number} [bytes]  of the file, while reading
 */

/**
 * Analyzes a heap snapshot file: sizes, classes, dominators, distances. It takes seconds and about 110 bytes per node, so it runs in a worker thread
 * or the command line, never on a thread that serves requests.
 * @param {string} file
 * @param {object} [options]
 * @param {boolean} [options.isClassic]  raw sizes and names, as DevTools showed them before 2024
 * @param {(progress: Progress) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Analysis>} close its graph
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function analyzeSnapshot (file, { isClassic = false, onProgress = () => {}, signal } = {}) {
  const { graph, weakMapNames } = await readGraph(file, { onProgress: bytes => onProgress({ stage: 'reading', bytes }), signal })
  try {
    onProgress({ stage: 'sizes' })
    spreadDetachedness(graph)
    if (!isClassic) transferOwnedSizes(graph)
    onProgress({ stage: 'dominators' })
    const dominators = findDominators(graph, weakMapNames)
    onProgress({ stage: 'classes' })
    const raw = findRawClasses(graph, { isClassic })
    const heapBytes = dominators.retainedSize[ROOT] + graph.extraNativeBytes
    return { graph, dominators, paths: once(() => findDistances(graph, weakMapNames)), raw, heapBytes, isClassic }
  } catch (error) {
    graph.close()
    throw error
  }
}

/** @template T @param {() => T} make */
function once (make) {
  /** @type {T | undefined} */
  let made
  return () => {
    made ??= make()
    return made
  }
}

module.exports = { analyzeSnapshot, loadBaseSnapshot, loadSnapshots, readFacts }
