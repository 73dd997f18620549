'use strict'

// The backend 'otlp': profiles to an OpenTelemetry collector, or whoever else takes OTLP over HTTP. The protocol is in development.

const { DESTINATIONS } = require('../../shared/egress/destinations')
const { profileOf } = require('../../shared/egress/item-profile')
const { joinPath } = require('../../shared/egress/addresses')
const { encodeProfilesRequest } = require('../../shared/egress/otlp-request')

/** @import { RequestFor } from './backends' */

const { method, path } = DESTINATIONS.otlp

/** @type {RequestFor} */
function requestForOtlp (item, settings) {
  const found = profileOf(item, settings)
  if (found === null) return null
  const { id, labels } = item
  return {
    method,
    url: joinPath(settings.url, path).href,
    headers: { 'content-type': 'application/x-protobuf' },
    body: encodeProfilesRequest(found.message, { id, labels, trace: found.trace })
  }
}

module.exports = { requestForOtlp }
