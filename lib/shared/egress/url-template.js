'use strict'

// A URL with places to fill in: `https://bucket.example/{service}/{host}/{file}`.

const PLACES = Object.freeze(['service', 'pid', 'host', 'kind', 'file', 'time'])
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

module.exports = { PLACES, fillTemplate, unknownPlaces }
