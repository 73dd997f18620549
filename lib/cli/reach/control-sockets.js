'use strict'

// Where the control sockets of this host are, as the command line sees it. A socket is believed only where nobody but the
// user of the process, or root, could have put it.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { controlDirectoryOfSession, controlDirectoryOfUser, controlSocketName, ownDirectories } = require('../../shared/admin/control-path')
const { describeUnsafe } = require('../../shared/system/private-directory')
const { readProcess } = require('./process-facts')

const ROOT = 0
const WRITABLE_BY_OTHERS = 0o022

/**
 * @param {number} pid
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ socketPath: string | null, problems: string[], looked: string[] }} problems: what is there and not to be trusted;
 *   looked: where it could have been
 */
function findControlSocket (pid, env) {
  const { uids, pidInside, environment } = readProcess(pid)
  const users = uids.length > 0 ? uids : [os.userInfo().uid]
  const temporaryFolders = [os.tmpdir(), '/tmp', environment.TMPDIR]
  const outside = users.flatMap(user => [...sessionDirectories(user, [env, environment]), ...userDirectories(user, temporaryFolders)])
  const candidates = outside.map(directory => ({ directory, name: controlSocketName(pid) }))
  if (pidInside !== null && pidInside !== pid) { // it runs in a container of its own
    const name = controlSocketName(pidInside)
    candidates.push(...outside.map(directory => ({ directory: path.join(`/proc/${pid}/root`, directory), name })))
  }
  const problems = []
  for (const { directory, name } of candidates) {
    const file = path.join(directory, name)
    const problem = problemOf(directory, file, users)
    if (problem === null) return { socketPath: file, problems: [], looked: [] }
    if (problem !== MISSING) problems.push(problem)
  }
  return { socketPath: null, problems, looked: candidates.map(({ directory, name }) => path.join(directory, name)) }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ pids: number[], problems: string[] }} of this user's processes that have a control socket
 */
function listControlSockets (env) {
  const { uid } = os.userInfo()
  /** @type {Set<number>} */
  const pids = new Set()
  const problems = []
  for (const directory of [...sessionDirectories(uid, [env]), ...userDirectories(uid, [os.tmpdir()])]) {
    const problem = problemOf(directory, null, [uid])
    if (problem === null) for (const pid of pidsIn(directory)) pids.add(pid)
    else if (problem !== MISSING) problems.push(problem)
  }
  return { pids: [...pids], problems }
}

/**
 * Below the folders of the sessions; a process may have been started in one, and be asked from outside of it.
 * @param {number} user
 * @param {NodeJS.ProcessEnv[]} environments
 */
function sessionDirectories (user, environments) {
  const folders = environments.map(({ XDG_RUNTIME_DIR: folder = `/run/user/${user}` }) => folder)
  return [...new Set(folders)].filter(folder => path.isAbsolute(folder)).map(controlDirectoryOfSession)
}

/**
 * @param {number} user
 * @param {(string | undefined)[]} temporaryFolders
 */
function userDirectories (user, temporaryFolders) {
  return [...new Set(temporaryFolders)].flatMap(folder => folder === undefined ? [] : [controlDirectoryOfUser(folder, user)])
}

const MISSING = Symbol('missing')

/**
 * @param {string} directory
 * @param {string | null} socket  in it
 * @param {number[]} users  whose it has to be
 * @returns {string | typeof MISSING | null}
 */
function problemOf (directory, socket, users) {
  const uids = [...users, ROOT]
  try {
    for (const own of ownDirectories(directory)) {
      const found = describeUnsafe(fs.lstatSync(own), { uids, forbidden: WRITABLE_BY_OTHERS })
      if (found !== null) return `${own} is ${found.replace(/^one /, '')}`
    }
    if (socket === null) return null
    const stats = fs.lstatSync(socket)
    if (!stats.isSocket()) return `${socket} is no socket`
    return uids.includes(stats.uid) ? null : `${socket} is owned by uid ${stats.uid}`
  } catch {
    return MISSING // or not for us to look at
  }
}

/** @param {string} directory */
function pidsIn (directory) {
  return fs.readdirSync(directory).flatMap(name => /^\d+\.sock$/.test(name) ? [Number.parseInt(name)] : []).filter(isOurs)
}

/** @param {number} pid  which may have been given to somebody else's process since */
function isOurs (pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

module.exports = { findControlSocket, listControlSockets }
