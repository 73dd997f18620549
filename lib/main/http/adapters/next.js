'use strict'

// Next.js notes on a request which of its pages or route handlers matched.

const META = Symbol.for('NextInternalRequestMeta')

/**
 * @param {any} request
 * @returns {string | undefined} `/api/stall/[id]`
 */
function nextTemplate (request) {
  const template = request[META]?.match?.definition?.pathname
  return typeof template === 'string' ? template : undefined
}

module.exports = { nextTemplate }
