'use strict'

// A synchronous call of Node's on the way of requests: the one fault with a ready remedy, since nearly all have an asynchronous twin.

const { adviceOf } = require('../../../sync-calls/advice')
const { apiOf } = require('../../api-names')
const { calledAt, isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// A twentieth: requests feel it, and it could be nothing at all. The detector of synchronous calls flags the same.
const ENOUGH = Object.freeze({ ofTime: 0.05 })

/** @type {HotRule} */
module.exports = {
  id: 'hot-sync-call',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const api = apiOf(spot.culprit.call) ?? spot.sync?.api ?? String(spot.culprit.call)
    const { why, instead, link } = adviceOf(api)
    const finding = spotFinding('hot-sync-call', spot, readings, { work: `${api}${calledAt(spot)}`, why, instead, evidence: { api, documentation: link } })
    return { ...finding, next: [`npx loopscope sync ${readings.pid}`] }
  }
}
