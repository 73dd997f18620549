'use strict'

// The table of options: every option once, with its type, range, default and meaning, followed by the types of options. A test keeps
// docs/options.md and types/diagnostics.d.ts equal to it.

const fs = require('node:fs')
const { assertBoolean, assertFunction, assertInteger, assertMethods, assertNumberAbove, assertOneOf, assertString, refuse } = require('../../base/validate')
const { assertKind } = require('../../shared/captures/kinds')
const { RETENTION, defaultDir } = require('../../shared/store/defaults')
const { DEFAULT_PATH, checkHosts, checkMountPath, checkToken, parseAddress } = require('./admin-settings')
const { withOtlpEndpoint, withServiceName } = require('./environment-facts')
const { NEAR_LIMIT_MODES } = require('../../probe/heap/near-limit')
const { SNAPSHOT_ENGINES } = require('../../probe/heap/snapshot-engines')
const { ENGINE_NAMES } = require('../../probe/recorder/engines')
const { DEFAULTS: SIGNALS, checkSignals } = require('../signals')

const MAX_BYTES = Number.MAX_SAFE_INTEGER

/**
 * @typedef {object} OptionRow
 * @property {string} path        in the options object
 * @property {string} wanted      type and range, as readable text
 * @property {unknown} [defaultValue] the default; none if absent
 * @property {string} meaning
 * @property {(path: string, value: any) => unknown} check
 * @property {(value: unknown, variables: NodeJS.ProcessEnv) => unknown} [complete]  by variables that are not loopscope's, before the check
 * @property {boolean} [isCompleted]  check returns the value completed with its own defaults
 * @property {((text: string) => unknown) | null} fromText  parses the environment variable; null if the option cannot be text
 */

/** @type {readonly OptionRow[]} */
const OPTIONS = Object.freeze([
  { path: 'appName', ...text(), complete: withServiceName, meaning: 'Name of the service in logs, titles and file names; by default OpenTelemetry\'s (`OTEL_SERVICE_NAME`, or `service.name` in `OTEL_RESOURCE_ATTRIBUTES`), else the name in its package.json, else `node`' },
  { path: 'group', ...text(), meaning: 'Processes of this user on this host that have the same group answer together: [group.md](group.md); by default the `appName`' },
  // Google's RAIL model: beyond 100 ms people notice; also the usual choice with toobusy-js and blocked-at.
  { path: 'stallThresholdMs', ...integer(20, 60_000), defaultValue: 100, meaning: 'Delay in milliseconds from which the loop counts as stalled' },
  // A block that begins right after a tick is measured one period too short. bench/heartbeat.js: at 20 ms all blocks of
  // 120 ms are found, at 50 ms about a third of them.
  { path: 'heartbeatMs', ...integer(5, 1000), defaultValue: 20, meaning: 'Period of the heartbeat in milliseconds' },
  { path: 'recorder', wanted: '`false`, or an object', defaultValue: true, meaning: 'The continuous CPU profiler; `false` turns it off', check: checkGroup, fromText: toSwitch },
  // Go's rate: 1 % of a core when idle, and a 100 ms stall still holds ten samples.
  { path: 'recorder.hz', ...integer(1, 1000), defaultValue: 100, meaning: 'Samples per second' },
  // Ending a window costs 0.2-4 ms of the main thread, growing with its length.
  { path: 'recorder.windowSeconds', ...integer(1, 30), defaultValue: 5, meaning: 'Length of one recorded window in seconds' },
  { path: 'recorder.keepSeconds', ...integer(10, 600), defaultValue: 60, meaning: 'How far back a capture can look, in seconds' },
  { path: 'recorder.engine', ...oneOf([...ENGINE_NAMES]), defaultValue: 'auto', meaning: 'The profiler: Node\'s inspector, Node\'s `v8.startCpuProfile()` (`builtin`, from Node.js 24.12 on), or the optional peer dependency `v8-profiler-next`; by default the best of the first two: [profiles.md](profiles.md#engines)' },
  { path: 'dir', ...text(), defaultValue: defaultDir(), meaning: 'Where artifacts are written, in a folder for each application; by default a 0700 folder of this user under the temporary directory' },
  { path: 'retention.maxCount', ...integer(1, 100_000), defaultValue: RETENTION.maxCount, meaning: 'Number of artifacts kept, per application' },
  { path: 'retention.maxBytes', ...integer(1, MAX_BYTES), defaultValue: RETENTION.maxBytes, meaning: 'Bytes kept, all artifacts of an application together' },
  { path: 'retention.maxAgeMs', ...integer(1, MAX_BYTES), defaultValue: RETENTION.maxAgeMs, meaning: 'Age in milliseconds after which an artifact is removed' },
  { path: 'retention.minFreeBytes', ...integer(0, MAX_BYTES), defaultValue: RETENTION.minFreeBytes, meaning: 'Free bytes that a write must leave on the disk' },
  { path: 'heap.engine', ...oneOf(Object.keys(SNAPSHOT_ENGINES)), defaultValue: 'built-in', meaning: 'What writes a heap snapshot: V8 through Node.js, or the optional peer dependency `heapdump`' },
  // Three failed Kubernetes probes, at the default of one every 10 s: then it restarts the container.
  { path: 'heap.maxPauseMs', ...integer(1, 600_000), defaultValue: 30_000, meaning: 'A heap snapshot is refused if it is estimated to stop the process for longer, in milliseconds' },
  { path: 'onNearHeapLimit', ...oneOf(NEAR_LIMIT_MODES), defaultValue: 'off', meaning: 'What is written before the process runs out of heap memory: a sampled heap profile, or a heap snapshot, which takes long and holds all data' },
  // Room for the report at 100 MB/s in a small container; healthy services stay below.
  { path: 'memoryReport', wanted: '`false`, or a number from 0.5 to 0.98', defaultValue: 0.9, meaning: 'Share of the container\'s memory limit, or of V8\'s heap limit (of this at most 0.8), at which a [memory report](memory.md#before-the-limit) is written', check: checkMemoryReport, fromText: text => toSwitch(text) === false ? false : Number(text) },
  { path: 'signals', wanted: '`false`, or an object of signal to kind', defaultValue: SIGNALS, meaning: 'What a signal captures; `false` for none. As text: `SIGUSR2=cpu,SIGHUP=cpu` or `off`', check: (path, value) => checkSignals(path, value, assertKind), fromText: toSignals },
  { path: 'syncCalls', wanted: '`false`, `true`, or an object', defaultValue: false, meaning: 'The exact sync-call detector, which wraps the APIs it watches; the sampled one runs with the recorder and wraps nothing', check: checkGroup, fromText: toSwitch },
  // Every row of the table except those too common to be worth reporting.
  { path: 'syncCalls.apis', wanted: 'list of API names, `fs.*` or `*`', defaultValue: Object.freeze(['*']), meaning: 'Which APIs are watched. As text: `crypto.*,fs.readFileSync`', check: (path, value) => { require('../../probe/sync-calls/targets').selectTargets(assertStrings(path, value), path) }, fromText: text => text.split(',').map(name => name.trim()) },
  // A call this long is always recorded: its stack costs at most a twentieth of it.
  { path: 'syncCalls.thresholdMs', ...positiveNumber(60_000), defaultValue: 1, meaning: 'Calls of at least this many milliseconds are always attributed to their call site, shorter ones by sampling' },
  // 1 % of the loop's time.
  { path: 'syncCalls.flagMsPerSecond', ...positiveNumber(1000), defaultValue: 10, meaning: 'Milliseconds per second from which a call site is flagged' },
  // Date.now: one millisecond per second where the clock is slow.
  { path: 'syncCalls.flagCallsPerSecond', ...positiveNumber(1e9), defaultValue: 10_000, meaning: 'Calls per second from which a call site of `Date.now` or `new Date()` is flagged' },
  { path: 'path', wanted: '`false`, or a path that begins with `/`', defaultValue: DEFAULT_PATH, meaning: 'Where `app.use(diagnostics())` answers admin requests; `false`: nowhere. As text: the path, or `off`', check: checkMountPath, fromText: text => toSwitch(text) === false ? false : text },
  { path: 'token', wanted: '`[scope:]token` of at least 32 characters, or a list of them', meaning: 'Token for the admin surface. Scopes: `metrics`, `profile`, `dump`, `manage` (the default), each of which includes those before it. As text: separated by commas. Without one, the admin surface does not answer in production; elsewhere a random token is made and logged', check: checkToken, fromText: text => text.split(',').map(part => part.trim()) },
  { path: 'tokenFile', ...text(), meaning: 'A file with tokens, one per line, read again when it changes' },
  { path: 'authorize', wanted: 'function `(request, scope) => boolean`, or one that returns a promise of it', meaning: 'Your own authentication for requests without a valid token. It runs on the main thread, so it cannot answer while the loop is blocked', check: assertFunction, fromText: null },
  { path: 'admin.listen', wanted: '`false`, `true`, a port, `host:port`, or the path of a Unix socket', defaultValue: false, meaning: 'A separate listener for the admin surface. Another thread serves it, so it answers while the loop is blocked. `true` is 127.0.0.1:6060; a cluster worker adds its number to the port', check: (path, value) => { parseAddress(path, value) }, fromText: text => /^[01]$/.test(text) ? text : toSwitch(text) },
  { path: 'admin.hosts', wanted: 'list of host names', defaultValue: Object.freeze([]), meaning: 'Names accepted in the Host header, in addition to IP addresses and localhost', check: checkHosts, fromText: text => text.split(',').map(name => name.trim()) },
  { path: 'sourceMaps', wanted: '`true` or `false`', defaultValue: true, meaning: 'Show original code, with [source maps](source-maps.md): the observer reads them when a stall or a capture needs one', check: assertBoolean, fromText: toSwitch },
  { path: 'threads', wanted: '`true` or `false`', defaultValue: false, meaning: '[Watch worker threads](threads.md#watching-them): how busy each is, in which function, and its stalls', check: assertBoolean, fromText: toSwitch },
  { path: 'dependencyCalls', wanted: '`true` or `false`', defaultValue: true, meaning: '[Measure the calls](dependency-calls.md) of the application to databases, caches and other services, by the diagnostics channels of their libraries', check: assertBoolean, fromText: toSwitch },
  { path: 'waits', wanted: '`true` or `false`', defaultValue: true, meaning: 'Sample [where requests wait](waits.md), a few of them every second; `false`: only when asked', check: assertBoolean, fromText: toSwitch },
  { path: 'controlSocket', wanted: '`true` or `false`', defaultValue: true, meaning: 'A socket in the temporary folder that only this user can open, for `npx loopscope … <pid>`', check: assertBoolean, fromText: toSwitch },
  { path: 'pm2', wanted: '`true` or `false`', defaultValue: true, meaning: 'Under [PM2](pm2.md) only: figures for `pm2 describe`, and actions for `pm2 trigger`', check: assertBoolean, fromText: toSwitch },
  { path: 'egress', complete: withOtlpEndpoint, wanted: '`false`, an object, or a list of them', defaultValue: false, meaning: 'Where profiles, artifacts and evidence are sent; without it no data leaves the machine, except by webhooks of rules: [egress.md](egress.md). As text: JSON, or the path of a JSON file', check: (path, value) => { if (value !== false) require('../../probe/egress-settings').checkEgress(path, value) }, fromText: text => toSwitch(text) === false ? false : jsonFromText('LOOPSCOPE_EGRESS', 'a destination, or a list of them,')(text) },
  { path: 'rules', wanted: 'list of rules', defaultValue: Object.freeze([]), meaning: 'Actions to run when conditions are met: [rules.md](rules.md). As text: JSON, or the path of a JSON file', check: (path, value) => require('./check-rules').checkRules(path, value), isCompleted: true, fromText: jsonFromText('LOOPSCOPE_RULES', 'a list of rules') },
  { path: 'rulesDryRun', wanted: '`true` or `false`', defaultValue: false, meaning: 'Log what the rules would do, without doing it', check: assertBoolean, fromText: toSwitch },
  { path: 'startAtOnce', wanted: '`true` or `false`', defaultValue: false, meaning: 'When [preloaded](frameworks.md#when-a-preloaded-process-is-observed): observe the process from its first moment, and not only once it loads a server module, listens, or has lived for two seconds (a minute, if it is the command of a package)', check: assertBoolean, fromText: toSwitch },
  { path: 'observerFile', ...text(), meaning: 'Path of the file to which `loopscope/observer` was bundled: [bundlers.md](bundlers.md)' },
  { path: 'registry', ...methods('registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'), meaning: 'A `Registry` of prom-client or @prometheus-io/client to put the metrics into; by default loopscope creates one with prom-client' },
  { path: 'logger', ...methods('info', 'warn', 'error'), meaning: 'A logger with the methods of pino; by default pino on standard output, or on standard error when preloaded' }
])

/**
 * @param {OptionRow} row
 * @returns {string | null} `LOOPSCOPE_` + the path in upper snake case; null where the option cannot be written as text
 */
function variableOf ({ path, fromText }) {
  return fromText === null ? null : `LOOPSCOPE_${path.replaceAll('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

/** @param {number} min @param {number} max */
function integer (min, max) {
  return {
    wanted: max === MAX_BYTES ? `integer of at least ${min}` : `integer from ${min} to ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertInteger(path, value, min, max),
    // Number('') is 0 and Number('1e3') is 1000: only digits are taken for a number.
    fromText: (/** @type {string} */ text) => /^\d+$/.test(text) ? Number(text) : text
  }
}

/** @param {number} max */
function positiveNumber (max) {
  return {
    wanted: `number above 0, at most ${max}`,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertNumberAbove(path, value, 0, max),
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
    defaultValue: undefined,
    check: (/** @type {string} */ path, /** @type {unknown} */ value) => assertMethods(path, value, names),
    fromText: null
  }
}

/** @param {string} path @param {unknown} value */
function checkGroup (path, value) {
  if (typeof value !== 'boolean' && (value === null || typeof value !== 'object')) refuse(path, 'true, false, or an object', value)
}

/** @param {string} path @param {unknown} value */
function checkMemoryReport (path, value) {
  if (value !== false && !(typeof value === 'number' && value >= 0.5 && value <= 0.98)) refuse(path, 'false, or a number from 0.5 to 0.98', value)
}

/** @param {string} path @param {unknown} value @returns {string[]} */
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

/**
 * Reads an environment variable that is JSON, or the path of a JSON file. It may contain secrets, so no error quotes it.
 * @param {string} variable
 * @param {string} wanted  what the JSON must be
 * @returns {(text: string) => unknown} throws ERR_LOOPSCOPE_INVALID_OPTION
 */
function jsonFromText (variable, wanted) {
  return text => {
    const isJson = /^\s*[[{]/.test(text)
    try {
      return JSON.parse(isJson ? text : fs.readFileSync(text, 'utf8'))
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
      if (code !== undefined) return refuse(variable, `${wanted} as JSON, or the path of a file of JSON`, `neither (${code})`)
      const [where = 'not JSON'] = /position \d+/.exec(message) ?? []
      return refuse(variable, `${wanted} as JSON`, `something else${isJson ? '' : ' in the file'}: ${where}`)
    }
  }
}

module.exports = { OPTIONS, variableOf }
