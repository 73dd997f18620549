'use strict'

// What is known of a heap snapshot once it has been taken: for the estimate of the next one, and for whoever reads the file. Pure.

const { pauseMsPerMb } = require('./estimate')

/** @import { Estimate, PreviousSnapshot } from './estimate' */
/** @import { TakeFacts } from '../../../main/heap/take-snapshot' */
/** @import { Verified } from '../redaction/verify' */

/**
 * @param {TakeFacts} facts
 * @param {Verified} verified
 * @returns {PreviousSnapshot}
 */
function toPrevious ({ before, after, pauseMs }, { nodes, edges, generatedNames: names, fileBytes }) {
  return { before, after, nodes, edges, names, fileBytes, pauseMs }
}

/**
 * @param {TakeFacts} facts
 * @param {Verified} verified
 * @param {Estimate} cost
 */
function metadataOf ({ before, after, peakRssBytes, ...facts }, { nodes, edges, strings }, { memoryBytes, fileBytes, pauseMs, basis }) {
  return {
    ...facts,
    nodes,
    edges,
    strings,
    pauseMsPerMb: pauseMsPerMb({ after, pauseMs: facts.pauseMs }),
    rssBeforeBytes: before.rssBytes,
    rssAfterBytes: after.rssBytes,
    heapUsedBytes: after.heapUsedBytes,
    estimated: { memoryBytes, fileBytes, pauseMs, basis }
  }
}

module.exports = { metadataOf, toPrevious }
