'use strict'

// What Pyroscope's /ingest takes: a form with the pprof profile and, where its own table would take it for something else, what its values are.

const { gzipSync } = require('node:zlib')
const { Label } = require('pprof-format')
const { encodeMultipart } = require('./multipart')

/** @import { Profile } from 'pprof-format' */
/** @import { EgressProfile } from '../item-profile' */

// Without it, it would take the `samples` of allocations for CPU time. In the words of its client for Go.
/** @type {Readonly<Record<EgressProfile['kind'], Record<string, object> | null>>} */
const SAMPLE_TYPES = Object.freeze({
  cpu: null,
  heap: {
    inuse_space: { units: 'bytes', 'display-name': 'inuse_space', aggregation: 'average' },
    alloc_space: { units: 'bytes', 'display-name': 'alloc_space' }
  }
})

/**
 * @param {EgressProfile} profile
 * @returns {{ contentType: string, body: Buffer }}
 */
function encodeIngestForm ({ kind, message, trace }) {
  if (trace !== null) labelSpan(message, trace.spanId)
  const config = SAMPLE_TYPES[kind]
  return encodeMultipart([
    { name: 'profile', contentType: 'application/octet-stream', bytes: gzipSync(message.encode()) },
    ...(config === null ? [] : [{ name: 'sample_type_config', contentType: 'application/json', bytes: Buffer.from(JSON.stringify(config)) }])
  ])
}

/**
 * Only the span: every other label becomes one of the series, and there would be one for each trace.
 * @param {Profile} message
 * @param {string} spanId
 */
function labelSpan (message, spanId) {
  const label = new Label({ key: message.stringTable.dedup('span_id'), str: message.stringTable.dedup(spanId) })
  for (const sample of message.sample) sample.label.push(label)
}

module.exports = { encodeIngestForm }
