'use strict'

// The backend 'otlp': profiles to an OpenTelemetry collector, or whoever else takes OTLP over HTTP. The protocol is in development.

const { profileOf } = require('../../shared/egress/item-profile')
const { joinPath } = require('../../shared/egress/join-path')
const { encodeProfilesRequest } = require('../../shared/egress/otlp/profiles-request')

/** @import { RequestFor } from './backends' */

const PATH = '/v1development/profiles'

/** @type {RequestFor} */
function requestForOtlp (item, settings) {
  const found = profileOf(item, settings)
  if (found === null) return null
  const { id, labels } = item
  return {
    method: 'POST',
    url: joinPath(settings.url, PATH).href,
    headers: { 'content-type': 'application/x-protobuf' },
    body: encodeProfilesRequest(found.message, { id, labels, trace: found.trace })
  }
}

module.exports = { requestForOtlp }
