'use strict'

// Analyzes a heap snapshot file: sizes, classes, dominators, distances. It takes seconds and about 110 bytes per node, so it runs in a worker thread
// or the command line, never on a thread that serves requests.

const { readGraph } = require('../graph/read-graph')
const { spreadDetachedness, transferOwnedSizes } = require('../graph/as-devtools')
const { findDominators } = require('../graph/dominators')
const { findDistances } = require('../graph/distances')
const { findRawClasses } = require('../graph/raw-classes')
const { ROOT } = require('../graph/graph')

/** @import { Distances } from '../graph/distances' */
/** @import { Dominators } from '../graph/dominators' */
/** @import { Graph } from '../graph/graph' */
/** @import { RawClasses } from '../graph/raw-classes' */

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

/**
 * @template T
 * @param {() => T} make
 */
function once (make) {
  /** @type {T | undefined} */
  let made
  return () => {
    made ??= make()
    return made
  }
}

module.exports = { analyzeSnapshot }
