'use strict'

// The application's own JavaScript.

const { adviceOf } = require('../../../sync-calls/advice')
const { placed } = require('../../words')
const { isWorth, spotFinding } = require('./spot')

/** @import { HotRule } from './rules' */

// Without stalls: the heaviest function of a healthy service has some tenth of its time.
const ENOUGH = Object.freeze({ ofTime: 0.4, ofBusy: 0.35 })

/** What is known of builtins: why, what to write instead, and how it is called where its name alone says too little. */
/** @type {[RegExp, { why: string, instead: string, name?: string }][]} */
const BUILTINS = [
  [/^RegExp\.|^(match|matchAll|replace|replaceAll|test|exec|split)$/, {
    why: 'a regular expression that can match in many ways tries all of them: the time may double with each character of the input',
    instead: 'write it without nested or overlapping repetitions, limit the length of the input, or use an engine without backtracking (re2)'
  }],
  [/sort$|toSorted$/i, {
    why: 'sorting takes the more time the more there is, and calls the comparator for each pair',
    instead: 'keep it sorted, let the database sort, sort only the page that is shown, and compute keys once'
  }],
  [/structuredClone$/, {
    why: 'it copies everything that can be reached from the value, on the event loop',
    instead: 'copy only what changes, or share it and freeze it'
  }],
  [/^(update|digest)$/, { ...adviceOf('crypto.createHash().update'), name: 'hashing (crypto)' }]
]
/** @type {{ why: string, instead: string, name?: string }} */
const ANY = Object.freeze({
  why: 'JavaScript runs on the event loop, and everything else waits until it is done',
  instead: 'do less of it (a cache, a limit, pages, a better algorithm), do it in pieces with setImmediate between them, or in worker_threads'
})

/** @type {HotRule} */
module.exports = {
  id: 'hot-function',
  say (spot, readings) {
    if (!isWorth(spot, readings, ENOUGH)) return null
    const { call } = spot.culprit
    const { why, instead, name = call } = BUILTINS.find(([name]) => name.test(call ?? ''))?.[1] ?? ANY
    const work = name === null ? placed(spot.culprit) : `${name}, called in ${placed(spot.culprit)}`
    return spotFinding('hot-function', spot, readings, { work, why, instead })
  }
}
