'use strict'

// The slow requests of all processes of a group, the slowest first, each with its process. Pure.

/** @import { Part } from '../group-answers' */
/** @import { GroupSlowRequests } from '../../../../types/group' */

const MAX_REQUESTS = 200

/**
 * @param {readonly Part[]} parts
 * @returns {Pick<GroupSlowRequests, 'requests'>}
 */
function mergeSlowRequests (parts) {
  const all = parts.flatMap(({ member: { pid }, answer }) => answer.requests.map((/** @type {any} */ request) => ({ pid, ...request })))
  return { requests: all.sort((left, right) => right.durationMs - left.durationMs).slice(0, MAX_REQUESTS) }
}

module.exports = { mergeSlowRequests }
