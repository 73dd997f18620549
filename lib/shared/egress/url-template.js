'use strict'

// A URL with places to fill in: `https://bucket.example/{service}/{host}/{file}`.

const PLACES = Object.freeze(['service', 'pid', 'host', 'kind', 'file', 'time'])
const FILLED = "[\\w.!~*'()%-]*" // what encodeURIComponent() leaves
const PLACE = /\{([^{}]*)\}/g

/**
 * @param {string} template
 * @returns {string[]} the names of its places that nobody knows
 */
function unknownPlaces (template) {
  return [...template.matchAll(PLACE)].map(([, name]) => name).filter(name => !PLACES.includes(name))
}

/**
 * @param {string} template
 * @param {Record<string, string>} values  of all places
 */
function fillTemplate (template, values) {
  return template.replace(PLACE, (_, name) => encodeURIComponent(values[name]))
}

/**
 * Whether the template can have become this URL: only its places differ, and none of them leads out of its folder.
 * @param {string} template  without a query
 * @param {string} url
 */
function isFilled (template, url) {
  const pattern = template.split(/\{[^{}]*\}/).map(escaped).join(FILLED)
  if (!new RegExp(`^${pattern}$`).test(url) || !URL.canParse(url)) return false
  const any = fillTemplate(template, Object.fromEntries(PLACES.map(name => [name, 'x'])))
  return depthOf(url) === depthOf(any)
}

/** @param {string} text */
function escaped (text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** @param {string} url */
function depthOf (url) {
  return new URL(url).pathname.split('/').length
}

module.exports = { PLACES, fillTemplate, isFilled, unknownPlaces }
