'use strict'

// What a route may cost the application's thread, and what bounds it: each method of each route declares one. The routes and the
// sources hold to it; a test asks all of them at once, many times, and counts.

const COSTS = Object.freeze({
  nothing: 'the observer answers by itself',
  question: 'a short question, one at a time: who comes meanwhile shares the next answer',
  findings: 'two short questions a second apart, and the recorder ends its window: one at a time, shared, and a second of rest',
  threads: 'watched worker threads end their windows, which pass through the main thread: one at a time, shared',
  window: 'the recorder ends its window, at most ten times a second',
  reading: 'sampled allocations are read, which collects garbage: one at a time, shared, and at most a tenth of the time',
  report: 'a diagnostic report is made: one at a time, shared, within the budget of its kind',
  profiles: 'each process of the group is asked for a profile, at the cost of its own: four at a time',
  group: 'each process of the group is asked what one costs: one question at a time, shared',
  capture: 'a capture, within the budget of its kind',
  captures: 'a capture in each process of the group, each within its own budget; one of a kind at a time'
})

/** @typedef {keyof typeof COSTS} Cost */

module.exports = { COSTS }
