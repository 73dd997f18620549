'use strict'

// JSON.parse() and JSON.stringify() of much at once.

const { adviceOf } = require('../../../sync-calls/advice')
const { jsonOn } = require('./kind')
const { calledAt, isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// Every API spends a tenth or two of its time on JSON, and that is its work.
const ENOUGH = Object.freeze({ ofTime: 0.4, ofBusy: 0.35 })

/** @type {HotRule} */
module.exports = {
  id: 'hot-json',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const name = jsonOn(spot) ?? spot.culprit.call ?? ''
    const api = name.startsWith('JSON.') ? name : `JSON.${name}`
    const { why, instead } = adviceOf(api)
    return spotFinding('hot-json', spot, readings, { work: `${api}${calledAt(spot)}`, why, instead, evidence: { api } })
  }
}
