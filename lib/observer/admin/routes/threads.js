'use strict'

// Worker threads: what they had of the processors, and what each does where they are watched.

const { json } = require('../../../shared/admin/responses')

/** @import { Context, RouteRow } from '../router' */

const LOOK_BACK_MS = 60_000

/** @type {RouteRow[]} */
const routes = [{
  name: 'threads',
  path: '/threads',
  title: 'worker threads: how busy, in which function, their stalls',
  methods: { GET: { scope: 'metrics', cost: 'threads', handle: threads } }
}]

/** @param {Context} context */
async function threads ({ sources }) {
  return json(200, { ...await sources.threads(), load: sources.threadLoad(LOOK_BACK_MS) })
}

module.exports = { routes }
