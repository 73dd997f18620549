'use strict'

// Finds the control sockets of this host. A socket is trusted only where nobody except the user of the process, or root, could
// have created it.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { controlDirectoryOfSession, controlDirectoryOfUser, controlSocketName, hasNamedPipes, MISSING, problemOf, temporaryFolder } = require('../../shared/admin/control-directory')
const { FACTS, SOCKET, addressOf, factsName, readFacts, socketNameOfNamespace } = require('../../shared/group/member-facts')
const { ownIds, ownName } = require('../../base/system/private-directory')
const { namespaceOf } = require('../../base/system/process-ids')
const { readProcess } = require('./process-facts')

/**
 * @param {number} pid
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ socketPath: string | null, problems: string[], candidates: string[] }} problems: sockets that exist and are not trusted;
 *   candidates: all paths that were tried
 */
function findControlSocket (pid, env) {
  const { uids, pidInside, environment } = readProcess(pid)
  const users = uids.length > 0 ? uids : ownIds()
  const temporaryFolders = [os.tmpdir(), '/tmp', environment.TMPDIR]
  const outside = hasNamedPipes()
    ? userDirectories(ownName(), [os.tmpdir()]) // any user may create \tmp there
    : users.flatMap(user => [...sessionDirectories(user, [env, environment]), ...userDirectories(user, temporaryFolders)])
  const namespace = namespaceOf(pid)
  const candidates = socketsIn(outside, pid, namespace, users)
  if (pidInside !== null && pidInside !== pid) { // it runs in a container
    const inside = outside.map(directory => path.join(`/proc/${pid}/root`, directory))
    candidates.push(...socketsIn([...outside, ...inside], pidInside, namespace, users))
  }
  const problems = []
  for (const { directory, file } of candidates) {
    const problem = problemOf(directory, file, users)
    if (problem === null) return { socketPath: file, problems: [], candidates: [] }
    if (problem !== MISSING) problems.push(problem)
  }
  return { socketPath: null, problems, candidates: candidates.map(({ file }) => file) }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ pids: number[], problems: string[] }} of this user's processes that have a control socket
 */
function listControlSockets (env) {
  /** @type {Set<number>} */
  const pids = new Set()
  const problems = []
  const { directories, users } = controlDirectories(env)
  for (const directory of directories) {
    const problem = problemOf(directory, null, users)
    if (problem === null) for (const pid of pidsIn(directory)) pids.add(pid)
    else if (problem !== MISSING) problems.push(problem)
  }
  return { pids: [...pids], problems }
}

/** The directories with the control sockets of this user's processes. @param {NodeJS.ProcessEnv} env */
function controlDirectories (env) {
  const user = ownName()
  const sessions = ownIds().flatMap(id => sessionDirectories(id, [env]))
  return { directories: [...sessions, ...userDirectories(user, [temporaryFolder(user)])], users: ownIds() }
}

/**
 * Below the runtime directories of sessions: the command line may run in another session than the process.
 * @param {number} user
 * @param {NodeJS.ProcessEnv[]} environments
 */
function sessionDirectories (user, environments) {
  const folders = environments.map(({ XDG_RUNTIME_DIR: folder = `/run/user/${user}` }) => folder)
  return [...new Set(folders)].filter(folder => path.isAbsolute(folder)).map(controlDirectoryOfSession)
}

/** @param {number | string} user @param {(string | undefined)[]} temporaryFolders */
function userDirectories (user, temporaryFolders) {
  return [...new Set(temporaryFolders)].flatMap(folder => folder === undefined ? [] : [controlDirectoryOfUser(folder, user)])
}

/**
 * A container that shares the directory may have a process with the same id: the file of facts beside a socket shows which one it belongs to.
 * @param {string[]} directories
 * @param {number} pid  in its namespace
 * @param {string | null} namespace
 * @param {number[]} users
 */
function socketsIn (directories, pid, namespace, users) {
  const usual = controlSocketName(pid)
  return directories.flatMap(directory => {
    const facts = readFacts(directory, factsName(usual), users)
    const isOfAnother = facts !== null && namespace !== null && facts.namespace !== namespace
    const names = [...(namespace === null ? [] : [socketNameOfNamespace(pid, namespace)]), ...(isOfAnother ? [] : [usual])]
    return names.map(socket => ({ directory, file: addressOf(directory, { socket, pipe: facts?.pipe }) }))
  })
}

/** @param {string} directory */
function pidsIn (directory) {
  return fs.readdirSync(directory).flatMap(name => (hasNamedPipes() ? FACTS : SOCKET).test(name) ? [Number.parseInt(name)] : []).filter(isAlive)
}

/** @param {number} pid  may since have been reused for another user's process */
function isAlive (pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

module.exports = { controlDirectories, findControlSocket, listControlSockets }
