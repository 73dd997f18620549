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
 * @property {{ id: string, instance: number } | null} pm2  what started the process
 * @property {Started} started
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {EnvironmentFacts}
 */
function environmentFacts (env) {
  return {
    threadPoolSize: env.UV_THREADPOOL_SIZE,
    nodeFlags: [...(env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv],
    isProduction: env.NODE_ENV === 'production',
    runtimeFolder: env.XDG_RUNTIME_DIR,
    pm2: pm2Of(env),
    started: startedBy(env)
  }
}

/**
 * What PM2 calls this process, which it keeps when it is replaced, and its number among those of the application.
 * @param {NodeJS.ProcessEnv} env
 */
function pm2Of ({ pm_id: id = '', NODE_APP_INSTANCE: instance = '' }) {
  return /^\d+$/.test(id) && /^\d+$/.test(instance) ? { id, instance: Number(instance) } : null
}

/**
 * PM2 starts a file of its own, which loads the application, and changes the folder later.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Started}
 */
function startedBy (env) {
  // The variables are inherited by everything that the application starts.
  if (!/^ProcessContainer(Fork)?\.js$/.test(path.basename(process.argv[1] ?? ''))) return {}
  const { pm_exec_path: entry, pm_cwd: folder } = env.pm_exec_path === undefined ? ofPm2Worker(env) : env
  return { ...(entry && { entry }), ...(folder && { folder }) }
}

/**
 * In the worker of a cluster that is preloaded PM2 has not unpacked its variables yet.
 * @param {NodeJS.ProcessEnv} env
 */
function ofPm2Worker ({ pm2_env: packed }) {
  try {
    return JSON.parse(packed ?? '{}')
  } catch {
    return {}
  }
}

module.exports = { environmentFacts }
