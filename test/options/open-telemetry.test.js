'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { resolveOptions } = require('../../lib/api/options/resolve-options')

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b,x-tenant=7' }

test('OpenTelemetry names the application where no option of loopscope does', () => {
  const nameOf = (env, options) => resolveOptions(options, env).appName
  assert.equal(nameOf({}), undefined)
  assert.equal(nameOf({ OTEL_SERVICE_NAME: ' shop ' }), 'shop')
  assert.equal(nameOf({ OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod, service.name=web%20shop' }), 'web shop')
  assert.equal(nameOf({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=web', OTEL_SERVICE_NAME: 'shop' }), 'shop')
  assert.equal(nameOf({ OTEL_SERVICE_NAME: 'shop', LOOPSCOPE_APP_NAME: 'store' }), 'store')
  assert.equal(nameOf({ OTEL_SERVICE_NAME: 'shop' }, { appName: 'api' }), 'api')
  for (const name of ['', ' ', 'a\u001b[31mb']) assert.equal(nameOf({ OTEL_SERVICE_NAME: name }), undefined)
  assert.equal(nameOf({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=100%,=,x' }), '100%')
})

test('its endpoint and headers are those of an OTLP destination without a URL, and of no other', () => {
  const egressOf = (egress, env = ENDPOINT) => resolveOptions({ egress }, env).egress
  const headers = { 'api-key': 'a b', 'x-tenant': '7' }
  assert.deepEqual(egressOf({ to: 'otlp' }), { to: 'otlp', url: ENDPOINT.OTEL_EXPORTER_OTLP_ENDPOINT, headers })
  assert.deepEqual(egressOf({ to: 'otlp', headers: { 'x-tenant': '8' } }).headers, { 'api-key': 'a b', 'x-tenant': '8' })
  const others = [{ to: 'otlp', url: 'http://127.0.0.1:1' }, { to: 'pyroscope', url: 'http://127.0.0.1:2' }]
  assert.deepEqual(egressOf(others), others)
  assert.deepEqual(resolveOptions({}, { ...ENDPOINT, LOOPSCOPE_EGRESS: '{"to":"otlp"}' }).egress.headers, headers)
  assert.equal(resolveOptions({}, ENDPOINT).egress, false)
  for (const env of [{}, { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }]) {
    assert.throws(() => egressOf({ to: 'otlp' }, env), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  }
  assert.throws(() => egressOf({ to: 'pyroscope' }), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
})
