'use strict'

// Node's diagnostic report, without what holds secrets. Making one holds the main thread up, so it has a budget, and those who come
// together share one.

const { json } = require('../../../shared/admin/responses')
const { createBudgets, policyOf } = require('../capture-policy')
const { withoutSecrets } = require('../report-secrets')
const { createCoalescer } = require('../../../shared/base/coalescer')

/** @import { Context, RouteRow, Sources } from '../router' */

/** @returns {RouteRow[]} */
function createReportRoutes () {
  const budgets = createBudgets()
  /** @type {ReturnType<typeof createCoalescer> | undefined} */
  let coalescer

  /** @param {Sources} sources */
  async function make (sources) {
    const giveBack = budgets.use('report')
    try {
      return await sources.report()
    } catch (error) {
      giveBack()
      throw error
    }
  }

  /** @param {Context} context */
  async function report ({ sources }) {
    coalescer ??= createCoalescer({ take: () => make(sources) })
    const waitSeconds = coalescer.isWaiting ? 0 : budgets.waitSeconds('report')
    if (waitSeconds > 0) {
      const headers = { 'Retry-After': String(waitSeconds) }
      return { status: 429, detail: 'The budget of reports is used up.', remedy: `Wait ${waitSeconds} s.`, headers }
    }
    return json(200, withoutSecrets(await coalescer.share()), { 'Content-Disposition': 'attachment; filename="report.json"' })
  }
  return [{
    name: 'report',
    path: '/report',
    title: "Node's diagnostic report",
    methods: { GET: { scope: policyOf('report').scope, cost: 'report', handle: report } }
  }]
}

module.exports = { createReportRoutes }
