'use strict'

// What a kind of growth usually is, in one sentence that says what to look for. Hints, not findings.

const { isOfListeners, queueOf } = require('./naming')

/** @import { Holding } from './contents' */
/** @import { Step } from './retainer-path' */

const TIMER = /^(?:Timeout|Immediate|TimersList)$/
const CONTEXT = /^system \/ Context$/

/**
 * @typedef {{ className: string, path: readonly Step[], holds: readonly Holding[] }} Seen
 *
 * @type {readonly { is: (seen: Seen) => boolean, text: string }[]}
 */
const PATTERNS = Object.freeze([
  {
    is: ({ path }) => queueOf(path)?.what === 'write queue',
    text: 'More is written to the stream than its destination takes: wait for `drain` when write() returns false, and see to it that something reads it.'
  },
  {
    is: ({ path }) => queueOf(path)?.what === 'read queue',
    text: 'Nobody reads what the stream has: pipe it on, call resume(), or destroy() it.'
  },
  {
    is: ({ path }) => queueOf(path)?.kind === 'agent',
    text: 'Requests wait for a connection, or hold one: give each a time limit, read every response to its end, and bound how many are made at a time.'
  },
  {
    is: ({ path }) => isOfListeners(path),
    text: 'Listeners pile up: something calls on() for each request and never off(). Register once, use once(), or remove it when the request ends.'
  },
  {
    is: ({ className, holds }) => TIMER.test(className) || holdsAny(holds, TIMER),
    text: 'Timers pile up, and keep what their callbacks can see: clearInterval() or clearTimeout() when their work is over.'
  },
  {
    is: ({ className, holds }) => className === 'Promise' || holdsAny(holds, /^(?:Promise|PromiseReaction|Generator|AsyncFunction)/),
    text: 'Promises that are never settled keep everything that waits for them: give each a time limit.'
  },
  {
    is: ({ holds }) => holdsAny(holds, /^(?:IncomingMessage|ServerResponse|Socket|Request|Http2.*)$/),
    text: 'Finished requests are kept, with their sockets and headers: keep the few values that are needed instead.'
  },
  {
    is: ({ holds }) => holdsAny(holds, /ArrayBuffer|^(?:Buffer|Uint8Array|FastBuffer)$/),
    text: 'Buffers outside of the heap are kept by small objects; a slice keeps the whole buffer.'
  },
  {
    is: ({ className, holds }) => /^(?:WeakRef|FinalizationRegistry)$/.test(className) || holdsAny(holds, /^(?:WeakRef|WeakCell)$/),
    text: 'WeakRefs that are empty are objects too: remove them with a FinalizationRegistry.'
  },
  {
    is: ({ className }) => /^(?:Map|Set|WeakMap|WeakSet)$/.test(className),
    text: 'It gains entries and loses none: bound it (an LRU cache), let entries expire, or delete them when they are done.'
  },
  {
    is: ({ className, path }) => className === 'Array' && queueOf(path) === null,
    text: 'An array that is only pushed to: bound it, or empty it when its contents are used.'
  },
  {
    is: ({ className, holds }) => CONTEXT.test(className) || holds[0]?.name === 'Function' || holdsAny(holds, CONTEXT),
    text: 'Functions keep all variables of the scope that they were made in, those of their neighbours too.'
  },
  {
    is: ({ className, path }) => (className === 'Object' || className.startsWith('{')) && queueOf(path) === null,
    text: 'An object that is used as a map gains properties and loses none: bound it, or use a Map and delete.'
  }
])

/**
 * @param {readonly Holding[]} holds
 * @param {RegExp} className
 */
function holdsAny (holds, className) {
  return holds.some(({ name }) => className.test(name))
}

const MAX_HINTS = 2

/**
 * @param {Seen} seen
 * @returns {string[]}
 */
function patternsOf (seen) {
  return PATTERNS.filter(({ is }) => is(seen)).slice(0, MAX_HINTS).map(({ text }) => text)
}

module.exports = { patternsOf }
