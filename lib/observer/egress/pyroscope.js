'use strict'

// The backend 'pyroscope': profiles as pprof to Grafana's Pyroscope.

const { DESTINATIONS } = require('../../shared/egress/destinations')
const { profileOf } = require('../../shared/egress/item-profile')
const { joinPath } = require('../../shared/egress/addresses')
const { encodeIngestForm, seriesName } = require('../../shared/egress/pyroscope-request')

/** @import { RequestFor } from './backends' */

// What Pyroscope's own client for Node.js calls itself: its pages know the language by it.
const SPY_NAME = 'nodespy'
const { method, path } = DESTINATIONS.pyroscope
const NANOS_PER_SECOND = 1e9

/** @type {RequestFor} */
function requestForPyroscope (item, settings) {
  const found = profileOf(item, settings)
  if (found === null) return null
  const { contentType, body } = encodeIngestForm(found)
  const url = joinPath(settings.url, path)
  // No `format`: with `format=pprof` it takes the whole form for the profile.
  url.search = new URLSearchParams({
    name: seriesName(item.labels),
    from: String(Math.floor(item.fromMs / 1e3)),
    until: String(Math.ceil(item.toMs / 1e3)),
    spyName: SPY_NAME,
    ...(found.kind === 'cpu' && { sampleRate: String(sampleRate(Number(found.message.period))) })
  }).toString()
  return { method, url: url.href, headers: { 'content-type': contentType }, body }
}

/** @param {number} periodNanos */
function sampleRate (periodNanos) {
  return Math.max(1, Math.round(NANOS_PER_SECOND / Math.max(1, periodNanos)))
}

module.exports = { requestForPyroscope }
