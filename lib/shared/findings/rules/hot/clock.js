'use strict'

// Reading the time of day in a hot path. V8 has no frame for it: it is known by what is written on the line.

const { adviceOf } = require('../../../sync-calls/advice')
const { placed } = require('../../words')
const { isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// A line with it may do other things as well: only where it is plainly the place.
const ENOUGH = Object.freeze({ ofTime: 0.25, ofBusy: 0.25 })
// The loop is over when the clock says so: a faster clock would change nothing.
const CLOCK = String.raw`(?:Date\.now|new Date|performance\.now|process\.hrtime(?:\.bigint)?) *\(`
const WAITS_FOR_CLOCK = new RegExp(String.raw`\bwhile *\([^;{]*${CLOCK}|\bfor *\([^;]*;[^;]*${CLOCK}[^;]*;|\bif *\([^;{]*${CLOCK}[^;{]*\)\s*\{?\s*(?:break|return)\b`)
const WAITING = Object.freeze({
  why: 'a loop that looks at the clock until some time has passed does nothing meanwhile, and keeps everything else from running',
  instead: 'wait with a timer: setTimeout, or `await setTimeout(ms)` of node:timers/promises'
})

/** @type {HotRule} */
module.exports = {
  id: 'hot-clock',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    // Without a stall it is rather a loop that works until its time is up, so as to let others have theirs.
    const isWaiting = spot.stalls.count > 0 && WAITS_FOR_CLOCK.test(spot.text) && /[<>]/.test(spot.text)
    const { why, instead } = isWaiting ? WAITING : adviceOf('Date.now')
    const work = `${isWaiting ? 'a loop that waits for the clock' : 'a line that reads the clock'}: ${placed(spot.culprit)}`
    const finding = spotFinding('hot-clock', spot, readings, { work, why, instead })
    return { ...finding, confidence: 'medium' }
  }
}
