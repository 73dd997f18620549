'use strict'

// Which process a member is: of no other process, also of other containers and of earlier ones with the same process id.

const { isRunning } = require('../admin/claims')
const { ownNamespace, processStart } = require('../system/process-ids')

/**
 * @typedef {object} MemberIdentity
 * @property {number} pid        in its own namespace
 * @property {string} start      as its system counts it; '0' where it does not tell
 * @property {string} namespace  of its pid
 */

/** @returns {MemberIdentity} of this process */
function ownIdentity () {
  return { pid: process.pid, start: processStart(process.pid), namespace: ownNamespace() }
}

/** @param {MemberIdentity} identity */
function memberIdOf ({ pid, start, namespace }) {
  return `${pid}-${start}-${namespace}`
}

/**
 * @param {string} memberId
 * @returns {MemberIdentity}
 */
function identityOfId (memberId) {
  const [pid, start, namespace] = memberId.split('-')
  return { pid: Number(pid), start, namespace }
}

/**
 * As far as the system tells; nothing is known of another namespace, whose processes are asked.
 * @param {MemberIdentity} identity
 */
function isKnownToRun ({ pid, start, namespace }) {
  return start !== '0' && namespace === ownNamespace() && isRunning(`${pid}-${start}`)
}

module.exports = { identityOfId, isKnownToRun, memberIdOf, ownIdentity }
