'use strict'

// What a suspect is called: by the nearest name on the way to it that can be searched for in the source.

/** @import { Step } from './retainer-path' */

const LISTENERS = '_events' // of an EventEmitter: event → listener, or an array of them
const TIMERS = 'TimersList' // where Node.js keeps those of one duration
const TIMER_CALLS = 'setTimeout or setInterval'
const REDACTED = '[redacted]' // see observer/heap/redaction/

/** @param {Step} step */
function isNamed ({ by, name, isRepeated = false, isOfNode = false }) {
  if (isRepeated || isOfNode) return false
  return (by === 'property' || by === 'variable') && name !== '' && name !== '__proto__' && name !== REDACTED
}

/**
 * Whether it is listeners themselves, and not what one of them has in a variable.
 * @param {readonly Step[]} path
 */
function isOfListeners (path) {
  const events = path.findLastIndex(({ name }) => name === LISTENERS)
  return events !== -1 && path.findLastIndex(isNamed) <= events + 1
}

/**
 * @param {readonly Step[]} path
 * @param {string} className  where there is no name
 */
function nameOf (path, className) {
  if (path.at(-1)?.className === TIMERS) return TIMER_CALLS
  const last = asWritten(path.findLast(isNamed)?.name ?? className)
  if (!isOfListeners(path)) return last
  const emitter = emitterOf(path.slice(0, path.findLastIndex(({ name }) => name === LISTENERS)))
  if (emitter === undefined) return last
  return last === LISTENERS ? emitter : `${emitter}.on('${last}')`
}

/**
 * Node.js has names of its own for `process`.
 * @param {readonly Step[]} path  to it
 */
function emitterOf (path) {
  return path.at(-1)?.className === 'process' ? 'process' : path.findLast(isNamed)?.name
}

/** @param {string} name */
function asWritten (name) {
  return name.replace(/^<symbol (.*)>$/, 'Symbol($1)')
}

module.exports = { isNamed, isOfListeners, nameOf }
