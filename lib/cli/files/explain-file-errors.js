'use strict'

// Says in a sentence why a file of the user's cannot be read.

const { Failure } = require('../failure')

/**
 * @template T
 * @param {Promise<T>} work  that reads files
 * @returns {Promise<T>}
 */
async function explainFileErrors (work) {
  try {
    return await work
  } catch (/** @type {any} */ error) {
    if (error.syscall === undefined) throw error
    throw new Failure('failed', `Cannot read ${error.path ?? 'the file'}: ${error.message}`)
  }
}

module.exports = { explainFileErrors }
