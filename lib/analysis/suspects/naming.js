'use strict'

// What a suspect is called: by the nearest name on the way to it that can be searched for in the source.

/** @import { Step } from './retainer-path' */

const LISTENERS = '_events' // of an EventEmitter: event → listener, or an array of them
const REDACTED = '[redacted]' // see observer/heap/redaction/

/** @param {Step} step */
function isNamed ({ by, name, isRepeated = false }) {
  return (by === 'property' || by === 'variable') && name !== '' && name !== '__proto__' && name !== REDACTED && !isRepeated
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
  const last = path.findLast(isNamed)?.name ?? className
  if (!isOfListeners(path)) return last
  const emitter = path.slice(0, path.findLastIndex(({ name }) => name === LISTENERS)).findLast(isNamed)
  if (emitter === undefined) return last
  return last === LISTENERS ? emitter.name : `${emitter.name}.on('${last}')`
}

module.exports = { isNamed, isOfListeners, nameOf }
