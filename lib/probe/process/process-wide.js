'use strict'

// One thing per process, also when several applications or several copies of this package are loaded into it:
// the first to ask makes it, all share it, the last to let go stops it.

/** The preload while it waits, for diagnostics that the application starts itself: the preload's are started first, as in a process where it did not wait. */
const WAITING_PRELOAD = 'waiting-preload.1'

/**
 * @template T
 * @typedef {{ value: T, holders: number }} Held
 */

/**
 * @param {string} name  unique in the process; carries the version of the shared thing's own interface
 * @returns {symbol}
 */
function keyOf (name) {
  return Symbol.for(`loopscope.${name}`)
}

/**
 * @template T
 * @param {string} name
 * @param {() => T} create
 * @returns {{ value: T, isFirst: boolean }}
 */
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

/**
 * What somebody holds, if anybody does.
 * @param {string} name
 * @returns {unknown}
 */
function peek (name) {
  return /** @type {any} */ (globalThis)[keyOf(name)]?.value
}

/**
 * For plain data, which has nothing to give back and may outlive those who write it.
 * @template T
 * @param {string} name
 * @param {() => T} create
 * @returns {T}
 */
function share (name, create) {
  return hold(name, create).value
}

/**
 * @template T
 * @param {string} name
 * @param {(value: T) => void} dispose  called for the last holder only
 */
function release (name, dispose) {
  const key = keyOf(name)
  const place = /** @type {any} */ (globalThis)
  const held = /** @type {Held<T> | undefined} */ (place[key])
  if (held === undefined || --held.holders > 0) return
  delete place[key]
  dispose(held.value)
}

module.exports = { WAITING_PRELOAD, hold, peek, share, release }
