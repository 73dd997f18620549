'use strict'

// The metrics of the group of this process, wired.

const { identityOfId, isKnownToRun, memberIdOf, ownIdentity } = require('../../shared/group/member-identity')
const { warnOnce } = require('../../shared/base/warnings')
const { createGroupMetrics } = require('./group-metrics')

/** @import { Member } from '../../shared/group/members' */
/** @import { Logger } from '../../../types/diagnostics' */

/**
 * @param {object} parts
 * @param {string} parts.controlDir
 * @param {string} parts.group
 * @param {() => Promise<Member[]>} parts.members
 * @param {Pick<Logger, 'warn'>} parts.log
 */
function ownGroupMetrics ({ controlDir, group, members, log }) {
  return createGroupMetrics({
    controlDir,
    group,
    memberId: memberIdOf(ownIdentity()),
    members,
    isRunning: memberId => isKnownToRun(identityOfId(memberId)), // also one that closed its socket
    warn: problem => warnOnce(log, 'LOOPSCOPE_WARN_GROUP_COUNTERS', problem)
  })
}

module.exports = { ownGroupMetrics }
