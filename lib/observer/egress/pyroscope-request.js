'use strict'

// Creates a request to Pyroscope's /ingest: a form with the pprof profile, the meaning of its values if Pyroscope's own table would guess wrong, and
// the name of the series. Pure.

const { createHash } = require('node:crypto')
const { gzipSync } = require('node:zlib')
const { Label } = require('pprof-format')

/** @import { Profile } from 'pprof-format' */
/** @import { EgressProfile } from './backends' */

/** @typedef {{ name: string, contentType: string, bytes: Uint8Array }} Part */

// Without this, Pyroscope would read the `samples` of allocations as CPU time. Same values as its Go client's.
/** @type {Readonly<Record<EgressProfile['kind'], Record<string, object> | null>>} */
const SAMPLE_TYPES = Object.freeze({
  cpu: null,
  heap: {
    inuse_space: { units: 'bytes', 'display-name': 'inuse_space', aggregation: 'average' },
    alloc_space: { units: 'bytes', 'display-name': 'alloc_space' }
  }
})

const NOT_IN_SERVICE = /[^A-Za-z0-9_./-]/g
const NOT_IN_LABEL = /[^A-Za-z0-9_]/g
// A comma or a brace would end the value; Pyroscope refuses control characters and halves of a surrogate pair.
const NOT_IN_VALUE = /[,{}\p{Cc}\p{Cs}]/gu
const DIGIT_FIRST = /^(?=\d)/
// Labels that Pyroscope sets itself, and those that begin with two underscores.
const RESERVED = /^(service_name$|pyroscope_spy$|__)/
// Pyroscope's default limits.
const MAX_LABELS = 20
const MAX_NAME_LENGTH = 1024
const MAX_VALUE_BYTES = 2048

/** @param {EgressProfile} profile @returns {{ contentType: string, body: Buffer }} */
function encodeIngestForm ({ kind, message, trace }) {
  if (trace !== null) labelSpan(message, trace.spanId)
  const config = SAMPLE_TYPES[kind]
  return encodeMultipart([
    { name: 'profile', contentType: 'application/octet-stream', bytes: gzipSync(message.encode()) },
    ...(config === null ? [] : [{ name: 'sample_type_config', contentType: 'application/json', bytes: Buffer.from(JSON.stringify(config)) }])
  ])
}

/**
 * Only the span: every other label becomes a label of the series, which would create one series per trace.
 * @param {Profile} message
 * @param {string} spanId
 */
function labelSpan (message, spanId) {
  const label = new Label({ key: message.stringTable.dedup('span_id'), str: message.stringTable.dedup(spanId) })
  for (const sample of message.sample) sample.label.push(label)
}

/**
 * A multipart form of files (RFC 7578). The same parts give the same bytes: the boundary is derived from them and does not occur in them.
 * @param {readonly Part[]} parts
 * @returns {{ contentType: string, body: Buffer }}
 */
function encodeMultipart (parts) {
  const hash = createHash('sha256')
  for (const { bytes } of parts) hash.update(bytes)
  const boundary = `loopscope-${hash.digest('hex')}`
  const body = parts.flatMap(({ name, contentType, bytes }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: ${contentType}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n')
  ])
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat([...body, Buffer.from(`--${boundary}--\r\n`)]) }
}

/**
 * `shop{host=web_1,pid=4711}`: the name of a series for /ingest. The format has no quoting, and a profile with a character that is not allowed is
 * refused.
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
 * @returns {[key: string, value: string][]} empty if nothing is left of it
 */
function labelOf (key, value) {
  const name = key.replace(NOT_IN_LABEL, '_').replace(DIGIT_FIRST, '_').slice(0, MAX_NAME_LENGTH)
  const text = cut(value.replace(NOT_IN_VALUE, '_')).trim()
  return name === '' || text === '' || RESERVED.test(name) ? [] : [[name, text]]
}

/** @param {string} text */
function cut (text) {
  const bytes = Buffer.from(text)
  // A character that is cut in half becomes a replacement character.
  return bytes.length <= MAX_VALUE_BYTES ? text : bytes.subarray(0, MAX_VALUE_BYTES).toString().replace(/\uFFFD+$/, '')
}

module.exports = { encodeIngestForm, seriesName }
