'use strict'

// What a text report shows of a profile besides its functions: what stands out, and the synchronous calls.

const { toCodeFrame } = require('../shared/formats/profile/frame')
const { createWorkLineOf } = require('../shared/formats/profile/work-lines')
const { findingsSection } = require('./findings/section')
const { createSourceLines } = require('./stalls/culprit/source-lines')
const { syncCallSection } = require('./sync-calls/section')

/** @import { CpuProfile, EncodeContext, WorkLine } from '../../types/profile' */

/**
 * @param {CpuProfile} profile
 * @param {string} appRoot
 * @param {readonly WorkLine[]} [known]
 * @returns {Required<Pick<EncodeContext, 'sections' | 'lines'>>}
 */
function reportSections (profile, appRoot, known = []) {
  // Of several processes or threads there is no one loop to speak of.
  const findings = profile.processes !== undefined ? null : findingsSection(profile, { appRoot, source: createSourceLines({ appRoot }), pid: process.pid, known })
  const lines = findings?.lines ?? known
  const workLineOf = createWorkLineOf(lines)
  const syncCalls = syncCallSection(profile, frame => toCodeFrame(frame, appRoot, workLineOf))
  return { sections: [findings?.section ?? null, syncCalls].filter(section => section !== null), lines }
}

module.exports = { reportSections }
