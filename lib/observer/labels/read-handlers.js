'use strict'

// Where the functions begin that answer routes: the main thread hands them over as what they are, and V8 tells. It is done once a route.

/** @import { Handler } from './knowledge' */

const GROUP = 'loopscope-handlers'

/** @typedef {(method: string, params: object) => Promise<any>} Post  to the inspector of the main thread */

/**
 * @param {Post} post
 * @param {string} expression  yields an array: a route, its functions, another route …
 * @returns {Promise<Handler[]>} rejects when there is no session
 */
async function readHandlers (post, expression) {
  const { result: { objectId } } = await post('Runtime.evaluate', { expression, objectGroup: GROUP, silent: true })
  try {
    const { result: elements } = await post('Runtime.getProperties', { objectId, ownProperties: true })
    /** @type {Handler[]} */
    const found = []
    let route = ''
    for (const { name, value } of elements) {
      if (!/^\d+$/.test(name)) continue
      if (value.type === 'string') route = value.value
      else found.push(...await locate(post, value.objectId, route))
    }
    return found
  } finally {
    await post('Runtime.releaseObjectGroup', { objectGroup: GROUP })
  }
}

/**
 * @param {Post} post
 * @param {string} objectId
 * @param {string} route
 * @returns {Promise<Handler[]>} none for what is built in or bound
 */
async function locate (post, objectId, route) {
  const { internalProperties = [] } = await post('Runtime.getProperties', { objectId, ownProperties: true })
  const location = internalProperties.find((/** @type {{ name: string }} */ { name }) => name === '[[FunctionLocation]]')?.value?.value
  return location === undefined ? [] : [{ ...location, route }]
}

module.exports = { readHandlers }
