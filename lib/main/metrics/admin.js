'use strict'

// The admin surface: what it was asked, and who was turned away.

/** @import { MetricDefinition } from './metric' */

/**
 * @typedef {object} AdminReading
 * @property {{ endpoint: string, code: number, count: number }[]} requests
 * @property {{ reason: string, count: number }[]} refusals
 */
/** @typedef {{ admin?: { read (): AdminReading } }} AdminSources */

/** @type {readonly MetricDefinition[]} */
module.exports = Object.freeze([
  {
    name: 'loopscope_admin_requests_total',
    help: 'Requests to the admin surface, by endpoint and status',
    type: 'counter',
    labelNames: ['endpoint', 'code'],
    aggregator: 'sum',
    source: 'admin',
    collect: ({ admin }) => admin.read().requests.map(({ endpoint, code, count }) => ({
      labels: { endpoint, code: String(code) },
      value: count
    }))
  },
  {
    name: 'loopscope_admin_refusals_total',
    help: 'Requests to the admin surface that were turned away, by reason (missing, bad, scope, host, origin)',
    type: 'counter',
    labelNames: ['reason'],
    aggregator: 'sum',
    source: 'admin',
    collect: ({ admin }) => admin.read().refusals.map(({ reason, count }) => ({ labels: { reason }, value: count }))
  }
])
