'use strict'

// The table of options: every option once, with its type, range, default and meaning. What the code passes wins over the
// environment, which wins over the default. docs/options.md and types/diagnostics.d.ts are held equal to it by a test.

const path = require('node:path')
const { DEFAULTS: LOOP } = require('../loop/heartbeat')
const { DEFAULTS: RECORDER } = require('../recorder/recorder')
const { ENGINES } = require('../recorder/engines')
const { defaultDir } = require('../../shared/store/directory')
const { DEFAULTS: RETENTION } = require('../../shared/store/retention')
const { DEFAULTS: GUARD } = require('../../shared/heap/guard')
const { DEFAULTS: NEAR_LIMIT, NEAR_LIMIT_MODES } = require('../heap/near-limit')
const { DEFAULTS: SNAPSHOT, SNAPSHOT_ENGINES } = require('../heap/snapshot-engines')
const { DEFAULTS: SYNC_CALLS } = require('../sync-calls/settings')
const { selectTargets } = require('../sync-calls/targets')
const { DEFAULTS: SIGNALS, checkSignals } = require('../signals')
const { assertKind } = require('../../shared/captures/kinds')
const { isLocal, parseAddress } = require('../admin/address')
const { DEFAULTS: ADMIN, checkHosts, checkMountPath, checkToken, toListen } = require('../admin/settings')
const { assertBoolean, assertFunction, assertInteger, assertKnownKeys, assertNumberAbove, assertMethods, assertOneOf, assertPlainObject, assertString, refuse } = require('../../shared/base/validate')
const { errors } = require('../../shared/base/errors')

/** @import { DiagnosticsOptions, EngineName, Logger, RetentionOptions, SignalMap, SyncCallOptions } from '../../../types/diagnostics' */
/** @import { Registry } from 'prom-client' */

/**
 * @typedef {object} ResolvedOptions  every option, checked; the caller's objects are not changed
 * @property {string | undefined} appName
 * @property {number} stallThresholdMs
 * @property {number} heartbeatMs
 * @property {{ hz: number, windowSeconds: number, keepSeconds: number, engine: EngineName } | false} recorder
 * @property {Required<SyncCallOptions> | false} syncCalls
 * @property {string | undefined} threadPoolSize  the variable of libuv, for advice
 * @property {readonly string[]} nodeFlags  those of the variable of Node.js, then those of the command line
 * @property {string} dir
 * @property {Required<RetentionOptions>} retention
 * @property {{ engine: 'built-in' | 'heapdump', maxPauseMs: number }} heap
 * @property {'off' | 'profile' | 'snapshot'} onNearHeapLimit
 * @property {SignalMap} signals
 * @property {string | false} path
 * @property {string | readonly string[] | undefined} token
 * @property {string | undefined} tokenFile
 * @property {DiagnosticsOptions['authorize']} authorize
 * @property {{ listen: boolean | number | string, hosts: readonly string[] }} admin
 * @property {boolean} controlSocket
 * @property {string | undefined} observerFile
 * @property {boolean} isProduction
 * @property {import('../process/application').Started} started
 * @property {string | undefined} runtimeFolder  of the user's session, as XDG names it
 * @property {{ id: string, instance: number } | null} pm2  what started the process
 * @property {Registry | undefined} registry
 * @property {Logger | undefined} logger
 *
 * @typedef {object} OptionRow
 * @property {string} path        in the options object
 * @property {string} wanted      type and range, for a person
 * @property {unknown} [fallback] the default; none when absent
 * @property {string} meaning
 * @property {(path: string, value: any) => void} check
 * @property {((text: string) => unknown) | null} fromText  of the environment variable; null when it cannot be written as text
 */

const MAX_BYTES = Number.MAX_SAFE_INTEGER

/** @type {readonly OptionRow[]} */
const OPTIONS = Object.freeze([
  { path: 'appName', ...text(), meaning: 'Name of the service in logs, titles and file names; by default the name in its package.json, else `node`' },
  { path: 'stallThresholdMs', ...integer(20, 60_000), fallback: LOOP.stallThresholdMs, meaning: 'Delay in milliseconds from which the loop counts as stalled' },
  { path: 'heartbeatMs', ...integer(5, 1000), fallback: LOOP.periodMs, meaning: 'Period of the heartbeat in milliseconds' },
  { path: 'recorder', wanted: '`false`, or an object', fallback: true, meaning: 'The running CPU profiler; `false` turns it off', check: checkGroup, fromText: toSwitch },
  { path: 'recorder.hz', ...integer(1, 1000), fallback: RECORDER.hz, meaning: 'Samples a second' },
  { path: 'recorder.windowSeconds', ...integer(1, 30), fallback: RECORDER.windowSeconds, meaning: 'Length of one recorded window in seconds' },
  { path: 'recorder.keepSeconds', ...integer(10, 600), fallback: RECORDER.keepSeconds, meaning: 'How far back a capture can look, in seconds' },
  { path: 'recorder.engine', ...oneOf(Object.keys(ENGINES)), fallback: RECORDER.engine, meaning: 'What records: the built-in inspector, or the optional peer dependency `v8-profiler-next`' },
  { path: 'dir', ...text(), fallback: defaultDir(), meaning: 'Where artifacts are written, in a folder for each application; by default a 0700 folder of this user under the temporary directory' },
  { path: 'retention.maxCount', ...integer(1, 100_000), fallback: RETENTION.maxCount, meaning: 'Artifacts kept' },
  { path: 'retention.maxBytes', ...integer(1, MAX_BYTES), fallback: RETENTION.maxBytes, meaning: 'Bytes kept, all artifacts together' },
  { path: 'retention.maxAgeMs', ...integer(1, MAX_BYTES), fallback: RETENTION.maxAgeMs, meaning: 'Age in milliseconds after which an artifact is removed' },
  { path: 'retention.minFreeBytes', ...integer(0, MAX_BYTES), fallback: RETENTION.minFreeBytes, meaning: 'Free bytes that a write must leave on the disk' },
  { path: 'heap.engine', ...oneOf(Object.keys(SNAPSHOT_ENGINES)), fallback: SNAPSHOT.engine, meaning: 'What writes a heap snapshot: V8 through Node.js, or the optional peer dependency `heapdump`' },
  { path: 'heap.maxPauseMs', ...integer(1, 600_000), fallback: GUARD.maxPauseMs, meaning: 'A heap snapshot that is estimated to stop the process for longer is refused' },
  { path: 'onNearHeapLimit', ...oneOf(NEAR_LIMIT_MODES), fallback: NEAR_LIMIT.onNearHeapLimit, meaning: 'Evidence to leave before the process dies of a full heap: a sampled heap profile, or (it takes long, and holds everything) a heap snapshot' },
  { path: 'signals', wanted: '`false`, or an object of signal to kind', fallback: SIGNALS, meaning: 'What a signal captures; `false` for none. As text: `SIGUSR2=cpu,SIGHUP=cpu` or `off`', check: (path, value) => checkSignals(path, value, assertKind), fromText: toSignals },
  { path: 'syncCalls', wanted: '`false`, `true`, or an object', fallback: false, meaning: 'The exact sync-call detector, which wraps the APIs it watches; the sampled one runs with the recorder and wraps nothing', check: checkGroup, fromText: toSwitch },
  { path: 'syncCalls.apis', wanted: 'list of API names, `fs.*` or `*`', fallback: SYNC_CALLS.apis, meaning: 'Which APIs are watched. As text: `crypto.*,fs.readFileSync`', check: (path, value) => { selectTargets(assertStrings(path, value), path) }, fromText: text => text.split(',').map(name => name.trim()) },
  { path: 'syncCalls.thresholdMs', ...number(0, 60_000), fallback: SYNC_CALLS.thresholdMs, meaning: 'Calls of at least so many milliseconds are looked at one by one, shorter ones by sample' },
  { path: 'syncCalls.flagMsPerSecond', ...number(0, 1000), fallback: SYNC_CALLS.flagMsPerSecond, meaning: 'Milliseconds a second from which on a call site is flagged' },
  { path: 'syncCalls.flagCallsPerSecond', ...number(0, 1e9), fallback: SYNC_CALLS.flagCallsPerSecond, meaning: 'Calls a second from which on a call site of `Date.now` or `new Date()` is flagged' },
  { path: 'path', wanted: '`false`, or a path that begins with `/`', fallback: ADMIN.path, meaning: 'Where `app.use(diagnostics())` answers admin requests; `false`: nowhere. As text: the path, or `off`', check: checkMountPath, fromText: text => toSwitch(text) === false ? false : text },
  { path: 'token', wanted: '`[scope:]token` of at least 32 characters, or a list of them', meaning: 'Who may use the admin surface. Scopes: `metrics`, `profile`, `dump`, `manage` (the default), each with those before it; as text separated by commas. Without one nothing answers in production, and elsewhere a random one is made and logged', check: checkToken, fromText: text => text.split(',').map(part => part.trim()) },
  { path: 'tokenFile', ...text(), meaning: 'A file with tokens, one a line, read again when it changes' },
  { path: 'authorize', wanted: 'function `(request, scope) => boolean`, or one that returns a promise of it', meaning: 'Your own authentication for requests that carry no known token. It runs on the main thread, so that it cannot answer while the loop is blocked', check: assertFunction, fromText: null },
  { path: 'admin.listen', wanted: '`false`, `true`, a port, `host:port`, or the path of a Unix socket', fallback: ADMIN.listen, meaning: 'A listener of its own for the admin surface, served by another thread, so that it answers while the loop is blocked. `true` is 127.0.0.1:6060; a cluster worker adds its number to the port', check: (path, value) => { parseAddress(path, value) }, fromText: toListen },
  { path: 'admin.hosts', wanted: 'list of host names', fallback: ADMIN.hosts, meaning: 'Names in the Host header that are taken beside IP addresses and localhost', check: checkHosts, fromText: text => text.split(',').map(name => name.trim()) },
  { path: 'controlSocket', wanted: '`true` or `false`', fallback: ADMIN.controlSocket, meaning: 'A socket in the temporary folder that only this user can open, for `npx loopscope … <pid>`', check: assertBoolean, fromText: toSwitch },
  { path: 'observerFile', ...text(), meaning: 'Where a bundle has the file that `loopscope/observer` was bundled to: [bundlers.md](bundlers.md)' },
  { path: 'registry', ...methods('registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'), meaning: 'A `Registry` of prom-client or of @prometheus-io/client to put the metrics into; by default one of our own, of prom-client' },
  { path: 'logger', ...methods('info', 'warn', 'error'), meaning: 'A pino-shaped logger; by default pino on standard output, preloaded on standard error' }
])

// Groups of options; a switchable one can be false (nothing of it) or true (all defaults) as well.
const SWITCHABLE = ['recorder', 'syncCalls']
const GROUPS = [...SWITCHABLE, 'retention', 'heap', 'admin']

/**
 * @param {DiagnosticsOptions} [options]
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {ResolvedOptions}
 * @throws ERR_LOOPSCOPE_INVALID_OPTION, ERR_LOOPSCOPE_UNKNOWN_OPTION
 */
// eslint-disable-next-line no-restricted-properties -- the one place that reads the environment
function resolveOptions (options = {}, env = process.env) {
  assertPlainObject('options', options)
  assertKnown(options)
  assertKnownVariables(env)
  /** @type {any} */
  const resolved = { recorder: {}, syncCalls: {}, retention: {}, heap: {}, admin: {}, threadPoolSize: env.UV_THREADPOOL_SIZE, nodeFlags: [...(env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv], isProduction: env.NODE_ENV === 'production', runtimeFolder: env.XDG_RUNTIME_DIR, pm2: pm2Of(env), started: startedBy(env) }
  for (const row of OPTIONS) {
    const value = valueOf(row, options, env)
    if (SWITCHABLE.includes(row.path)) resolved[row.path] = value === false ? false : {}
    else if (resolved[row.path.split('.')[0]] !== false) setAt(resolved, row.path, value)
  }
  if (resolved.signals === false) resolved.signals = {}
  assertOrder(resolved)
  assertProtected(resolved)
  return resolved
}

/**
 * What PM2 calls this process, which it keeps when it is replaced, and its number among those of the application.
 * @param {NodeJS.ProcessEnv} env
 */
function pm2Of ({ pm_id: id, NODE_APP_INSTANCE: instance }) {
  return id !== undefined && /^\d+$/.test(id) && instance !== undefined && /^\d+$/.test(instance) ? { id, instance: Number(instance) } : null
}

/**
 * PM2 starts a file of its own, which loads the application, and changes the folder later.
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('../process/application').Started}
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

/**
 * @param {OptionRow} row
 * @param {any} options
 * @param {NodeJS.ProcessEnv} env
 */
function valueOf (row, options, env) {
  const passed = getAt(options, row.path)
  if (passed !== undefined) {
    row.check(`options.${row.path}`, passed)
    return passed
  }
  const variable = variableOf(row)
  const written = variable === null ? undefined : env[variable]
  if (variable === null || row.fromText === null || written === undefined || written === '') return row.fallback
  const value = row.fromText(written)
  row.check(variable, value)
  return value
}

/** @param {any} options */
function assertKnown (options) {
  assertKnownKeys('options', options, [...new Set(OPTIONS.map(({ path }) => path.split('.')[0]))])
  for (const group of GROUPS) {
    const value = options[group]
    if (value === undefined || (SWITCHABLE.includes(group) && typeof value === 'boolean')) continue
    assertPlainObject(`options.${group}`, value)
    assertKnownKeys(`options.${group}`, value, OPTIONS.filter(({ path }) => path.startsWith(`${group}.`)).map(({ path }) => path.split('.')[1]))
  }
}

/**
 * A misspelt variable would otherwise be a setting that silently does not hold.
 * @param {NodeJS.ProcessEnv} env
 */
function assertKnownVariables (env) {
  const known = OPTIONS.map(variableOf).filter(name => name !== null)
  for (const name of Object.keys(env)) {
    if (name.startsWith('LOOPSCOPE_') && !known.includes(name)) throw new errors.ERR_LOOPSCOPE_UNKNOWN_OPTION(`the variable ${name}`, known.join(', '))
  }
}

/** @param {ResolvedOptions} resolved */
function assertOrder ({ heartbeatMs, stallThresholdMs, recorder }) {
  if (heartbeatMs > stallThresholdMs) refuse('options.heartbeatMs', `at most options.stallThresholdMs (${stallThresholdMs})`, heartbeatMs)
  if (recorder && recorder.windowSeconds > recorder.keepSeconds) {
    refuse('options.recorder.windowSeconds', `at most options.recorder.keepSeconds (${recorder.keepSeconds})`, recorder.windowSeconds)
  }
}

/**
 * A random token in a log is no protection for a port that others can reach.
 * @param {ResolvedOptions} resolved
 */
function assertProtected ({ admin, token, tokenFile, authorize }) {
  const address = parseAddress('options.admin.listen', admin.listen)
  if (address === null || isLocal(address) || token !== undefined || tokenFile !== undefined || authorize !== undefined) return
  refuse('options.admin.listen', 'an address of this host only (127.0.0.1, ::1, a Unix socket), unless option token, tokenFile or authorize is set', admin.listen)
}

/**
 * @param {OptionRow} row
 * @returns {string | null} `LOOPSCOPE_` + the path in upper snake case; null where the option cannot be written as text
 */
function variableOf ({ path, fromText }) {
  return fromText === null ? null : `LOOPSCOPE_${path.replaceAll('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

/**
 * @param {any} object
 * @param {string} path
 */
function getAt (object, path) {
  const [group, name] = path.split('.')
  return name === undefined ? object[group] : object[group]?.[name]
}

/**
 * @param {any} object
 * @param {string} path
 * @param {unknown} value
 */
function setAt (object, path, value) {
  const [group, name] = path.split('.')
  if (name === undefined) object[group] = value
  else object[group][name] = value
}

/**
 * @param {number} min
 * @param {number} max
 */
function integer (min, max) {
  return {
    wanted: max === MAX_BYTES ? `integer of at least ${min}` : `integer from ${min} to ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertInteger(path, value, min, max),
    // Number('') is 0 and Number('1e3') is 1000: only what reads as digits is taken for a number.
    fromText: (/** @type {string} */ text) => /^\d+$/.test(text) ? Number(text) : text
  }
}

/**
 * @param {number} exclusiveMin
 * @param {number} max
 */
function number (exclusiveMin, max) {
  return {
    wanted: `number above ${exclusiveMin}, at most ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertNumberAbove(path, value, exclusiveMin, max),
    fromText: (/** @type {string} */ text) => /^\d+(\.\d+)?$/.test(text) ? Number(text) : text
  }
}

function text () {
  return { wanted: 'string', check: assertString, fromText: String }
}

/** @param {readonly string[]} allowed */
function oneOf (allowed) {
  return {
    wanted: allowed.map(value => `\`'${value}'\``).join(' or '),
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertOneOf(path, value, allowed),
    fromText: String
  }
}

/** @param {string[]} names */
function methods (...names) {
  return {
    wanted: `object with ${names.map(name => `\`${name}\``).join(', ')}`,
    fallback: undefined,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertMethods(path, value, names),
    fromText: null
  }
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function checkGroup (path, value) {
  if (typeof value !== 'boolean' && (value === null || typeof value !== 'object')) refuse(path, 'true, false, or an object', value)
}

/**
 * @param {string} path
 * @param {unknown} value
 * @returns {string[]}
 */
function assertStrings (path, value) {
  if (!Array.isArray(value) || value.length === 0 || value.some(one => typeof one !== 'string')) refuse(path, 'a list of names', value)
  return /** @type {string[]} */ (value)
}

/** @param {string} text */
function toSwitch (text) {
  const words = new Map([['true', true], ['on', true], ['1', true], ['false', false], ['off', false], ['0', false]])
  return words.get(text.toLowerCase()) ?? text
}

/** @param {string} text  `SIGUSR2=cpu,SIGHUP=cpu`, or `off` */
function toSignals (text) {
  if (toSwitch(text) === false) return false
  return Object.fromEntries(text.split(',').map(pair => pair.split('=').map(part => part.trim())))
}

module.exports = { OPTIONS, resolveOptions, variableOf }
