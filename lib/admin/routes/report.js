'use strict'

// Node's diagnostic report, without what holds secrets.

const { json } = require('../answers')
const { withoutSecrets } = require('../report-secrets')

/** @import { Context, RouteRow } from '../router' */

/** @type {RouteRow[]} */
const routes = [{ name: 'report', path: '/report', methods: { GET: { scope: 'dump', handle: report } } }]

/** @param {Context} context */
async function report ({ sources }) {
  return json(200, withoutSecrets(await sources.report()), { 'Content-Disposition': 'attachment; filename="report.json"' })
}

module.exports = { routes }
