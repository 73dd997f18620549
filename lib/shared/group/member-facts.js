'use strict'

// Identifies a process as a member of a group, and defines what it writes about itself in a file next to its control socket, so that members are
// found without asking a process that is stopped or blocked.

const fs = require('node:fs')
const path = require('node:path')
const { isRunning } = require('../admin/claims')
const { CONTROL_PIPE, hasNamedPipes, isTrustedFile } = require('../admin/control-directory')
const { openRegularFile } = require('../../base/regular-file')
const { count, optional, orNull, record, text, textOf, time } = require('../../base/shapes')
const { ownNamespace, processStart } = require('../../base/system/process-ids')
const { replaceFile } = require('../../base/system/replace-file')

/**
 * @typedef {object} MemberIdentity  of no other process, also of other containers and of earlier ones with the same process id
 * @property {number} pid        in its own namespace
 * @property {string} start      in the unit of its system; '0' if unknown
 * @property {string} namespace  of its pid
 *
 * @typedef {object} StoredFacts
 * @property {number} startedAt  milliseconds since the epoch
 * @property {string} appName
 * @property {string} group
 * @property {string} version    of loopscope
 * @property {string | null} instance  among its siblings, as PM2 or the cluster counts them
 * @property {string} socket     its name, in the same directory
 * @property {string} [pipe]     what listens in its place on Windows
 *
 * @typedef {MemberIdentity & StoredFacts} MemberFacts
 */

const OWNER_ONLY = 0o600
const MAX_BYTES = 8192
const SOCKET = /^\d+(-\w+)?\.sock$/
const FACTS = /^\d+(-\w+)?\.json$/
const isFacts = record({
  pid: count,
  start: textOf(/^\d+$/),
  namespace: textOf(/^\w+$/),
  startedAt: time,
  appName: text,
  group: text,
  version: text,
  instance: orNull(text),
  socket: textOf(SOCKET),
  pipe: optional(textOf(CONTROL_PIPE))
})

/** @param {string} socket */
function factsName (socket) {
  return socket.replace(/\.sock$/, '.json')
}

/** Where a process listens. @param {string} directory @param {Pick<MemberFacts, 'socket' | 'pipe'>} facts */
function addressOf (directory, { socket, pipe }) {
  return hasNamedPipes() && pipe !== undefined ? pipe : path.join(directory, socket)
}

/**
 * The name of the socket of a process whose own is taken by one of another namespace with the same id.
 * @param {number} pid
 * @param {string} namespace
 */
function socketNameOfNamespace (pid, namespace) {
  return `${pid}-${namespace}.sock`
}

/** Written atomically. @param {string} directory @param {MemberFacts} facts */
function writeFacts (directory, facts) {
  const file = path.join(directory, factsName(facts.socket))
  const made = `${file}.${facts.namespace}`
  fs.rmSync(made, { force: true })
  fs.writeFileSync(made, JSON.stringify(facts), { mode: OWNER_ONLY, flag: 'wx' })
  replaceFile(made, file)
}

/** @param {string} directory @param {string} socket */
function removeFacts (directory, socket) {
  fs.rmSync(path.join(directory, factsName(socket)), { force: true })
}

/**
 * @param {string} directory  a trusted one
 * @param {string} name  of the file
 * @param {readonly number[]} users
 * @returns {MemberFacts | null} null: there is none, or it is not to be believed
 */
function readFacts (directory, name, users) {
  try {
    const { fd, stats } = openRegularFile(path.join(directory, name), { follow: false })
    try {
      if (!isTrustedFile(stats, users) || stats.size > MAX_BYTES) return null
      const facts = JSON.parse(fs.readFileSync(fd, 'utf8'))
      return isFacts(facts) && factsName(facts.socket) === name ? facts : null
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return null
  }
}

/**
 * @param {string} directory  a trusted one
 * @param {readonly number[]} users
 */
function listFacts (directory, users) {
  return fs.readdirSync(directory).filter(name => FACTS.test(name)).flatMap(name => readFacts(directory, name, users) ?? [])
}

/** @returns {MemberIdentity} of this process */
function ownIdentity () {
  return { pid: process.pid, start: processStart(process.pid), namespace: ownNamespace() }
}

/** @param {MemberIdentity} identity */
function memberIdOf ({ pid, start, namespace }) {
  return `${pid}-${start}-${namespace}`
}

/** @param {string} memberId @returns {MemberIdentity} */
function identityOfId (memberId) {
  const [pid, start, namespace] = memberId.split('-')
  return { pid: Number(pid), start, namespace }
}

/**
 * As far as the system reports it; for processes of another namespace it does not, so they are asked.
 * @param {MemberIdentity} identity
 */
function isKnownToRun ({ pid, start, namespace }) {
  return start !== '0' && namespace === ownNamespace() && isRunning(`${pid}-${start}`)
}

module.exports = { FACTS, SOCKET, addressOf, factsName, identityOfId, isKnownToRun, listFacts, memberIdOf, ownIdentity, readFacts, removeFacts, socketNameOfNamespace, writeFacts }
