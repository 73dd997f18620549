'use strict'

// Reads environment variables and flags that are not set for loopscope: facts about the process, and OpenTelemetry's values for options without one, which
// are the name of the service and where OTLP goes.

const path = require('node:path')
const { attempt } = require('../../base/guard')

/** @import { Started } from '../../probe/process/application' */

// Flags with which Node.js runs V8's profiler itself. Others, such as --cpu-prof-dir, have no effect alone.
const PROFILER_FLAGS = Object.freeze(['--cpu-prof', '--experimental-test-coverage'])

const DEFAULT_POOL_SIZE = 4 // libuv's default

// eslint-disable-next-line no-control-regex -- a name is shown in logs and on terminals
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * @typedef {object} EnvironmentFacts
 * @property {number} threadPoolSize  of libuv, for advice
 * @property {readonly string[]} nodeFlags  those of NODE_OPTIONS, then those of the command line
 * @property {string | null} profilerInUse  why V8's profiler is used by Node itself; null: it is not
 * @property {boolean} isProduction
 * @property {string | undefined} runtimeFolder  of the user's session, as defined by XDG
 * @property {{ id: string, instance: number } | null} pm2Process  PM2's id of this process, or of the one that started it
 * @property {'fork' | 'cluster' | null} pm2Mode  how PM2 itself started the process
 * @property {Started} started
 */

/**
 * The variables that the application will see. In a cluster worker PM2 unpacks them after the preloads.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function applicationVariables (env) {
  return modeOfPm2() === 'cluster' && env.pm2_env !== undefined ? { ...env, ...unpacked(env.pm2_env) } : env
}

/** @param {NodeJS.ProcessEnv} variables @returns {EnvironmentFacts} */
function environmentFacts (variables) {
  const mode = modeOfPm2()
  const nodeFlags = [...(variables.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv]
  return {
    threadPoolSize: Number(variables.UV_THREADPOOL_SIZE) || DEFAULT_POOL_SIZE,
    nodeFlags,
    profilerInUse: reasonNodeProfiles(nodeFlags, variables.NODE_V8_COVERAGE),
    isProduction: variables.NODE_ENV === 'production',
    runtimeFolder: variables.XDG_RUNTIME_DIR,
    pm2Process: pm2Of(variables),
    pm2Mode: isNumber(variables.pm_id) ? mode : null,
    started: mode === null ? {} : startedBy(variables)
  }
}

/**
 * Whether Node.js itself uses V8's profiler in this process. It is notified of each profile that starts or ends on the console, as loopscope's do,
 * mistakes the notification for an answer to its own request, and prints all of it to standard error: megabytes.
 * @param {readonly string[]} nodeFlags
 * @param {string | undefined} coverageFolder  where Node.js writes code coverage, if enabled
 * @returns {string | null} why no other tool can record
 */
function reasonNodeProfiles (nodeFlags, coverageFolder) {
  const flag = PROFILER_FLAGS.find(each => nodeFlags.includes(each)) ?? (coverageFolder && 'NODE_V8_COVERAGE')
  return flag ? `Node.js itself profiles this process (${flag}), and would print every profile of loopscope` : null
}

/**
 * PM2 starts a file of its own, which loads the application. The variables are inherited by every process that the application starts.
 * @returns {'fork' | 'cluster' | null}
 */
function modeOfPm2 () {
  const name = path.basename(process.argv[1] ?? '')
  if (name === 'ProcessContainerFork.js') return 'fork'
  return name === 'ProcessContainer.js' ? 'cluster' : null
}

/**
 * PM2's id of this process, which stays the same when PM2 replaces it, and its number within the application.
 * @param {NodeJS.ProcessEnv} variables
 */
function pm2Of ({ pm_id: id, NODE_APP_INSTANCE: instance }) {
  return id !== undefined && isNumber(id) && isNumber(instance) ? { id, instance: Number(instance) } : null
}

/** @param {string | undefined} variable */
function isNumber (variable) {
  return /^\d+$/.test(variable ?? '')
}

/** PM2 changes the working directory later. @param {NodeJS.ProcessEnv} variables @returns {Started} */
function startedBy ({ pm_exec_path: entry, pm_cwd: folder }) {
  return { ...(entry && { entry }), ...(folder && { folder }) }
}

/** Values as strings, like environment variables. @param {string} packed @returns {NodeJS.ProcessEnv} */
function unpacked (packed) {
  return attempt(() => Object.fromEntries(Object.entries(JSON.parse(packed)).map(([name, value]) => [name, String(value)])), {})
}

/**
 * @param {unknown} appName  set for loopscope
 * @param {NodeJS.ProcessEnv} variables
 * @returns {unknown} else the name of OpenTelemetry, if there is one
 */
function withServiceName (appName, { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes }) {
  if (appName !== undefined) return appName
  const found = name?.trim() || pairsOf(attributes).get('service.name')
  return found && !CONTROL.test(found) ? found : undefined
}

/**
 * Destinations of the kind otlp without a URL get OpenTelemetry's, with its headers: those are credentials for that URL alone.
 * @param {unknown} egress  not checked yet
 * @param {NodeJS.ProcessEnv} variables
 * @returns {unknown}
 */
function withOtlpEndpoint (egress, variables) {
  if (Array.isArray(egress)) return egress.map(one => withOtlpEndpoint(one, variables))
  const destination = /** @type {any} */ (egress)
  const { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = variables
  const isMissing = destination?.to === 'otlp' && destination.url === undefined
  if (!isMissing || !url || protocol === 'grpc') return egress
  return { ...destination, url, headers: { ...Object.fromEntries(pairsOf(headers)), ...destination.headers } }
}

/**
 * "key=value,key=value", with percent-encoded values, as W3C Baggage has it.
 * @param {string | undefined} text
 * @returns {Map<string, string>}
 */
function pairsOf (text = '') {
  return new Map(text.split(',').flatMap(pair => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    return key === undefined ? [] : [[key, attempt(() => decodeURIComponent(value), value)]]
  }))
}

module.exports = { applicationVariables, environmentFacts, reasonNodeProfiles, withOtlpEndpoint, withServiceName }
