'use strict'

// Finds the processes of a user by their files, without asking them: one that is stopped or blocked is a member too. Files of killed processes are
// removed.

const fs = require('node:fs')
const path = require('node:path')
const { problemOf } = require('../admin/control-directory')
const { Promise } = require('../../base/globals')
const { isRefused } = require('../../base/system/is-refused')
const { ownIds } = require('../../base/system/private-directory')
const { isAlive } = require('../../base/system/process-ids')
const { addressOf, factsName, isKnownToRun, listFacts, memberIdOf, readFacts } = require('./member-facts')

/** @import { MemberFacts, MemberIdentity } from './member-facts' */

/**
 * @typedef {Pick<MemberFacts, 'pid' | 'startedAt' | 'appName' | 'group' | 'instance'> & { id: string, socketPath: string }} Member  a process of a group;
 *   id: of no other process, also of other containers and of earlier ones with the same pid
 */

const NAME = /^(\d+(-\w+)?)\.(sock|json)$/

/**
 * @param {object} wanted
 * @param {readonly string[]} wanted.directories  of control sockets; those that are not to be trusted are left out
 * @param {string} [wanted.group]  all there are, if not given
 * @param {readonly number[]} [wanted.users]  whose they may be, beside root
 * @returns {Promise<Member[]>} by instance and age, without those that are dead
 */
async function listMembers ({ directories, group, users = ownIds() }) {
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

/** @param {MemberFacts} facts @param {string} directory @returns {Member} */
function toMember (facts, directory) {
  const { pid, startedAt, appName, group, instance } = facts
  return { id: memberIdOf(facts), pid, startedAt, appName, group, instance, socketPath: addressOf(directory, facts) }
}

/** @param {Member} left @param {Member} right */
function inOrder (left, right) {
  return Number(left.instance ?? 0) - Number(right.instance ?? 0) || left.startedAt - right.startedAt || left.pid - right.pid
}

/**
 * A process is called by its pid; where two containers share a directory of sockets, two may have the same.
 * @param {readonly Member[]} members
 * @returns {(member: Member) => string}
 */
function namesOf (members) {
  return ({ id, pid }) => members.some(other => other.pid === pid && other.id !== id) ? id : String(pid)
}

/**
 * Removes the files of killed processes from the control directory. A process of another container is not visible here: it counts as dead only when
 * its socket no longer has a listener.
 * @param {string} directory  that of this process
 * @param {MemberIdentity} me  which does not listen yet: an observer that was lost may have
 * @param {readonly number[]} [users]
 */
async function sweep (directory, me, users = ownIds()) {
  const sockets = new Set(fs.readdirSync(directory).flatMap(name => NAME.test(name) ? [name.replace(NAME, '$1.sock')] : []))
  await Promise.all([...sockets].map(async socket => {
    const facts = readFacts(directory, factsName(socket), users)
    if (mayRun(facts, Number.parseInt(socket), me) || !await isRefused(addressOf(directory, facts ?? { socket }))) return
    for (const dead of [socket, factsName(socket)]) fs.rmSync(path.join(directory, dead), { force: true })
  }))
}

/**
 * @param {MemberFacts | null} facts  null: of an older version, or of a process that is about to write them
 * @param {number} pid
 * @param {MemberIdentity} me
 */
function mayRun (facts, pid, me) {
  if (facts === null) return pid !== me.pid && isAlive(pid)
  return memberIdOf(facts) !== memberIdOf(me) && isKnownToRun(facts)
}

module.exports = { listMembers, problemsOf, namesOf, sweep }
