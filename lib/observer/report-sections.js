'use strict'

// What a text report says of a profile besides its functions, wired: what stands out, and the synchronous calls.

const { toCodeFrame } = require('../shared/formats/profile/frame')
const { findingsSection } = require('./findings/section')
const { createSourceLines } = require('./stalls/culprit/source-lines')
const { syncCallSection } = require('./sync-calls/section')

/** @import { CpuProfile } from '../../types/profile' */

/**
 * @param {CpuProfile} profile
 * @param {string} appRoot
 */
function reportSections (profile, appRoot) {
  // Of several processes or threads there is no one loop to speak of.
  const findings = profile.processes !== undefined ? null : findingsSection(profile, { appRoot, source: createSourceLines({ appRoot }), pid: process.pid })
  const syncCalls = syncCallSection(profile, frame => toCodeFrame(frame, appRoot))
  return [findings, syncCalls].filter(section => section !== null)
}

module.exports = { reportSections }
