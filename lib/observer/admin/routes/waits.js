'use strict'

// Where requests wait: what was sampled in the last minutes, or all requests from now on for some seconds.

const { json } = require('../../../shared/admin/responses')
const { VIEW_PARAMETERS } = require('../views')

/** @import { Context, RouteRow } from '../router' */

const { seconds, route } = VIEW_PARAMETERS

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'waits',
    path: '/waits',
    title: 'where requests wait, by line: ?seconds=10, &route=',
    methods: { GET: { scope: 'profile', cost: 'waits', parameters: { seconds, route }, handle: waits } }
  }
]

/** @param {Context} context */
async function waits ({ parameters, sources, signal }) {
  return json(200, await sources.waits(parameters, signal))
}

module.exports = { routes }
