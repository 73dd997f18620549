'use strict'

// The group of this process, wired: who is in it, and what it has counted, which is loaded with the first question.

const { errors } = require('../../shared/base/errors')
const { listMembers } = require('../../shared/group/members')

/** @import { Member } from '../../shared/group/members' */
/** @import { Logger } from '../../../types/diagnostics' */

/**
 * @typedef {object} OwnGroup
 * @property {string} name
 * @property {() => Promise<Member[]>} members
 * @property {() => ReturnType<typeof import('./own-group-metrics').ownGroupMetrics>} metrics
 *
 * @param {{ controlDir: string | null, group: string }} application  controlDir null: it has no control socket
 * @param {Pick<Logger, 'warn'>} log
 * @returns {() => OwnGroup} throws ERR_LOOPSCOPE_NO_GROUP
 */
function createOwnGroup ({ controlDir, group: name }, log) {
  if (controlDir === null) return () => { throw new errors.ERR_LOOPSCOPE_NO_GROUP() }
  const members = () => listMembers({ directories: [controlDir], group: name })
  /** @type {ReturnType<OwnGroup['metrics']> | undefined} */
  let made
  const metrics = () => {
    made ??= require('./own-group-metrics').ownGroupMetrics({ controlDir, group: name, members, log })
    return made
  }
  return () => ({ name, members, metrics })
}

module.exports = { createOwnGroup }
