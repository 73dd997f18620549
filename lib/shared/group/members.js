'use strict'

// Which processes of a user there are, told by their files and not by asking them: one that is stopped, or stuck, is a member too.

const path = require('node:path')
const { problemOf } = require('../admin/control-directory')
const { isRefused } = require('../system/is-refused')
const { listFacts } = require('./member-facts')
const { isKnownToRun, memberIdOf } = require('./member-identity')

/** @import { MemberFacts } from './member-facts' */

/**
 * @typedef {object} Member  a process of a group
 * @property {string} id  of no other process, also of other containers and of earlier ones with the same pid
 * @property {number} pid
 * @property {number} startedAt  milliseconds since the epoch
 * @property {string} appName
 * @property {string} group
 * @property {string | null} instance
 * @property {string} socketPath
 */

/**
 * @param {object} wanted
 * @param {readonly string[]} wanted.directories  of control sockets; those that are not to be trusted are left out
 * @param {string} [wanted.group]  all there are, if not given
 * @param {readonly number[]} [wanted.users]  whose they may be, beside root
 * @returns {Promise<Member[]>} by instance and age, without those that are dead
 */
async function listMembers ({ directories, group, users = [process.geteuid?.() ?? 0] }) {
  const found = [...new Set(directories)].filter(directory => problemOf(directory, null, users) === null)
    .flatMap(directory => listFacts(directory, users).map(facts => ({ facts, directory })))
    .filter(({ facts }) => group === undefined || facts.group === group)
  const members = await Promise.all(found.map(async ({ facts, directory }) => {
    const member = toMember(facts, directory)
    const isThere = problemOf(directory, member.socketPath, users) === null && (isKnownToRun(facts) || !await isRefused(member.socketPath))
    return isThere ? [member] : []
  }))
  return [...new Map(members.flat().map(member => [member.id, member])).values()].sort(inOrder)
}

/**
 * @param {readonly string[]} directories
 * @param {readonly number[]} users
 * @returns {string[]} why a directory was not looked into
 */
function problemsOf (directories, users) {
  return [...new Set(directories)].map(directory => problemOf(directory, null, users)).filter(problem => typeof problem === 'string')
}

/**
 * @param {MemberFacts} facts
 * @param {string} directory
 * @returns {Member}
 */
function toMember (facts, directory) {
  const { pid, startedAt, appName, group, instance, socket } = facts
  return { id: memberIdOf(facts), pid, startedAt, appName, group, instance, socketPath: path.join(directory, socket) }
}

/**
 * @param {Member} left
 * @param {Member} right
 */
function inOrder (left, right) {
  return Number(left.instance ?? 0) - Number(right.instance ?? 0) || left.startedAt - right.startedAt || left.pid - right.pid
}

module.exports = { listMembers, problemsOf }
