'use strict'

// Mounts the admin surface below a path of the application, on the main thread: takes its requests, forwards them to the observer, and costs
// other requests one comparison.

const { exchange, splitTarget } = require('../../shared/admin/exchange')
const { unattended } = require('../../base/guard')
const { problemResponse, toProblem } = require('../../shared/admin/responses')

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { RequestHandler } from '../../shared/admin/exchange' */

/**
 * @param {object} parts
 * @param {string} parts.path     '/diagnostics'
 * @param {RequestHandler} parts.forward  forwards to the observer
 */
function createMount ({ path, forward }) {
  /** Requests that the observer may refer to. @type {Map<number, IncomingMessage>} */
  const requests = new Map()
  let sequence = 0

  /** @type {RequestHandler} */
  async function forwardOrExplain (request, signal) {
    try {
      return await forward(request, signal)
    } catch (error) {
      return problemResponse(toProblem(error))
    }
  }

  /**
   * @param {IncomingMessage & { originalUrl?: string }} incoming
   * @param {ServerResponse} outgoing
   * @returns {boolean} whether it was for the admin surface, and is answered by it
   */
  function take (incoming, outgoing) {
    const target = targetOf(incoming, path)
    if (target === null) return false
    const reference = ++sequence
    requests.set(reference, incoming)
    const answered = exchange(incoming, outgoing, { endpoint: 'mount', ...target, reference }, forwardOrExplain)
    unattended(answered.finally(() => requests.delete(reference)))
    return true
  }

  /** @param {number | undefined} reference */
  function requestOf (reference) {
    return reference === undefined ? undefined : requests.get(reference)
  }

  return { take, requestOf }
}

/**
 * Frameworks remove a router's mount path from `url`: the surface is at the path in the application, and at that in the router.
 * @param {IncomingMessage & { originalUrl?: string }} incoming
 * @param {string} path
 */
function targetOf (incoming, path) {
  const { url = '', originalUrl = url } = incoming
  if (originalUrl.startsWith(path)) return splitTarget(originalUrl, path)
  if (url === originalUrl || !url.startsWith(path)) return null
  const target = splitTarget(url, path)
  const prefix = prefixOf(incoming)
  return target === null || prefix === null ? null : { ...target, base: prefix + path }
}

/**
 * @param {IncomingMessage & { originalUrl?: string }} incoming
 * @returns {string | null} what routers removed; null if other code rewrote the rest
 */
function prefixOf ({ url = '', originalUrl = url }) {
  return originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : null
}

module.exports = { createMount, prefixOf }
