'use strict'

// The group of this process: its members, and its stored counters, which are loaded on first use.

const { errors } = require('../../base/errors')
const { identityOfId, isKnownToRun, memberIdOf, ownIdentity } = require('../../shared/group/member-facts')
const { listMembers } = require('../../shared/group/members')

/** @import { Member } from '../../shared/group/members' */
/** @import { Logger } from '../../../types/diagnostics' */

/** @typedef {ReturnType<typeof import('./group-metrics').createGroupMetrics>} GroupMetrics */

/**
 * @typedef {{ name: string, members: () => Promise<Member[]>, metrics: () => GroupMetrics }} OwnGroup
 *
 * @param {{ controlDir: string | null, group: string }} application  controlDir null: no control socket
 * @param {Pick<Logger, 'warn'>} log
 * @returns {() => OwnGroup} throws ERR_LOOPSCOPE_NO_GROUP
 */
function createOwnGroup ({ controlDir, group: name }, log) {
  if (controlDir === null) return () => { throw new errors.ERR_LOOPSCOPE_NO_GROUP() }
  const members = () => listMembers({ directories: [controlDir], group: name })
  /** @type {GroupMetrics | undefined} */
  let made
  const metrics = () => {
    made ??= makeMetrics({ controlDir, group: name, members, log })
    return made
  }
  return () => ({ name, members, metrics })
}

/** @param {{ controlDir: string, group: string, members: OwnGroup['members'], log: Pick<Logger, 'warn'> }} parts */
function makeMetrics ({ log, ...parts }) {
  const { createGroupMetrics } = require('./group-metrics')
  const { warnOnce } = require('../../base/warnings')
  return createGroupMetrics({
    ...parts,
    memberId: memberIdOf(ownIdentity()),
    isRunning: memberId => isKnownToRun(identityOfId(memberId)), // also one that closed its socket
    warn: problem => warnOnce(log, 'LOOPSCOPE_WARN_GROUP_COUNTERS', problem)
  })
}

module.exports = { createOwnGroup }
