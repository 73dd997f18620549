'use strict'

// Does something again and again, by a timer of its own that keeps nothing alive. Where there are wake-ups anyway it is done at their
// occasion instead: observer/stalls/stall-watch.js.

const { guarded } = require('./guard')
const { clearInterval, setInterval } = require('./timers')

/** @typedef {(ms: number, work: () => unknown) => () => void} Every  returns what ends it */

/** @type {Every} */
function everyByTimer (ms, work) {
  const timer = setInterval(guarded(work), ms).unref()
  return () => clearInterval(timer)
}

module.exports = { everyByTimer }
