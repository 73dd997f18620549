'use strict'

// Compares what was said of a stall with what is true of it. Pure but for reading the sources in which the lines are marked.

const fs = require('node:fs')
const path = require('node:path')

/** @import { Answer, Case } from './cases' */
/**
 * @typedef {object} Found  what a run of a case came to
 * @property {number} since  milliseconds since the epoch, as of a stall
 * @property {number} until
 * @property {number} longestMs  what the application measured
 * @property {string} folder  of the application
 * @property {number} size
 * @property {boolean} isLong  enough to say something about stalls
 * @property {boolean} isDisturbed  by others on this machine
 */

/** @typedef {{ wanted: string, got: string }} Wrong */

const FIELDS = ['route', 'culprit', 'line', 'call', 'via', 'cause', 'duration']

// One heartbeat, and what the beginning of a turn and its end take beside the block.
const HEARTBEAT_MS = 20
const CALM_HEARTBEAT_MS = 100
const TURN_MS = 10

/**
 * @param {Case} one
 * @param {Found} found
 * @param {any[]} stalls  as they were logged
 * @returns {Record<string, Wrong | undefined>} by field; 'found' is the first one
 */
function judge (one, { longestMs, folder, isDisturbed }, stalls) {
  const lengths = stalls.map(({ durationMs }) => `${durationMs} ms`)
  if (stalls.length === 0 || (stalls.length > 1 && !isDisturbed)) return { found: { wanted: '1 stall', got: lengths.join(', ') || 'none' } }
  const [{ route, culprit, cause, durationMs }] = stalls
  const via = culprit?.via && `${culprit.via.package} ${culprit.via.function}`
  return {
    route: compare(one.route, route),
    culprit: compare(one.function, culprit?.function) ?? compare(one.file, culprit?.file),
    line: compare(linesOf(one, culprit, folder), culprit?.line),
    call: compare(one.call, culprit?.call),
    via: compare(one.via, via),
    cause: compare(one.cause, cause),
    duration: compareDuration(one, longestMs, durationMs)
  }
}

/**
 * @param {Answer | number[]} wanted
 * @param {any} got
 * @returns {Wrong | undefined}
 */
function compare (wanted, got) {
  const fits = (/** @type {any} */ answer) => answer instanceof RegExp ? answer.test(got ?? '') : answer === (got ?? null)
  return [wanted].flat().some(fits) ? undefined : { wanted: [wanted].flat().join(' or ') || 'one of the file', got: String(got) }
}

/**
 * @param {Case} one
 * @param {number} longestMs
 * @param {number} durationMs
 * @returns {Wrong | undefined}
 */
function compareDuration ({ ask }, longestMs, durationMs) {
  const within = (typeof ask === 'string' ? HEARTBEAT_MS : CALM_HEARTBEAT_MS) + TURN_MS
  if (Math.abs(longestMs - durationMs) <= within) return undefined
  return { wanted: `${Math.round(longestMs)} ± ${within} ms`, got: `${durationMs} ms` }
}

/**
 * The numbers of the marked lines in the file that should have been named, or was where there is a choice.
 * @param {Case} one
 * @param {{ file: string } | null} culprit
 * @param {string} folder  of the application
 * @returns {number[]}
 */
function linesOf ({ name, file, at = `// truth: ${name}` }, culprit, folder) {
  const source = path.resolve(folder, typeof file === 'string' ? file : culprit?.file ?? '')
  if (!fs.statSync(source, { throwIfNoEntry: false })?.isFile()) return []
  // The name of one case may begin with another one's.
  const isMarked = (/** @type {string} */ text) => at.startsWith('//') ? text.endsWith(at) : text.includes(at)
  return fs.readFileSync(source, 'utf8').split('\n').flatMap((text, index) => isMarked(text) ? [index + 1] : [])
}

module.exports = { FIELDS, judge }
