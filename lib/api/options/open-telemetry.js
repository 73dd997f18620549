'use strict'

// What OpenTelemetry's environment variables say about options that are not set for loopscope: the name of the service, and where OTLP goes.

// eslint-disable-next-line no-control-regex -- a name is shown in logs and on terminals
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * @param {unknown} appName  set for loopscope
 * @param {NodeJS.ProcessEnv} variables
 * @returns {unknown} else the name of OpenTelemetry, if there is one
 */
function withServiceName (appName, { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes }) {
  if (appName !== undefined) return appName
  const found = name?.trim() || pairsOf(attributes).get('service.name')
  return found && !CONTROL.test(found) ? found : undefined
}

/**
 * Destinations of the kind otlp without a URL get OpenTelemetry's, with its headers: those are credentials for that URL alone.
 * @param {unknown} egress  not checked yet
 * @param {NodeJS.ProcessEnv} variables
 * @returns {unknown}
 */
function withOtlpEndpoint (egress, variables) {
  if (Array.isArray(egress)) return egress.map(one => withOtlpEndpoint(one, variables))
  const destination = /** @type {any} */ (egress)
  const { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = variables
  const isMissing = destination?.to === 'otlp' && destination.url === undefined
  if (!isMissing || !url || protocol === 'grpc') return egress
  return { ...destination, url, headers: { ...Object.fromEntries(pairsOf(headers)), ...destination.headers } }
}

/**
 * "key=value,key=value", with percent-encoded values, as W3C Baggage has it.
 * @param {string | undefined} text
 * @returns {Map<string, string>}
 */
function pairsOf (text = '') {
  return new Map(text.split(',').flatMap(pair => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return key === undefined ? [] : [[key, decoded(value)]]
  }))
}

/** @param {string} value */
function decoded (value) {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

module.exports = { withOtlpEndpoint, withServiceName }
