'use strict'

// Holds one instance per process, also with several applications or several copies of this package: the first caller creates it, all share it, the
// last release stops it.

/** The waiting preload. If the application starts diagnostics itself, the preload's are started first, as without the wait. */
const WAITING_PRELOAD = 'waiting-preload.1'

/**
 * @template T
 * @typedef {{ value: T, holders: number }} Held
 */

/**
 * @param {string} name  unique in the process; carries the version of the shared instance's interface
 * @returns {symbol}
 */
function keyOf (name) {
  return Symbol.for(`loopscope.${name}`)
}

/** @template T @param {string} name @param {() => T} create @returns {{ value: T, isFirst: boolean }} */
function hold (name, create) {
  const key = keyOf(name)
  const place = /** @type {any} */ (globalThis)
  const isFirst = place[key] === undefined
  if (isFirst) {
    Object.defineProperty(place, key, { value: { value: create(), holders: 0 }, configurable: true })
  }
  const held = /** @type {Held<T>} */ (place[key])
  held.holders++
  return { value: held.value, isFirst }
}

/** The held instance, if any. @param {string} name @returns {unknown} */
function peek (name) {
  return /** @type {any} */ (globalThis)[keyOf(name)]?.value
}

/**
 * For plain data, which needs no cleanup and may outlive its writers.
 * @template T
 * @param {string} name
 * @param {() => T} create
 * @returns {T}
 */
function share (name, create) {
  return hold(name, create).value
}

/** @template T @param {string} name @param {(value: T) => void} dispose  called for the last holder only */
function release (name, dispose) {
  const key = keyOf(name)
  const place = /** @type {any} */ (globalThis)
  const held = /** @type {Held<T> | undefined} */ (place[key])
  if (held === undefined || --held.holders > 0) return
  delete place[key]
  dispose(held.value)
}

module.exports = { WAITING_PRELOAD, hold, peek, share, release }
