'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { start } = require('./started')

const TRACE = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const HEADERS = { traceparent: `00-${TRACE.traceId}-${TRACE.spanId}-01` }

test('a stall has the trace that its request came with, in the report and in the line', async t => {
  const app = await start(t, 'routes.js')
  const isGuilty = ({ route }) => route === 'GET /guilty'
  const stall = await app.stallOf(() => Promise.all([app.get('/innocent'), app.get('/guilty', { headers: HEADERS })]), isGuilty)
  assert.deepEqual(stall.trace, TRACE)
  const line = app.lines.find(({ stall }) => stall !== undefined && isGuilty(stall))
  assert.deepEqual([line.trace_id, line.span_id], [TRACE.traceId, TRACE.spanId])
})

test('without a trace the line has no ids', async t => {
  const app = await start(t, 'routes.js')
  const stall = await app.stallOf(() => app.get('/late/1', { headers: { traceparent: '00-none' } }), ({ route }) => route === 'GET /late/:id')
  assert.equal(stall.trace, null)
  assert.equal(app.lines.some(line => 'trace_id' in line || 'span_id' in line), false)
})
