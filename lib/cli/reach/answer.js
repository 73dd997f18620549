'use strict'

// The body of an answer, for those who want all of it at once.

/** @import { IncomingMessage } from 'node:http' */

/**
 * @param {string} text
 * @returns {any} {} where it is no JSON
 */
function parseJson (text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/**
 * @param {IncomingMessage} response
 * @param {number} [maxBytes]
 */
async function readAll (response, maxBytes = Infinity) {
  const chunks = []
  let length = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBytes) break
  }
  return Buffer.concat(chunks)
}

module.exports = { parseJson, readAll }
