'use strict'

// `shop{host=web_1,pid=4711}`: the name of a series as Pyroscope's /ingest takes it. It has no way to quote, and refuses the profile for a
// sign that it does not allow. Pure.

const NOT_IN_SERVICE = /[^A-Za-z0-9_./-]/g
const NOT_IN_LABEL = /[^A-Za-z0-9_]/g
// A comma or a brace would end the value; it refuses control characters and halves of a surrogate pair.
const NOT_IN_VALUE = /[,{}\p{Cc}\p{Cs}]/gu
const DIGIT_FIRST = /^(?=\d)/
// What it has of itself, and what begins with two underscores.
const RESERVED = /^(service_name$|pyroscope_spy$|__)/
// Its own limits, by default.
const MAX_LABELS = 20
const MAX_NAME_LENGTH = 1024
const MAX_VALUE_BYTES = 2048

/**
 * @param {Record<string, string>} labels  with one `service`
 * @returns {string}
 */
function seriesName ({ service, ...others }) {
  const name = service.trim().replace(NOT_IN_SERVICE, '_') || 'unknown'
  const labels = new Map(Object.entries(others).flatMap(([key, value]) => labelOf(key, value)))
  const pairs = [...labels].slice(0, MAX_LABELS).map(([key, value]) => `${key}=${value}`)
  return `${name}{${pairs.join(',')}}`
}

/**
 * @param {string} key
 * @param {string} value
 * @returns {[key: string, value: string][]} none where nothing is left of it
 */
function labelOf (key, value) {
  const name = key.replace(NOT_IN_LABEL, '_').replace(DIGIT_FIRST, '_').slice(0, MAX_NAME_LENGTH)
  const text = cut(value.replace(NOT_IN_VALUE, '_')).trim()
  return name === '' || text === '' || RESERVED.test(name) ? [] : [[name, text]]
}

/** @param {string} text */
function cut (text) {
  const bytes = Buffer.from(text)
  // Cut within a character, that one is shown as missing.
  return bytes.length <= MAX_VALUE_BYTES ? text : bytes.subarray(0, MAX_VALUE_BYTES).toString().replace(/\uFFFD+$/, '')
}

module.exports = { seriesName }
