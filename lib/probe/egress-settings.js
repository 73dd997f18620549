'use strict'

// Checks the option egress and fills in its defaults. URLs and headers are secrets: an error about one never contains the value.

const { errors } = require('../base/errors')
const { URL } = require('../base/globals')
const { isHeader, assertInteger, assertKnownKeys, assertOneOf, assertString } = require('../base/validate')
const { DESTINATIONS } = require('../shared/egress/destinations')
const { fillTemplate, PLACES, unknownPlaces } = require('../shared/egress/addresses')

/** @import { EgressOptions } from '../../types/diagnostics' */
/** @import { DestinationSettings } from '../observer/egress/destination' */

const DEFAULTS = Object.freeze({
  stallMs: 1000, // shorter ones are over before anyone could react, and are in the metrics
  maxQueueBytes: 64 * 1024 ** 2 // one process's profiles of a day, or some artifacts
})

const KEYS = ['to', 'url', 'headers', 'everySeconds', 'labels', 'stallMs', 'maxQueueBytes']
const MIN_QUEUE_BYTES = 64 * 1024
const MAX_EVERY_SECONDS = 300
const MIN_STALL_MS = 100
const MAX_STALL_MS = 600_000
const LABEL = /^[A-Za-z_]\w*$/ // Prometheus's syntax
const WANTED = 'false, an object, or a list of them'
const ANY_VALUES = Object.fromEntries(PLACES.map(name => [name, 'x']))

/** @param {string} path @param {unknown} value @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION */
function checkEgress (path, value) {
  if (value === false) return
  if (value === null || typeof value !== 'object') refuse(path, WANTED, kindOf(value))
  if (!Array.isArray(value)) return checkOne(path, value)
  value.forEach((one, index) => checkOne(`${path}[${index}]`, one))
}

/** @param {string} path @param {any} one */
function checkOne (path, one) {
  if (one === null || typeof one !== 'object' || Array.isArray(one)) refuse(path, 'an object', kindOf(one))
  assertKnownKeys(path, one, KEYS)
  const { to, url, headers = {}, everySeconds = false, labels = {}, stallMs = DEFAULTS.stallMs, maxQueueBytes = DEFAULTS.maxQueueBytes } = one
  assertOneOf(`${path}.to`, to, Object.keys(DESTINATIONS))
  checkUrl(`${path}.url`, url, DESTINATIONS[/** @type {keyof typeof DESTINATIONS} */ (to)].isTemplate)
  checkHeaders(`${path}.headers`, headers)
  checkLabels(`${path}.labels`, labels)
  if (everySeconds !== false) assertInteger(`${path}.everySeconds`, everySeconds, 1, MAX_EVERY_SECONDS)
  assertInteger(`${path}.stallMs`, stallMs, MIN_STALL_MS, MAX_STALL_MS)
  assertInteger(`${path}.maxQueueBytes`, maxQueueBytes, MIN_QUEUE_BYTES, Number.MAX_SAFE_INTEGER)
}

/** @param {string} path @param {unknown} value @param {boolean} isTemplate */
function checkUrl (path, value, isTemplate) {
  const wanted = 'an http: or https: URL'
  if (typeof value !== 'string' || value === '') refuse(path, wanted, kindOf(value))
  const unknown = isTemplate ? unknownPlaces(value) : []
  if (unknown.length > 0) refuse(path, `a URL with the places ${PLACES.join(', ')}`, `the place {${unknown[0]}}`)
  const filled = isTemplate ? fillTemplate(value.split('?')[0], ANY_VALUES) + value.slice(value.split('?')[0].length) : value
  if (!URL.canParse(filled)) refuse(path, wanted, 'a string that is no URL')
  const { protocol, search } = new URL(filled)
  if (protocol !== 'http:' && protocol !== 'https:') refuse(path, wanted, `one of ${protocol}`)
  if (isTemplate && /^[^:]*:\/*[^/]*[{}]/.test(value)) refuse(path, 'a URL with places in its path only', 'one with a place in its host')
  if (isTemplate && /[{}]|%7b|%7d/i.test(search)) refuse(path, 'a URL with places in its path only', 'one with a place in its query')
}

/** @param {string} path @param {unknown} headers */
function checkHeaders (path, headers) {
  for (const [name, value] of entriesOf(path, headers)) {
    if (!isHeader(name, value)) refuse(`${path}[${JSON.stringify(name)}]`, 'a name and a value that HTTP allows', 'others')
  }
}

/** @param {string} path @param {unknown} labels */
function checkLabels (path, labels) {
  for (const [name, value] of entriesOf(path, labels)) {
    if (!LABEL.test(name)) refuse(`${path}[${JSON.stringify(name)}]`, 'a name of letters, digits and _', 'another one')
    assertString(`${path}.${name}`, value)
  }
}

/** @param {string} path @param {unknown} value @returns {[string, unknown][]} */
function entriesOf (path, value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) refuse(path, 'an object of strings', kindOf(value))
  const entries = Object.entries(value)
  const wrong = entries.find(([, one]) => typeof one !== 'string')
  if (wrong !== undefined) refuse(`${path}[${JSON.stringify(wrong[0])}]`, 'a string', kindOf(wrong[1]))
  return entries
}

/**
 * @param {false | EgressOptions | readonly EgressOptions[]} option  checked
 * @returns {DestinationSettings[]}
 */
function destinationsOf (option) {
  const list = option === false ? [] : /** @type {EgressOptions[]} */ ([option].flat())
  return list.map(({ to, url, headers = {}, everySeconds = DESTINATIONS[to].everySeconds, labels = {}, ...rest }) =>
    ({ to, url: String(url), headers, everySeconds, labels, ...DEFAULTS, ...definedOf(rest) }))
}

/** @template {object} T @param {T} values */
function definedOf (values) {
  return /** @type {{ [Key in keyof T]?: NonNullable<T[Key]> }} */ (Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)))
}

/** @param {unknown} value */
function kindOf (value) {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}

/**
 * @param {string} path
 * @param {string} wanted
 * @param {string} got  never the value itself
 * @returns {never}
 */
function refuse (path, wanted, got) {
  throw new errors.ERR_LOOPSCOPE_INVALID_OPTION(path, wanted, got)
}

module.exports = { checkEgress, destinationsOf }
