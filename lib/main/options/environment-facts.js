'use strict'

// What the environment says of the process, beside the options: nothing that anybody sets for us.

const path = require('node:path')
const { whyNodeProfiles } = require('./node-profiler')

/** @import { Started } from '../process/application' */

/**
 * @typedef {object} EnvironmentFacts
 * @property {string | undefined} threadPoolSize  the variable of libuv, for advice
 * @property {readonly string[]} nodeFlags  those of the variable of Node.js, then those of the command line
 * @property {string | null} whyTaken  that V8's profiler is Node's own here
 * @property {boolean} isProduction
 * @property {string | undefined} runtimeFolder  of the user's session, as XDG names it
 * @property {{ id: string, instance: number } | null} pm2Process  what PM2 calls this process, or the one that started it
 * @property {'fork' | 'cluster' | null} pm2Mode  how PM2 itself started the process
 * @property {Started} started
 */

/**
 * The variables that the application will see. In the worker of a cluster PM2 unpacks them after what is preloaded.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function applicationVariables (env) {
  return modeOfPm2() === 'cluster' && env.pm2_env !== undefined ? { ...env, ...unpacked(env.pm2_env) } : env
}

/**
 * @param {NodeJS.ProcessEnv} variables
 * @returns {EnvironmentFacts}
 */
function environmentFacts (variables) {
  const mode = modeOfPm2()
  const nodeFlags = [...(variables.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv]
  return {
    threadPoolSize: variables.UV_THREADPOOL_SIZE,
    nodeFlags,
    whyTaken: whyNodeProfiles(nodeFlags, variables.NODE_V8_COVERAGE),
    isProduction: variables.NODE_ENV === 'production',
    runtimeFolder: variables.XDG_RUNTIME_DIR,
    pm2Process: pm2Of(variables),
    pm2Mode: isNumber(variables.pm_id) ? mode : null,
    started: mode === null ? {} : startedBy(variables)
  }
}

/**
 * PM2 starts a file of its own, which loads the application. The variables are inherited by everything that the application starts.
 * @returns {'fork' | 'cluster' | null}
 */
function modeOfPm2 () {
  const name = path.basename(process.argv[1] ?? '')
  if (name === 'ProcessContainerFork.js') return 'fork'
  return name === 'ProcessContainer.js' ? 'cluster' : null
}

/**
 * What PM2 calls this process, which it keeps when it is replaced, and its number among those of the application.
 * @param {NodeJS.ProcessEnv} variables
 */
function pm2Of ({ pm_id: id, NODE_APP_INSTANCE: instance }) {
  return id !== undefined && isNumber(id) && isNumber(instance) ? { id, instance: Number(instance) } : null
}

/** @param {string | undefined} variable */
function isNumber (variable) {
  return /^\d+$/.test(variable ?? '')
}

/**
 * PM2 changes the folder later.
 * @param {NodeJS.ProcessEnv} variables
 * @returns {Started}
 */
function startedBy ({ pm_exec_path: entry, pm_cwd: folder }) {
  return { ...(entry && { entry }), ...(folder && { folder }) }
}

/**
 * As text, which variables are.
 * @param {string} packed
 * @returns {NodeJS.ProcessEnv}
 */
function unpacked (packed) {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(packed)).map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}

module.exports = { applicationVariables, environmentFacts }
