'use strict'

// A running detector for one test, and what its tests ask of a reading.

const { createSyncCallDetector } = require('../../lib/main/sync-calls/detector')

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 */
function startDetector (t, options) {
  const detector = createSyncCallDetector(options)
  detector.armed = true
  t.after(() => detector.stop())
  detector.start()
  return detector
}

/** Sites of an API that lie in one file. */
function sitesOf (sites, api, file) {
  return sites.filter(site => site.api === api && site.callSite.file.includes(file))
}

module.exports = { startDetector, sitesOf }
