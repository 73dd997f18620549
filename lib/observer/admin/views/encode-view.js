'use strict'

// A piece of the recorder's past as an answer, in any format, without a file being written.

const { createResponse, json } = require('../../../shared/admin/responses')
const { FORMATS } = require('../../../shared/formats/formats')
const { buildCallTree } = require('../../../shared/formats/profile/call-tree')
const { describeTimes } = require('../../../shared/formats/flamegraph/graph')

/** @import { FormatName, CpuProfile } from '../../../../types/profile' */
/** @import { Sources } from '../router' */

/** `graph`: what the page of this surface draws its flame graph from. */
const VIEW_FORMATS = Object.freeze([...Object.keys(FORMATS), 'graph'])

/**
 * @param {Sources} sources
 * @param {CpuProfile} profile
 * @param {object} how
 * @param {string} how.format
 * @param {string} [how.sources]  whose places; those that the format usually has
 * @param {string} how.name       of the file a browser would save, without its ending
 * @param {number} how.startedAt  milliseconds since the epoch
 * @param {string[]} [how.notes]
 * @param {string} [how.route]    that the profile is of
 * @param {string} [how.title]    unless it is of this process
 * @param {Record<string, string>} [how.headers]
 */
async function encodeView (sources, profile, { format, sources: places, name, startedAt, notes = [], route, title, headers = {} }) {
  const usualPlaces = format === 'graph' ? 'original' : FORMATS[/** @type {FormatName} */ (format)].sources
  const shown = (places ?? usualPlaces) === 'original' ? await sources.toWritten(profile) : profile
  const { appName, pid } = sources.facts
  // Formats for people show the lines that findings name.
  const found = usualPlaces === 'original' ? sources.reportSections(shown) : {}
  const context = { ...sources.context(title ?? `CPU profile of ${appName} (pid ${pid})`, notes), startedAt, ...found }
  if (format === 'graph') {
    const toMs = startedAt + (shown.endTime - shown.startTime) / 1e3
    return json(200, { ...describeTimes(buildCallTree(shown, context)), fromMs: startedAt, toMs, notes, route: route ?? null }, headers)
  }
  const { extension, contentType, encode } = FORMATS[/** @type {FormatName} */ (format)]
  return createResponse(200, encode(shown, context), {
    ...headers,
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${name}.${extension}"`
  })
}

/**
 * @param {{ isShortened: boolean, fromMs: number, toMs: number, notes?: string[] }} view
 * @param {number} wantedMs
 */
function notesOf ({ isShortened, fromMs, toMs, notes = [] }, wantedMs) {
  if (!isShortened) return notes
  const [got, wanted] = [toMs - fromMs, wantedMs].map(ms => (ms / 1e3).toFixed(1))
  return [`${got} s of the ${wanted} s asked for: the recorder held no more`, ...notes]
}

module.exports = { VIEW_FORMATS, encodeView, notesOf }
