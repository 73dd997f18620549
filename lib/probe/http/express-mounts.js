'use strict'

// One mount of an Express router or sub-application (`app.use('/org/:org', router)`): which part of a path it takes, and its template. It reads
// Express's layers and never calls Layer#match, which before router 2.3 writes to the layer.

const { attempt } = require('../../base/guard')

/**
 * @typedef {{ template: string, length: number }} MountMatch  length: characters of the path that the mount takes
 * @typedef {(path: string) => MountMatch | null} Mount
 * @typedef {{ path: string, params: Record<string, unknown> }} LayerMatch
 */

// A mount from which more templates than this are derived was given as a regular expression: further paths are masked.
const MAX_LEARNED = 20

// Replaces a segment of a path, to see which parameter gets it.
const OTHER_WORD = 'loopscopeprobe'

const NAME = '(?:[\\w$\\u0080-\\uffff]+|"[^"]*")'

// Escaped character | named parameter with the slash before it, Express 4's (pattern) and modifier | wildcard | group | special.
const TOKENS = new RegExp(`\\\\(.)|(/?):${NAME}(?:\\([^)]*\\))?([?*+]?)|\\*${NAME}?|([{}])|[.$^[\\]|]`, 'g')

/**
 * @param {any} layer  of a router's stack
 * @returns {Mount}
 */
function mountOfLayer (layer) {
  if (layer.rawPath !== undefined) return mountOfPath(layer.rawPath)
  const { regexp } = layer
  // path-to-regexp ends the expression of a mount like this; anything else is the user's own expression.
  return regexp instanceof RegExp && !regexp.source.includes('(?=\\/|$)') ? mountOfExpression(regexp) : probedMount(layer)
}

/**
 * @param {unknown} path  as given to use(): text, expression, or an array of both
 * @returns {Mount}
 */
function mountOfPath (path) {
  if (!Array.isArray(path)) return path instanceof RegExp ? mountOfExpression(path) : mountOfTemplate(String(path))
  const mounts = path.map(mountOfPath)
  return requested => firstMatch(mounts, requested)
}

/** @param {readonly Mount[]} mounts @param {string} path */
function firstMatch (mounts, path) {
  for (const mount of mounts) {
    const match = mount(path)
    if (match !== null) return match
  }
  return null
}

/** @param {string} text @returns {Mount} */
function mountOfTemplate (text) {
  const template = text.replace(/\/+$/, '')
  if (template === '') return () => ({ template: '', length: 0 })
  return matching(template, compileTemplate(text, { isPrefix: true }))
}

/** @param {RegExp} expression */
function mountOfExpression ({ source, flags }) {
  // A copy: exec() on a global or sticky expression would move the user's lastIndex.
  return matching(source, new RegExp(source, flags.replace(/[gy]/g, '')))
}

/** @param {string} template @param {RegExp | null} pattern @returns {Mount} */
function matching (template, pattern) {
  return path => {
    const match = pattern?.exec(path)
    return match ? { template, length: match[0].length } : null
  }
}

/** Express 4 and router before 2.3 keep only the compiled path: the template is derived from actual paths. @param {any} layer @returns {Mount} */
function probedMount (layer) {
  /** @type {Mount[]} */
  const learned = []
  return path => {
    const known = firstMatch(learned, path)
    if (known !== null) return known
    const matched = matchLayer(layer, path)
    if (matched === null || learned.length === MAX_LEARNED) return null
    const taken = matched.path.replace(/\/$/, '')
    const template = probeTemplate(layer, { ...matched, path: taken })
    learned.push(mountOfTemplate(template))
    return { template, length: taken.length }
  }
}

/**
 * Finds what Layer#match would, without writing to the layer.
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
 * The template of a layer that keeps only its compiled path (Express 4, router before 2.3). It replaces each segment of a matching path by another
 * word, to see which segments may change and which parameter gets them.
 * @param {any} layer
 * @param {LayerMatch} matched
 * @returns {string}
 */
function probeTemplate (layer, { path, params }) {
  const segments = path.split('/')
  const named = segments.map((segment, index) => segment === ''
    ? ''
    : parameterHolding(matchLayer(layer, segments.with(index, OTHER_WORD).join('/'))?.params))
  // A value found in its own segment must not be searched in fixed text that happens to contain the same letters.
  const unnamed = Object.fromEntries(Object.entries(params).filter(([name]) => !named.includes(`:${name}`)))
  const templates = named.map((name, index) => name ?? namePart(segments[index], unnamed) ?? maskFixed(layer, segments, index))
  // A wildcard over several segments is found once for each.
  return templates.filter((template, index) => template[0] !== '*' || template !== templates[index - 1]).join('/')
}

/**
 * Fixed text, or a value that the user's expression accepts without naming it: then its letters and digits may be replaced.
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
 * A segment that may not change as a whole, because a parameter has its own pattern or is inside fixed text.
 * @param {string} segment
 * @param {Record<string, unknown>} params
 */
function namePart (segment, params) {
  const part = Object.entries(params).find(([, value]) => typeof value === 'string' && value !== '' && segment.includes(value))
  if (part === undefined) return null
  const [name, value] = /** @type {[string, string]} */ (part)
  return segment.replaceAll(value, /^\d+$/.test(name) ? '*' : `:${name}`)
}

/**
 * An expression for the paths that can match an Express 4 or 5 path template. It is looser than the routers' own matching on purpose (any value
 * fits a parameter): it chooses between templates that a router has already matched, and never routes.
 * @param {string} template
 * @param {{ isPrefix: boolean }} options  isPrefix: a mount path: the path may continue after it
 * @returns {RegExp | null} null for a template in neither syntax
 */
function compileTemplate (template, { isPrefix }) {
  const source = template.replace(/\/+$/, '').replace(TOKENS, (token, escaped, slash, modifier, brace) => {
    if (escaped !== undefined) return token
    if (brace !== undefined) return brace === '{' ? '(?:' : ')?'
    if (slash !== undefined) return parameterSource(slash, modifier)
    return token[0] === '*' ? '.*' : `\\${token}`
  })
  return attempt(() => new RegExp(isPrefix ? `^${source}(?=/|$)` : `^${source}/?$`, 'i'), null)
}

/** @param {string} slash @param {string} modifier */
function parameterSource (slash, modifier) {
  const value = modifier === '*' || modifier === '+' ? '.+' : '[^/]+?'
  return modifier === '?' || modifier === '*' ? `(?:${slash}${value})?` : `${slash}${value}`
}

module.exports = { compileTemplate, matchLayer, mountOfLayer, mountOfPath }
