'use strict'

// Finds a process by its name, wherever a command takes a pid: the name of the application, or of its group.

const path = require('node:path')
const { problemOf } = require('../../shared/admin/control-directory')
const { isKnownToRun, listFacts } = require('../../shared/group/member-facts')
const { ownNamespace } = require('../../base/system/process-ids')
const { Failure } = require('../failure')
const { closestName } = require('../output/closest-name')
const { controlDirectories } = require('./control-sockets')

const MAX_LISTED = 20

/** @typedef {{ pid: number, appName: string, group: string, instance: string | null, socketPath: string }} Named */

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null} its control socket; null: no process has this name
 * @throws where several have it
 */
function socketOfName (name, env) {
  const all = namedProcesses(env)
  const ofApplication = all.filter(({ appName }) => appName === name)
  const found = ofApplication.length > 0 ? ofApplication : all.filter(({ group }) => group === name)
  if (found.length <= 1) return found[0]?.socketPath ?? null
  const groups = [...new Set(found.map(({ group }) => group))]
  const combined = groups.length === 1 ? `Pass one of their pids, or --group ${groups[0]} for all of them as one.` : 'Pass one of their pids.'
  throw new Failure('usage', `${found.length} processes are called ${name}: ${listed(found.map(showInstance))}.`, combined)
}

/**
 * @param {string} name  that no process has
 * @param {NodeJS.ProcessEnv} env
 */
function noSuchName (name, env) {
  const all = namedProcesses(env)
  if (all.length === 0) return new Failure('noProcess', `No process is called ${name}: none of your processes can be reached.`, 'Start one with `loopscope run -- node app.js`, or pass a URL.')
  const names = [...new Set(all.flatMap(({ appName, group }) => [appName, group]))].sort()
  const closest = closestName(name, names)
  const meant = closest === undefined ? '' : ` Did you mean ${closest}?`
  const known = names.map(one => `${one} (${all.filter(({ appName, group }) => appName === one || group === one).map(({ pid }) => pid).join(', ')})`)
  return new Failure('noProcess', `No process is called ${name}.${meant}`, `Names: ${listed(known)}. An address begins with http://`)
}

/**
 * The processes of this user that are running, by name and pid.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Named[]}
 */
function namedProcesses (env) {
  const { directories, users } = controlDirectories(env)
  const trusted = [...new Set(directories)].filter(directory => problemOf(directory, null, users) === null)
  const found = trusted.flatMap(directory => listFacts(directory, users)
    .map(({ socket, ...facts }) => ({ ...facts, socketPath: path.join(directory, socket) }))
    // One of another container is there as long as its socket is.
    .filter(facts => problemOf(directory, facts.socketPath, users) === null && (isKnownToRun(facts) || facts.namespace !== ownNamespace() || facts.start === '0')))
  return found.sort((left, right) => left.appName.localeCompare(right.appName) || left.pid - right.pid)
}

/** @param {Named} process */
function showInstance ({ pid, instance }) {
  return instance === null ? String(pid) : `${pid} (instance ${instance})`
}

/** @param {string[]} names */
function listed (names) {
  const more = names.length > MAX_LISTED ? [`${names.length - MAX_LISTED} more`] : []
  return [...names.slice(0, MAX_LISTED), ...more].join(', ')
}

module.exports = { namedProcesses, noSuchName, socketOfName }
