'use strict'

// Functions of ours that the observer calls through the inspector, in the middle of whatever this thread does: properties of the global
// object under symbols that only this process's observer is told.

/**
 * @param {object} parts
 * @param {string} parts.id  other copies of this package have theirs
 * @param {Record<string, Function>} parts.functions
 */
function createHiddenFunctions ({ id, functions }) {
  const symbolOf = (/** @type {string} */ name) => Symbol.for(`loopscope.${name}.${id}`)
  return {
    define () {
      for (const [name, value] of Object.entries(functions)) {
        Object.defineProperty(globalThis, symbolOf(name), { value, configurable: true })
      }
    },
    remove () {
      for (const name of Object.keys(functions)) Reflect.deleteProperty(globalThis, symbolOf(name))
    },
    /** @param {string} name */
    expressionOf: name => `globalThis[Symbol.for(${JSON.stringify(symbolOf(name).description)})]`
  }
}

module.exports = { createHiddenFunctions }
