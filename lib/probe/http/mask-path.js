'use strict'

// The path of a request without its query, and without values where no template is available. When in doubt it hides a fixed word rather than
// show a value.

const LONGEST_WORD = 32

// What a developer writes into a mount path: letters, with at most two digits (v1, oauth2, v2.1, $metadata), or a single sign (-, ~). A number of
// its own beside them is a value (post-12, 7.json), except in a version.
const WORD = /^(?=.*[a-z])\$?[a-z_.~-]*(?:\d[a-z_.~-]*){0,2}$/i
const NUMBER = /(?:^|[._~-])\d+(?:[._~-]|$)/
const VERSION = /^v[\d.]+$/i
const SIGNS = /^[-._~!$*+,;=:@()]+$/
const LONG_HEX = /^[0-9a-f]{8,}$/i

// A client chooses its paths: so many are kept apart, further ones are not.
const MAX_MASKED = 50
const MAX_SEGMENTS = 8

// Several words in one segment are a page (sign-in, terms-of-service) or a title (my-first-post), which is a value: a service has more titles than
// pages below one path.
const WORDS = /[a-z][-_][a-z]/i
const MAX_PAGES = 12

/** @type {Set<string>} */
const masked = new Set()

/** What of several words was seen below each path; null: too many to be pages. @type {Map<string, Set<string> | null>} */
const pages = new Map()

/**
 * @param {string} path  without any template
 * @param {Record<string, unknown>} [params]
 * @returns {string | null} shared by the whole process, bounded in number
 */
function maskedTemplate (path, params = {}) {
  const template = titlesMasked(limited(path, params), notePage)
  if (!masked.has(template) && masked.size === MAX_MASKED) return null
  masked.add(template)
  return template
}

/**
 * The same for one answer to a reader, which needs no bound.
 * @param {string} path
 * @param {Record<string, unknown>} [params]
 */
function shortMask (path, params = {}) {
  return titlesMasked(limited(path, params))
}

/** @param {string} path @param {Record<string, unknown>} params */
function limited (path, params) {
  const [start, ...segments] = path.split('/', MAX_SEGMENTS + 2)
  const end = segments.length > MAX_SEGMENTS ? '/*' : ''
  return maskPath([start, ...segments.slice(0, MAX_SEGMENTS)].join('/'), params) + end
}

/** @param {string} template @param {(parent: string, page: string) => void} [note]  called with what may be a page */
function titlesMasked (template, note = () => {}) {
  if (!WORDS.test(template)) return template
  return template.split('/').reduce((parent, segment) => {
    if (!WORDS.test(segment)) return `${parent}/${segment}`
    note(parent, segment)
    return `${parent}/${pages.get(parent) === null ? ':id' : segment}`
  })
}

/** @param {string} parent @param {string} page */
function notePage (parent, page) {
  const known = pages.get(parent)
  if (known === undefined && pages.size < MAX_MASKED) pages.set(parent, new Set([page]))
  else if (known && known.size === MAX_PAGES && !known.has(page)) pages.set(parent, null)
  else known?.add(page)
}

/** For tests. */
function forgetMasked () {
  masked.clear()
  pages.clear()
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} params  values named by the router
 * @returns {string}
 */
function maskPath (path, params) {
  return path.split('/').map(segment => segment === '' ? '' : maskSegment(segment, params)).join('/')
}

/** @param {string} segment @param {Record<string, unknown>} params */
function maskSegment (segment, params) {
  const value = decodeSegment(segment)
  const name = Object.keys(params).find(key => params[key] === value)
  if (name !== undefined) return `:${name}`
  return segment.length <= LONGEST_WORD && (SIGNS.test(segment) || isWord(segment)) ? segment : ':id'
}

/** @param {string} segment */
function isWord (segment) {
  return WORD.test(segment) && !LONG_HEX.test(segment) && (!NUMBER.test(segment) || VERSION.test(segment))
}

/** @param {string} segment */
function decodeSegment (segment) {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** @param {any} request @returns {string} the requested path, including what a router has removed since */
function pathnameOf (request) {
  return pathOf(request.originalUrl ?? request.url ?? '')
}

/** @param {unknown} url */
function pathOf (url) {
  const text = String(url)
  const end = text.indexOf('?')
  return end === -1 ? text : text.slice(0, end)
}

module.exports = { maskPath, maskedTemplate, shortMask, pathOf, pathnameOf, forgetMasked }
