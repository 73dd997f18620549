'use strict'

// What can go wrong with a file of the user, as a sentence.

const { Failure } = require('../failure')

/**
 * @template T
 * @param {Promise<T>} work  that reads files
 * @returns {Promise<T>}
 */
async function throughFileFailures (work) {
  try {
    return await work
  } catch (/** @type {any} */ error) {
    if (error.syscall === undefined) throw error
    throw new Failure('failed', `Cannot read ${error.path ?? 'the file'}: ${error.message}`)
  }
}

module.exports = { throughFileFailures }
