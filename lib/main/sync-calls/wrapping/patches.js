'use strict'

// Puts functions in the place of others and takes them back. It does not know what they do.

const { syncBuiltinESMExports } = require('node:module')

/**
 * @typedef {object} Patch
 * @property {any} holder
 * @property {string} name
 * @property {PropertyDescriptor} descriptor  of the original
 * @property {Function} replacement
 */

class Patches {
  /** @type {Patch[]} */
  #patches = []

  /** By replacement. @type {WeakMap<Function, Function>} */
  originals = new WeakMap()

  /**
   * @param {any} holder
   * @param {string} name
   * @param {(original: any) => Function} replace
   * @returns {boolean} false where the property cannot be changed (--frozen-intrinsics)
   */
  apply (holder, name, replace) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, name)
    if (descriptor === undefined || typeof descriptor.value !== 'function') return false
    const replacement = replace(descriptor.value)
    if (!Reflect.defineProperty(holder, name, { ...descriptor, value: replacement })) return false
    this.#patches.push({ holder, name, descriptor, replacement })
    this.originals.set(replacement, descriptor.value)
    return true
  }

  /** In the opposite order, because what was put on a function was copied to the function that then took its place. */
  restore () {
    for (const patch of this.#patches.reverse()) restore(patch)
    this.#patches = []
  }

  /** What `import { readFileSync } from 'node:fs'` is bound to follows the modules' own properties only when told. */
  publish () {
    syncBuiltinESMExports()
  }
}

/** @param {Patch} patch */
function restore ({ holder, name, descriptor, replacement }) {
  // Somebody wrapped ours: theirs stays, and ours below it hands every call on.
  if (Object.getOwnPropertyDescriptor(holder, name)?.value !== replacement) return
  Reflect.defineProperty(holder, name, descriptor)
  giveBackProperties(replacement, descriptor.value)
}

/**
 * What others put on our function meanwhile was meant for the original: a polyfill's Date.x, a test's own Date.now.
 * @param {Function} replacement
 * @param {Function} original
 */
function giveBackProperties (replacement, original) {
  for (const key of Reflect.ownKeys(replacement)) {
    const theirs = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(replacement, key))
    const ours = Object.getOwnPropertyDescriptor(original, key)
    if (theirs.value !== ours?.value || theirs.get !== ours?.get) Reflect.defineProperty(original, key, theirs)
  }
}

module.exports = { Patches }
