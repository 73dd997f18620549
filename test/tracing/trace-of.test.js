'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { noteSpan, spansOf, traceOf } = require('../../lib/probe/trace-of')
const { activeSpan, hasContexts } = require('../../lib/probe/open-telemetry')

const API = Symbol.for('opentelemetry.js.api.1')
const HEADER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const SERVER = { traceId: HEADER.traceId, spanId: '00f067aa0ba902b7' }
const INNER = { traceId: HEADER.traceId, spanId: '53995c3f42cd8ad8' }

const spanOf = ids => ({ spanContext: () => ids })
const requestOf = headers => ({ method: 'GET', headers })
const traced = () => requestOf({ traceparent: `00-${HEADER.traceId}-${HEADER.spanId}-01` })

/** What an SDK registers, as far as it is read. */
function register (t, context) {
  globalThis[API] = { version: '1.9.0', context }
  t.after(() => { delete globalThis[API] })
}

const withSpan = span => ({ active: () => ({ getValue: key => key === Symbol.for('OpenTelemetry Context Key SPAN') ? span : undefined }) })

test('without OpenTelemetry the trace is that of the header, read on demand', () => {
  assert.equal(hasContexts(), false)
  assert.equal(activeSpan(), null)
  const request = traced()
  noteSpan(request)
  assert.deepEqual(Reflect.ownKeys(request), ['method', 'headers'])
  assert.deepEqual(traceOf(request), HEADER)
  assert.equal(traceOf(requestOf({})), null)
  assert.equal(traceOf(undefined), null)
  assert.equal(traceOf({}), null)
})

test('the span of a request goes before its header, and the one that was active in the middle of it before both', t => {
  register(t, withSpan(spanOf(SERVER)))
  const request = traced()
  noteSpan(request)
  delete globalThis[API]
  assert.deepEqual(traceOf(request), SERVER)
  const inner = spanOf(INNER)
  assert.deepEqual(traceOf(request, inner), INNER)
  assert.equal(spansOf(request, inner).length, 2)
  assert.deepEqual(traceOf(undefined, inner), INNER)
})

test('a span without valid ids, or that throws, counts as none', t => {
  const nobody = spanOf({ traceId: '0'.repeat(32), spanId: '0'.repeat(16) })
  const broken = { spanContext () { throw new Error('of the SDK') } }
  assert.deepEqual(traceOf(traced(), nobody), HEADER)
  assert.deepEqual(traceOf(traced(), broken), HEADER)
  assert.deepEqual(traceOf(traced(), {}), HEADER)
})

test('no fault of an SDK comes out', t => {
  for (const context of [null, {}, { active () { throw new Error('of the SDK') } }, { active: () => undefined }, { active: () => ({}) }]) {
    register(t, context)
    assert.equal(activeSpan(), null)
    noteSpan(traced())
  }
})
