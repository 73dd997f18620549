'use strict'

// The rules of an application made from what its admin surface has: it captures, finds, logs and asks as people do through it.

const os = require('node:os')
const { createRules } = require('./rules')

/** @import { ApplicationSettings, SourceParts } from '../admin/admin-sources' */
/** @import { Sources } from '../admin/router' */

/**
 * @param {object} parts
 * @param {ApplicationSettings & { instance: string | null }} parts.application
 * @param {() => Sources} parts.sources
 * @param {Pick<SourceParts, 'settings' | 'main' | 'stalls' | 'logNow' | 'egress' | 'channel'>} parts.observer
 */
function createApplicationRules ({ application, sources, observer }) {
  const { id, appName, group, version, instance, rules, rulesDryRun } = application
  const { settings: { stallThresholdMs }, main, stalls, logNow, egress, channel } = observer
  const isStuck = () => stalls.series.blockedMs() >= stallThresholdMs
  return createRules({
    rules,
    isDryRun: rulesDryRun,
    instance,
    stallThresholdMs,
    stalls,
    askLoop: question => main.ask('loopCounts', { application: id, question }),
    findFindings: () => sources().findings(),
    openFolder: () => {
      const { store } = sources()
      store.prepare()
      return store.dir
    },
    tools: {
      capture: (wanted, controls) => sources().capture(wanted, controls),
      push: async artifact => {
        const opened = egress()
        if (opened === undefined) throw new Error('egress is not open')
        return opened.push(artifact, { isUrgent: true })
      },
      // What waits for a stuck main thread is lost if it never goes on.
      say: (level, fields, message) => isStuck() ? logNow(fields, message) : sources().log[level](fields, message),
      process: { appName, group, pid: process.pid, host: os.hostname(), version }
    },
    count: (rule, outcome, actions) => channel.tell('ruleActed', { event: { rule, outcome, actions } })
  })
}

module.exports = { createApplicationRules }
