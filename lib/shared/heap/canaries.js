'use strict'

// Objects with a known identity, which show whether two snapshots number objects alike: V8 forgets the numbers when any inspector session ends, and
// the next snapshot gives most of them to other objects. They only detect that.

const COUNT = 8 // all eight at the same numbers by chance: never seen

class LoopscopeCanary {}

const CANARY_CLASS = LoopscopeCanary.name

/** @type {readonly LoopscopeCanary[] | undefined} */
let canaries

/** Makes them, once, for the whole life of the process: diagnostics that are closed and started again are still the same process. */
function installCanaries () {
  canaries ??= Object.freeze(Array.from({ length: COUNT }, () => new LoopscopeCanary()))
  return canaries
}

module.exports = { installCanaries, CANARY_CLASS }
