'use strict'

// A service with OpenTelemetry's SDK: its stalls are found in its traces. And one without: nothing of OpenTelemetry is loaded for us.

const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually, makeApplication, start, PRELOAD } = require('./environment')
const { skipWithout } = require('./installed')

const PACKAGES = ['@opentelemetry/api', '@opentelemetry/instrumentation-http', '@opentelemetry/sdk-trace-node', 'express']
const skip = skipWithout(...PACKAGES)

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const HEADERS = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` }

async function startTraced (t) {
  const folder = makeApplication(t, { fixtures: ['traced.js'], packages: PACKAGES })
  const app = start(t, ['traced.js'], { cwd: folder })
  const { port } = await app.until(/^listening$/)
  const get = async (path, headers) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json()
  return { ...app, get }
}

/** A stall that was reported for this request, with the span that was active in it; the machine may keep others from being seen. */
function stallOf (app, route, headers) {
  return eventually(async () => {
    const span = await app.get(route.replace(':id', '4711'), headers)
    const find = () => app.said(/^event loop stalled/).find(({ stall }) => stall.trace?.spanId === span.spanId && stall.culprit?.function === 'blockForAWhile')
    const line = await Promise.race([eventually(find), new Promise(resolve => setTimeout(resolve, 3000))])
    return line && { line, span }
  }, () => app.lines().map(({ msg }) => msg).join('\n'))
}

test('a stall has the trace of the active span, and the span has the stall as an event', { skip }, async t => {
  const app = await startTraced(t)
  const { line, span: { traceId, spanId } } = await stallOf(app, '/open/:id')
  assert.deepEqual(line.stall.trace, { traceId, spanId })
  assert.deepEqual([line.trace_id, line.span_id], [traceId, spanId])

  const { events } = await eventually(async () => (await app.get('/spans')).find(span => span.spanId === spanId))
  const { name, attributes, time } = events.find(({ attributes }) => attributes['code.function.name'] === 'blockForAWhile')
  assert.equal(name, 'event_loop.stall')
  assert.equal(attributes['event_loop.stall.cause'], line.stall.cause)
  assert.equal(attributes['event_loop.stall.duration'], line.stall.durationMs / 1e3)
  assert.equal(attributes['http.route'], '/open/:id')
  assert.equal(time[0] * 1e3 + Math.round(time[1] / 1e6), line.stall.at)
})

test('a span that is over when its stall is explained has the stall as a span below it, and the line has its trace', { skip }, async t => {
  const app = await startTraced(t)
  const { line, span } = await stallOf(app, '/over/:id', HEADERS)
  assert.equal(span.traceId, CALLER.traceId, 'the SDK goes on with the trace of the caller')
  assert.notEqual(span.spanId, CALLER.spanId)
  assert.deepEqual([line.trace_id, line.span_id], [span.traceId, span.spanId])
  const stalled = await eventually(async () => (await app.get('/spans')).find(({ name, parent }) => name === 'event_loop.stall' && parent === span.spanId))
  assert.equal(stalled.traceId, CALLER.traceId)
  assert.equal(stalled.attributes['code.function.name'], 'blockForAWhile')
  assert.equal(stalled.attributes['event_loop.stall.duration'], line.stall.durationMs / 1e3)
  assert.deepEqual(app.lines().filter(({ code }) => code !== undefined), [])
})

test('a span of the application within that of the request is the one that was active', { skip }, async t => {
  const app = await startTraced(t)
  const { line, span } = await stallOf(app, '/inner/:id')
  assert.equal(line.span_id, span.spanId)
  const spans = await eventually(async () => {
    const all = await app.get('/spans')
    return all.some(({ name }) => name === 'count the stock') && all
  })
  assert.ok(spans.some(({ name, spanId }) => name === 'count the stock' && spanId === span.spanId))
})

// prom-client, a dependency of ours, loads the API for itself.
const WITHOUT = `
const Module = require('node:module')
const resolve = Module._resolveFilename
const asked = []
Module._resolveFilename = function (name, parent, ...rest) {
  if (name.includes('opentelemetry')) {
    if (parent.filename.includes('prom-client')) return resolve.call(this, name, parent, ...rest)
    asked.push(parent.filename)
    throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' })
  }
  return resolve.call(this, name, parent, ...rest)
}
process.on('SIGTERM', () => {
  console.log(JSON.stringify({ msg: 'asked', asked, registered: Symbol.for('opentelemetry.js.api.1') in globalThis }))
  process.exit()
})
`

test('where it is not installed nobody asks for it, and the header tells the trace', async t => {
  const folder = makeApplication(t, { files: { 'without.js': WITHOUT } })
  const app = start(t, ['shop.js'], { cwd: folder, env: { NODE_OPTIONS: `--require ./without.js ${PRELOAD}` } })
  const { port } = await app.until(/^listening$/)
  const line = await eventually(async () => {
    await (await fetch(`http://127.0.0.1:${port}/stall/4711`, { headers: HEADERS })).text()
    return app.said(/^event loop stalled/).find(({ trace_id: traceId }) => traceId !== undefined)
  }, () => app.lines().map(({ msg }) => msg).join('\n'))
  assert.deepEqual(line.stall.trace, CALLER)
  app.child.kill('SIGTERM')
  const { asked, registered } = await app.until(/^asked$/)
  assert.deepEqual(asked, [])
  assert.equal(registered, false)
})
