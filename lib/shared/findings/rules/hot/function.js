'use strict'

// The application's own JavaScript.

const { placed } = require('../../words')
const { builtinOf } = require('./builtins')
const { isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// Without stalls: the heaviest function of a healthy service has some tenth of its time.
const ENOUGH = Object.freeze({ ofTime: 0.4, ofBusy: 0.35 })

/** @type {HotRule} */
module.exports = {
  id: 'hot-function',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const { why, instead, name } = builtinOf(spot)
    const work = name === null ? placed(spot.culprit) : `${name}, called in ${placed(spot.culprit)}`
    return spotFinding('hot-function', spot, readings, { work, why, instead })
  }
}
