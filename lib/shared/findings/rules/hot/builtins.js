'use strict'

// What is known of builtins that take long: why, what to write instead, and how they are called where their name alone says too little. Pure.

const { adviceOf } = require('../../../sync-calls/advice')

/** @import { Spot } from '../../readings' */

/** @typedef {{ why: string, instead: string, name: string | null }} Builtin */

const EXPRESSION = Object.freeze({
  why: 'a regular expression that can match in many ways tries all of them: the time may double with each character of the input',
  instead: 'write it without nested or overlapping repetitions, limit the length of the input, or use an engine without backtracking (re2)'
})
const ALWAYS_EXPRESSION = /^RegExp\.|(^|\.)(match|matchAll|search|test|exec)$/
// With an expression or with a plain string.
const REPLACE = /(^|\.)(replace|replaceAll)$/
const SPLIT = /(^|\.)split$/
const WITH_STRING = /\.replace(All)?\(\s*(['"`])/
const WITH_LITERAL = /\.split\(\s*\/[^/*]/

/** @type {[RegExp, Omit<Builtin, 'name'> & { name?: string }][]} */
const OTHERS = [
  [/sort$|toSorted$/i, {
    why: 'sorting takes the more time the more there is, and calls the comparator for each pair',
    instead: 'keep it sorted, let the database sort, sort only the page that is shown, and compute keys once'
  }],
  [/structuredClone$/, {
    why: 'it copies everything that can be reached from the value, on the event loop',
    instead: 'copy only what changes, or share it and freeze it'
  }],
  [/^(update|digest)$/, { ...adviceOf('crypto.createHash().update'), name: 'hashing (crypto)' }],
  [/^end$/, {
    why: 'what is written is turned into bytes and handed to the system on the event loop, a long string all at once',
    instead: 'send less of it (pages, fields) or in pieces (stream.pipeline), keep as a Buffer what does not change, and put small writes together',
    name: 'end() of a response or stream'
  }]
]
/** @type {Builtin} */
const ANY = Object.freeze({
  why: 'JavaScript runs on the event loop, and everything else waits until it is done',
  instead: 'do less of it (a cache, a limit, pages, a better algorithm), do it in pieces with setImmediate between them, or in worker_threads',
  name: null
})

/**
 * @param {Spot} spot
 * @returns {Builtin}
 */
function builtinOf ({ culprit: { call }, text }) {
  if (call === null) return ANY
  if (isExpression(call, text)) return { ...EXPRESSION, name: `${call} (regular expression)` }
  return { ...ANY, name: call, ...OTHERS.find(([name]) => name.test(call))?.[1] }
}

/**
 * @param {string | null} call
 * @param {string} text  of the line
 */
function isExpression (call, text) {
  if (call === null) return false
  return ALWAYS_EXPRESSION.test(call) || (REPLACE.test(call) && !WITH_STRING.test(text)) || (SPLIT.test(call) && WITH_LITERAL.test(text))
}

module.exports = { builtinOf, isExpression }
