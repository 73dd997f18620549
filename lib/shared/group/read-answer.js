'use strict'

// The answer of one process as data.

/** @import { GroupAnswer } from './ask-group' */

/**
 * @param {Pick<GroupAnswer, 'problem' | 'body'>} answer
 * @returns {any} null: there is none that can be read
 */
function readAnswer ({ problem, body }) {
  if (problem !== null) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}

module.exports = { readAnswer }
