'use strict'

// Finds the template of a layer that keeps only its compiled path (Express 4, router before 2.3), by asking which
// segments of a matching path may change: put another word in place of a segment, and see which parameter gets it.

/** @typedef {{ path: string, params: Record<string, unknown> }} LayerMatch */

const OTHER_WORD = 'loopscopeprobe'

/**
 * What Layer#match would find, without its writing to the layer.
 * @param {any} layer
 * @param {string} path
 * @returns {LayerMatch | null}
 */
function matchLayer (layer, path) {
  if (layer.slash || layer.regexp?.fast_slash) return { path: '', params: {} }
  for (const matcher of layer.matchers ?? []) {
    const match = matcher(path)
    if (match) return match
  }
  const match = layer.regexp?.exec(path)
  if (!match) return null
  /** @type {Record<string, unknown>} */
  const params = {}
  layer.keys.forEach((/** @type {{ name: string }} */ key, /** @type {number} */ index) => { params[key.name] = match[index + 1] })
  return { path: match[0], params }
}

/**
 * @param {any} layer
 * @param {LayerMatch} matched
 * @returns {string}
 */
function probeTemplate (layer, { path, params }) {
  const segments = path.split('/')
  const named = segments.map((segment, index) => segment === ''
    ? ''
    : parameterHolding(matchLayer(layer, segments.with(index, OTHER_WORD).join('/'))?.params))
  // A value found in its own segment must not be looked for in fixed text that happens to hold the same letters.
  const unnamed = Object.fromEntries(Object.entries(params).filter(([name]) => !named.includes(`:${name}`)))
  const templates = named.map((name, index) => name ?? namePart(segments[index], unnamed) ?? maskFixed(layer, segments, index))
  // A wildcard over several segments is found once for each.
  return templates.filter((template, index) => template[0] !== '*' || template !== templates[index - 1]).join('/')
}

/**
 * Fixed text, or a value that an expression of the user lets through without naming it: its letters and digits may be others.
 * @param {any} layer
 * @param {string[]} segments
 * @param {number} index
 */
function maskFixed (layer, segments, index) {
  const segment = segments[index]
  const others = [/\d/g, /[a-z]/gi, /[^\W_]/g].map(signs => segment.replace(signs, otherSign)).filter(other => other !== segment)
  return others.some(other => matchLayer(layer, segments.with(index, other).join('/')) !== null) ? ':id' : segment
}

/**
 * @param {string} sign
 * @returns {string} another one that any expression takes for the same: a digit, a letter, one of a hexadecimal number
 */
function otherSign (sign) {
  if (/\d/.test(sign)) return sign === '9' ? '8' : '9'
  const letters = /[a-f]/i.test(sign) ? 'af' : 'gz'
  const other = sign.toLowerCase() === letters[0] ? letters[1] : letters[0]
  return sign === sign.toLowerCase() ? other : other.toUpperCase()
}

/** @param {Record<string, unknown>} [params] */
function parameterHolding (params = {}) {
  for (const [name, value] of Object.entries(params)) {
    if (value === OTHER_WORD && !/^\d+$/.test(name)) return `:${name}`
    if (Array.isArray(value) ? value.includes(OTHER_WORD) : String(value).includes(OTHER_WORD)) return `*${name.replace(/^\d+$/, '')}`
  }
  return null
}

/**
 * A segment that may not change as a whole, because a parameter has a pattern of its own or stands inside fixed text.
 * @param {string} segment
 * @param {Record<string, unknown>} params
 */
function namePart (segment, params) {
  const part = Object.entries(params).find(([, value]) => typeof value === 'string' && value !== '' && segment.includes(value))
  if (part === undefined) return null
  const [name, value] = /** @type {[string, string]} */ (part)
  return segment.replaceAll(value, /^\d+$/.test(name) ? '*' : `:${name}`)
}

module.exports = { matchLayer, probeTemplate }
