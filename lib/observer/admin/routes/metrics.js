'use strict'

// The metrics of this process, or of its group, for Prometheus and as data. While the main thread is blocked they are its last ones, plus the one
// number that only another thread can provide.

const { prefersOpenMetrics, writeExposition } = require('../../../shared/group/exposition')
const { json, text } = require('../../../shared/admin/responses')
const { refuse } = require('../../../base/validate')
const { flag, oneOf } = require('../parameters')
const { nullWhenBlocked } = require('../../../link/main-client')
const { readRoute } = require('../router')

/** @import { Metric } from '../../group/sum-metrics' */
/** @import { Context, RouteRow, Sources } from '../router' */

const BLOCKED_NOW = 'loopscope_eventloop_blocked_now_seconds'
const BLOCKED_NOW_HELP = 'How long the event loop has been stuck at this moment, 0 while it turns; seen from another thread'
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8'
const NO_READING = Object.freeze({ openedAtMs: null, readAtMs: null, contentType: TEXT_FORMAT, metrics: Object.freeze([]) })

/** @type {RouteRow[]} */
const routes = [
  readRoute('/metrics', 'the registry, for Prometheus; ?group=1: of all processes of the group', { scope: 'metrics', cost: 'question', parameters: { format: oneOf(['text', 'json']), group: flag() }, handle: metrics })
]

/** @param {Context} context */
function metrics (context) {
  const { group = false, format = 'text' } = context.parameters
  if (group && format !== 'text') refuse('parameter format', 'text with group=1', format)
  if (group) return ofGroup(context)
  return format === 'json' ? asData(context) : asText(context)
}

/** @param {Context} context */
async function asText ({ sources, request }) {
  const known = await sources.ask(prefersOpenMetrics(String(request.headers.accept ?? '')) ? 'openMetrics' : 'metrics').catch(nullWhenBlocked)
  const { contentType, text: exposition } = known?.value ?? { contentType: TEXT_FORMAT, text: '' }
  return text(200, withMetric(exposition, blockedNow(sources)), { 'Content-Type': contentType, ...staleHeader(known) })
}

/** Metrics as data, for the sums of a group. @param {Context} context */
async function asData ({ sources }) {
  const known = await sources.ask('metricsReading').catch(nullWhenBlocked)
  const reading = known?.value ?? NO_READING
  return json(200, { ...reading, metrics: [...reading.metrics, blockedNow(sources)] }, staleHeader(known))
}

/** @param {Context} context */
async function ofGroup ({ sources, signal }) {
  const { contentType, text: exposition } = await sources.group().metrics().read(signal)
  return text(200, exposition, { 'Content-Type': contentType })
}

/** @param {{ at: number, isStale: boolean } | null} known @returns {Record<string, string>} */
function staleHeader (known) {
  return known?.isStale ? { 'X-Loopscope-Stale-Since': new Date(known.at).toISOString() } : {}
}

/** @param {Sources} sources @returns {Metric} */
function blockedNow (sources) {
  const { blockedMs } = sources.loopNow()
  return { name: BLOCKED_NOW, help: BLOCKED_NOW_HELP, type: 'gauge', aggregator: 'max', values: [{ labels: {}, value: blockedMs / 1e3 }] }
}

/** @param {string} exposition @param {Metric} metric */
function withMetric (exposition, metric) {
  const written = writeExposition([metric], TEXT_FORMAT)
  const end = '# EOF\n'
  if (exposition.endsWith(end)) return exposition.slice(0, -end.length) + written + end
  const lineEnd = exposition.endsWith('\n') || exposition === '' ? '' : '\n'
  return `${exposition}${lineEnd}${written}`
}

module.exports = { routes }
