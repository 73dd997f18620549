'use strict'

// The metrics of the group of this process, wired.

const { isKnownToRun } = require('../../shared/group/member-facts')
const { listMembers } = require('../../shared/group/members')
const { ownNamespace } = require('../../shared/system/process-namespace')
const { processStart } = require('../../shared/system/process-start')
const { warnOnce } = require('../../shared/base/warnings')
const { createGroupMetrics } = require('./group-metrics')

/** @import { Logger } from '../../../types/diagnostics' */

/**
 * @param {object} parts
 * @param {string} parts.controlDir
 * @param {string} parts.group
 * @param {Pick<Logger, 'warn'>} parts.log
 */
function ownGroupMetrics ({ controlDir, group, log }) {
  const { pid } = process
  return createGroupMetrics({
    controlDir,
    group,
    memberId: `${pid}-${processStart(pid)}-${ownNamespace()}`,
    members: () => listMembers({ directories: [controlDir], group }),
    isRunning,
    warn: problem => warnOnce(log, 'LOOPSCOPE_WARN_GROUP_COUNTERS', problem)
  })
}

/**
 * Also one that closed its socket.
 * @param {string} memberId
 */
function isRunning (memberId) {
  const [pid, start, namespace] = memberId.split('-')
  return isKnownToRun({ pid: Number(pid), start, namespace })
}

module.exports = { ownGroupMetrics }
