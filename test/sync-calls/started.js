'use strict'

// A running detector for one test, and what its tests ask of a reading.

const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { SyncCallDetector } = require('../../lib/probe/sync-calls/detector')

const DEFAULTS = resolveOptions({ syncCalls: true }, {}).syncCalls

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 */
function startDetector (t, options) {
  const detector = new SyncCallDetector({ ...DEFAULTS, ...options })
  detector.armed = true
  t.after(() => detector.stop())
  detector.start()
  return detector
}

/** Sites of an API that lie in one file. */
function sitesOf (sites, api, file) {
  return sites.filter(site => site.api === api && site.callSite.file.includes(file))
}

module.exports = { DEFAULTS, startDetector, sitesOf }
