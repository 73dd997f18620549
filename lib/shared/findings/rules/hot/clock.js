'use strict'

// Reading the time of day in a hot path. V8 has no frame for it: it is known by what is written on the line.

const { adviceOf } = require('../../../sync-calls/advice')
const { placed } = require('../../words')
const { isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// A line with it may do other things as well: only where it is plainly the place.
const ENOUGH = Object.freeze({ ofTime: 0.25, ofBusy: 0.25 })

/** @type {HotRule} */
module.exports = {
  id: 'hot-clock',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const { why, instead } = adviceOf('Date.now')
    const finding = spotFinding('hot-clock', spot, readings, { work: `a line that reads the clock: ${placed(spot.culprit)}`, why, instead })
    return { ...finding, confidence: 'medium' }
  }
}
