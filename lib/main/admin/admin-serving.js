'use strict'

// The admin surface's end on the main thread, wired: the observer serves it, and needs the main thread for what only it
// knows or may do.

const { createRelaySender } = require('../../bridge/relay')
const { createSites } = require('./applications')
const { createRequestCounts } = require('./request-counts')

/** @import { Ask, Tell } from '../../bridge/channel' */

/**
 * @param {object} parts
 * @param {Ask} parts.ask  the observer, once it is ready
 * @param {Tell} parts.tell
 */
function createAdminServing ({ ask, tell }) {
  const sites = createSites({ ask, tell })
  const counts = createRequestCounts()
  return {
    relay: createRelaySender({ ask }),
    sites,
    counts,
    /** For what the observer says and asks of it. @type {Pick<import('../../bridge/channel').Handlers<import('../../bridge/messages').ToMain>, 'log' | 'counted' | 'metrics' | 'authorize'>} */
    handlers: {
      log: line => sites.log(line),
      counted: ({ event }) => counts.count(event),
      metrics: params => sites.metrics(params),
      authorize: params => sites.authorize(params)
    }
  }
}

module.exports = { createAdminServing }
