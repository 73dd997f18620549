'use strict'

// Two pieces of the recorder's past as an answer: what changed from the earlier to the later one.

const { createResponse, json } = require('../../../shared/admin/responses')
const { localTime, localTimeWithZone } = require('../../../shared/base/local-time')
const { describeDifference } = require('../../../shared/formats/flamegraph/difference')
const { FORMATS } = require('../../../shared/formats/formats')
const { buildCallTree } = require('../../../shared/formats/profile/call-tree')

/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { Sources } from '../router' */

const DIFFERENCE_FORMATS = Object.freeze(['flamegraph', 'graph'])

/** @typedef {{ profile: CpuProfile, fromMs: number, toMs: number, notes: string[] }} Piece  fromMs, toMs: since the epoch */

/**
 * @param {Sources} sources
 * @param {{ before: Piece, after: Piece }} pieces
 * @param {object} how
 * @param {string} how.format     one of DIFFERENCE_FORMATS
 * @param {string} [how.sources]  whose places: 'original' (default) or 'generated'
 * @param {string} how.name       of the file a browser would save, without its ending
 */
async function encodeDifference (sources, { before, after }, { format, sources: places = 'original', name }) {
  const shown = (/** @type {Piece} */ { profile }) => places === 'original' ? sources.toWritten(profile) : profile
  const [earlier, later] = await Promise.all([shown(before), shown(after)])
  const { appName, pid } = sources.facts
  const notes = [...before.notes.map(note => `before: ${note}`), ...after.notes.map(note => `after: ${note}`)]
  const context = { ...sources.context(`What changed in ${appName} (pid ${pid})`, notes), titles: { before: timesOf(before), after: timesOf(after) } }
  if (format === 'graph') {
    const { appRoot } = context
    const graph = describeDifference(buildCallTree(earlier, { appRoot }), buildCallTree(later, { appRoot }))
    return json(200, { ...graph, fromMs: after.fromMs, toMs: after.toMs, notes })
  }
  const { encodeFlameGraphDifference } = require('../../../shared/formats/flamegraph')
  const { extension, contentType } = FORMATS.flamegraph
  return createResponse(200, encodeFlameGraphDifference(earlier, later, context), {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}.${extension}"`
  })
}

/** @param {Piece} piece */
function timesOf ({ fromMs, toMs }) {
  return `${localTime(fromMs)} to ${localTimeWithZone(toMs)}`
}

module.exports = { DIFFERENCE_FORMATS, encodeDifference }
