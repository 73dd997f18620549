'use strict'

// The admin surface's end on the main thread, wired: the observer serves it, and needs the main thread for what only it
// knows or may do.

const { createRelaySender } = require('../../bridge/relay')
const { createRuleCounts } = require('../rules/rule-counts')
const { createApplications } = require('./applications')
const { createRequestCounts } = require('./request-counts')

/** @import { Ask, Handlers, Tell } from '../../bridge/channel' */
/** @import { ToMain } from '../../bridge/messages' */

/**
 * @param {object} parts
 * @param {Ask} parts.ask  the observer, once it is ready
 * @param {Tell} parts.tell
 */
function createAdminServing ({ ask, tell }) {
  const applications = createApplications({ ask, tell })
  const counts = createRequestCounts()
  const rules = createRuleCounts()
  return {
    relay: createRelaySender({ ask }),
    applications,
    counts,
    rules,
    /** For what the observer says and asks of it. @type {Pick<Handlers<ToMain>, 'log' | 'counted' | 'ruleActed' | 'loopCounts' | 'metrics' | 'openMetrics' | 'metricsReading' | 'processReading' | 'authorize'>} */
    handlers: {
      log: line => applications.log(line),
      counted: ({ event }) => counts.count(event),
      ruleActed: ({ event }) => rules.note(event),
      metrics: params => applications.metrics(params),
      openMetrics: params => applications.openMetrics(params),
      metricsReading: params => applications.metricsReading(params),
      processReading: params => applications.processReading(params),
      loopCounts: params => applications.loopCounts(params),
      authorize: params => applications.authorize(params)
    }
  }
}

module.exports = { createAdminServing }
