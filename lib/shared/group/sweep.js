'use strict'

// Removes what processes left in the control directory that were killed. Of a process of another container our system knows
// nothing: it is dead when nobody listens on its socket any more, and not before.

const fs = require('node:fs')
const path = require('node:path')
const { isAlive } = require('../system/is-alive')
const { isRefused } = require('../system/is-refused')
const { factsName, readFacts } = require('./member-facts')
const { isKnownToRun, memberIdOf } = require('./member-identity')

const NAME = /^(\d+(-\w+)?)\.(sock|json)$/

/** @import { MemberFacts } from './member-facts' */
/** @import { MemberIdentity } from './member-identity' */

/**
 * @param {string} directory  our own
 * @param {MemberIdentity} me  which does not listen yet: an observer that was lost may have
 * @param {readonly number[]} [users]
 */
async function sweep (directory, me, users = [process.geteuid?.() ?? 0]) {
  const sockets = new Set(fs.readdirSync(directory).flatMap(name => NAME.test(name) ? [name.replace(NAME, '$1.sock')] : []))
  await Promise.all([...sockets].map(async socket => {
    const facts = readFacts(directory, factsName(socket), users)
    if (mayRun(facts, Number.parseInt(socket), me) || !await isRefused(path.join(directory, socket))) return
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

module.exports = { sweep }
