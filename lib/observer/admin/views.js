'use strict'

// Profiles as responses, in any format and without writing a file, and the parameters for them.

const { integer, positiveNumber, oneOf } = require('./parameters')
const { createResponse, json } = require('../../shared/admin/responses')
const { localTime, localTimeWithZone } = require('../../base/local-time')
const { refuse } = require('../../base/validate')
const { DEFAULT_LAST_SECONDS, MAX_LAST_SECONDS, MAX_SECONDS, MODES, assertRoute } = require('../../shared/captures/kinds')
const { describeDifference } = require('../../formats/flamegraph/difference')
const { describeTimes } = require('../../formats/flamegraph/graph')
const { FORMATS, SOURCES, HEAP_FORMATS } = require('../../formats/formats')
const { buildCallTree, buildTimeOrder } = require('../../formats/profile/call-tree')

/** @import { ParameterCheck } from './parameters' */
/** @import { Sources } from './router' */
/** @import { HeapProfile } from '../../formats/formats' */
/** @import { CpuProfile, FormatName } from '../../../types/profile' */

const MAX_EPOCH_MS = 8.64e15 // the last moment of a Date

/** `graph`: the data of the dashboard's flame graph. */
const VIEW_FORMATS = Object.freeze([...Object.keys(FORMATS), 'graph'])
const DIFFERENCE_FORMATS = Object.freeze(['flamegraph', 'graph'])

/** @type {ParameterCheck} */
const route = (name, value) => {
  assertRoute(name, value)
  return value
}

/** Of a CPU profile: the time range and the presentation. */
const VIEW_PARAMETERS = Object.freeze({
  seconds: positiveNumber(MAX_SECONDS),
  last: positiveNumber(MAX_LAST_SECONDS),
  from: integer(0, MAX_EPOCH_MS),
  to: integer(0, MAX_EPOCH_MS),
  format: oneOf(VIEW_FORMATS),
  sources: oneOf(SOURCES),
  order: oneOf(['time']),
  route
})

/** Of sampled allocations. */
const HEAP_PARAMETERS = Object.freeze({
  seconds: positiveNumber(MAX_SECONDS),
  mode: oneOf(MODES),
  format: oneOf(Object.keys(HEAP_FORMATS)),
  sources: oneOf(SOURCES)
})

/**
 * @param {Record<string, any>} parameters  of VIEW_PARAMETERS
 * @param {number} now
 */
function timeOf ({ seconds, last, from, to }, now) {
  if (from === undefined && to === undefined) {
    const lastSeconds = last ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : 0)
    return { fromMs: now - lastSeconds * 1e3, toMs: now + (seconds ?? 0) * 1e3 }
  }
  if (from === undefined || to === undefined) refuse('parameters from and to', 'both, or none', { from, to })
  if (seconds !== undefined || last !== undefined) refuse('parameters', 'either from and to, or seconds and last', { seconds, last })
  if (!(from < to && to - now <= MAX_SECONDS * 1e3)) refuse('parameter to', `after from, and at most ${MAX_SECONDS} s ahead`, to)
  return { fromMs: from, toMs: to }
}

/**
 * @typedef {object} Shown  how something is encoded
 * @property {string} format
 * @property {string} [sources]  original or generated positions; by default the format's usual ones
 * @property {string} name       name of a saved file, without its extension
 * @property {string} [title]    by default that of a CPU profile of this process
 * @property {string[]} [notes]
 * @property {Record<string, string>} [headers]
 */

/**
 * Encodes a time range of the recorder's past.
 * @param {Sources} sources
 * @param {CpuProfile} profile
 * @param {Shown & { order?: string, startedAt: number, route?: string }} how  order: 'time': of a graph, the calls in the order of time; startedAt: milliseconds
 *   since the epoch; route: of the profile
 */
async function encodeView (sources, profile, { format, sources: places, order, name, startedAt, notes = [], route, title, headers = {} }) {
  if (order !== undefined && format !== 'graph') refuse('parameter order', 'absent, or with format=graph', order)
  const usualPlaces = format === 'graph' ? 'original' : FORMATS[/** @type {FormatName} */ (format)].sources
  const shown = (places ?? usualPlaces) === 'original' ? await sources.toOriginal(profile) : profile
  const { appName, pid } = sources.facts
  // Human-readable formats show the lines named in findings.
  const found = usualPlaces === 'original' ? sources.reportSections(shown) : {}
  const context = { ...sources.context(title ?? `CPU profile of ${appName} (pid ${pid})`, notes), startedAt, ...found, ...(title !== undefined && { events: undefined }) } // those of this process
  if (format === 'graph') {
    const toMs = startedAt + (shown.endTime - shown.startTime) / 1e3
    const graph = order === 'time' ? { ...describeTimes(buildTimeOrder(shown, context)), isOrdered: true } : describeTimes(buildCallTree(shown, context))
    return json(200, { ...graph, fromMs: startedAt, toMs, notes, route: route ?? null }, headers)
  }
  const { extension, contentType, encode } = FORMATS[/** @type {FormatName} */ (format)]
  return download(encode(shown, context), { name: `${name}.${extension}`, contentType, headers })
}

/** @param {{ isShortened: boolean, fromMs: number, toMs: number, notes?: string[] }} view @param {number} wantedMs */
function notesOf ({ isShortened, fromMs, toMs, notes = [] }, wantedMs) {
  if (!isShortened) return notes
  const [got, wanted] = [toMs - fromMs, wantedMs].map(ms => (ms / 1e3).toFixed(1))
  return [`${got} s of the ${wanted} s asked for: the recorder held no more`, ...notes]
}

/**
 * Encodes sampled allocations.
 * @param {Sources} sources
 * @param {HeapProfile} profile
 * @param {Omit<Shown, 'format' | 'title'> & { format?: string, title: string }} how
 */
async function encodeHeapView (sources, profile, { format = 'heapprofile', sources: places, name, title, notes = [], headers = {} }) {
  const { extension, contentType, sources: usualPlaces, encode } = HEAP_FORMATS[/** @type {keyof typeof HEAP_FORMATS} */ (format)]
  const shown = (places ?? usualPlaces) === 'original' ? await sources.toOriginalHeap(profile) : profile
  const bytes = encode({ ...shown, mode: profile.mode }, sources.context(title, notes))
  return download(bytes, { name: `${name}.${extension}`, contentType, headers })
}

/** @typedef {{ profile: CpuProfile, fromMs: number, toMs: number, notes: string[] }} Piece  fromMs, toMs: since the epoch */

/**
 * Encodes what changed from an earlier to a later time range.
 * @param {Sources} sources
 * @param {{ before: Piece, after: Piece }} pieces
 * @param {Pick<Shown, 'format' | 'sources' | 'name'>} how  format: one of DIFFERENCE_FORMATS; sources: 'original' by default
 */
async function encodeDifference (sources, { before, after }, { format, sources: places = 'original', name }) {
  const shown = (/** @type {Piece} */ { profile }) => places === 'original' ? sources.toOriginal(profile) : profile
  const [earlier, later] = await Promise.all([shown(before), shown(after)])
  const { appName, pid } = sources.facts
  const notes = [...before.notes.map(note => `before: ${note}`), ...after.notes.map(note => `after: ${note}`)]
  const context = { ...sources.context(`What changed in ${appName} (pid ${pid})`, notes), titles: { before: timesOf(before), after: timesOf(after) } }
  if (format === 'graph') {
    const { appRoot } = context
    const graph = describeDifference(buildCallTree(earlier, { appRoot }), buildCallTree(later, { appRoot }))
    return json(200, { ...graph, fromMs: after.fromMs, toMs: after.toMs, notes })
  }
  const { encodeFlameGraphDifference } = require('../../formats/flamegraph')
  const { extension, contentType } = FORMATS.flamegraph
  return download(encodeFlameGraphDifference(earlier, later, context), { name: `${name}.${extension}`, contentType })
}

/** @param {Piece} piece */
function timesOf ({ fromMs, toMs }) {
  return `${localTime(fromMs)} to ${localTimeWithZone(toMs)}`
}

/**
 * @param {string | Buffer} bytes
 * @param {{ name: string, contentType: string, headers?: Record<string, string> }} how  name: name of a saved file
 */
function download (bytes, { name, contentType, headers }) {
  return createResponse(200, bytes, { ...headers, 'Content-Type': contentType, 'Content-Disposition': `attachment; filename="${name}"` })
}

/** @param {string} kind @param {number} ms */
function fileName (kind, ms) {
  return `${kind}-${new Date(ms).toISOString().replace(/[-:.]/g, '').toLowerCase()}`
}

module.exports = { DIFFERENCE_FORMATS, HEAP_PARAMETERS, VIEW_PARAMETERS, encodeDifference, encodeHeapView, encodeView, fileName, notesOf, timeOf }
