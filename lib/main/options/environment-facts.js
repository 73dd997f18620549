'use strict'

// What the environment says of the process, beside the options: nothing that anybody sets for us.

const path = require('node:path')

/** @import { Started } from '../process/application' */

/**
 * @typedef {object} EnvironmentFacts
 * @property {string | undefined} threadPoolSize  the variable of libuv, for advice
 * @property {readonly string[]} nodeFlags  those of the variable of Node.js, then those of the command line
 * @property {boolean} isProduction
 * @property {string | undefined} runtimeFolder  of the user's session, as XDG names it
 * @property {{ id: string, instance: number } | null} pm2Process  what PM2 calls this process, or the one that started it
 * @property {'fork' | 'cluster' | null} pm2Mode  how PM2 itself started the process
 * @property {Started} started
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {EnvironmentFacts}
 */
function environmentFacts (env) {
  const mode = modeOfPm2()
  const variables = mode === 'cluster' && env.pm2_env !== undefined ? unpacked(env.pm2_env) : env
  return {
    threadPoolSize: env.UV_THREADPOOL_SIZE,
    nodeFlags: [...(env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv],
    isProduction: env.NODE_ENV === 'production',
    runtimeFolder: env.XDG_RUNTIME_DIR,
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
  return isNumber(id) && isNumber(instance) ? { id: String(id), instance: Number(instance) } : null
}

/** As text, or packed as a number. @param {unknown} variable */
function isNumber (variable) {
  return /^\d+$/.test(String(variable))
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
 * Of the worker of a cluster that is preloaded: PM2 unpacks them later.
 * @param {string} packed
 * @returns {NodeJS.ProcessEnv}
 */
function unpacked (packed) {
  try {
    return JSON.parse(packed)
  } catch {
    return {}
  }
}

module.exports = { environmentFacts }
