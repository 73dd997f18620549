'use strict'

// Marks: what somebody did to the process, beside what it did then.

const { json } = require('../../../shared/admin/responses')
const { assertKnownKeys } = require('../../../shared/base/validate')
const { readJsonBody } = require('../read-json-body')

/** @import { Context, RouteRow } from '../router' */

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'marks',
    path: '/marks',
    title: 'the last marks; POST makes one',
    methods: {
      GET: { scope: 'metrics', cost: 'nothing', handle: list },
      POST: { scope: 'profile', cost: 'nothing', handle: create }
    }
  }
]

/** @param {Context} context */
function list ({ sources }) {
  return json(200, { marks: sources.marks(), at: Date.now(), recorder: sources.recorder() })
}

/** @param {Context} context */
function create ({ request, sources }) {
  const body = readJsonBody(request)
  assertKnownKeys('the body', body, ['text'])
  return json(201, sources.mark(body.text))
}

module.exports = { routes }
