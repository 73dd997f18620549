'use strict'

// What would become of the requests if one route did less on the event loop.

const { json } = require('../../../shared/admin/responses')
const { refuse } = require('../../../base/validate')
const { assertScale, toScale } = require('../../../shared/check-what-if')
const { VIEW_PARAMETERS } = require('../views')

/** @import { Context, RouteRow } from '../router' */

/** @type {(name: string, text: string) => number} */
const scale = (name, text) => {
  const value = toScale(text)
  assertScale(name, value)
  return value
}

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'what-if',
    path: '/what-if',
    title: 'how long requests would take if a route did less on the loop: ?route=, &scale=0.25',
    methods: { GET: { scope: 'profile', cost: 'findings', parameters: { route: VIEW_PARAMETERS.route, scale }, handle: whatIf } }
  }
]

/** @param {Context} context */
async function whatIf ({ parameters: { route, scale }, sources }) {
  if (route === undefined) refuse('parameter route', 'METHOD /path/:template', route)
  return json(200, await sources.whatIf({ route, scale }))
}

module.exports = { routes }
