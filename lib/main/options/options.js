'use strict'

// The table of options: every option once, with its type, range, default and meaning. docs/options.md and types/diagnostics.d.ts are
// held equal to it by a test.

const { DEFAULTS: LOOP } = require('../loop/heartbeat')
const { DEFAULTS: RECORDER } = require('../recorder/recorder')
const { ENGINES } = require('../recorder/engines')
const { RETENTION, defaultDir } = require('../../shared/store/defaults')
const { DEFAULTS: NEAR_LIMIT, NEAR_LIMIT_MODES } = require('../heap/near-limit')
const { DEFAULTS: SNAPSHOT, SNAPSHOT_ENGINES } = require('../heap/snapshot-engines')
const { DEFAULTS: SYNC_CALLS } = require('../sync-calls/settings')
const { selectTargets } = require('../sync-calls/targets')
const { DEFAULTS: SIGNALS, checkSignals } = require('../signals')
const { assertKind } = require('../../shared/captures/kinds')
const { parseAddress } = require('../admin/address')
const { DEFAULTS: ADMIN, checkHosts, checkMountPath, checkToken, toListen } = require('../admin/settings')
const { assertBoolean, assertFunction } = require('../../shared/base/validate')
const { jsonFromText } = require('./json-from-text')
const { MAX_BYTES, assertStrings, checkGroup, integer, methods, number, oneOf, text, toSignals, toSwitch } = require('./value-types')

/**
 * @typedef {object} OptionRow
 * @property {string} path        in the options object
 * @property {string} wanted      type and range, for a person
 * @property {unknown} [defaultValue] the default; none when absent
 * @property {string} meaning
 * @property {(path: string, value: any) => unknown} check
 * @property {boolean} [isCompleted]  what check answers holds: the value with its own defaults
 * @property {((text: string) => unknown) | null} fromText  of the environment variable; null when it cannot be written as text
 */

/** @type {readonly OptionRow[]} */
const OPTIONS = Object.freeze([
  { path: 'appName', ...text(), meaning: 'Name of the service in logs, titles and file names; by default the name in its package.json, else `node`' },
  { path: 'group', ...text(), meaning: 'Processes of this user on this host with the same name of a group answer together: [group.md](group.md); by default the `appName`' },
  { path: 'stallThresholdMs', ...integer(20, 60_000), defaultValue: LOOP.stallThresholdMs, meaning: 'Delay in milliseconds from which the loop counts as stalled' },
  { path: 'heartbeatMs', ...integer(5, 1000), defaultValue: LOOP.periodMs, meaning: 'Period of the heartbeat in milliseconds' },
  { path: 'recorder', wanted: '`false`, or an object', defaultValue: true, meaning: 'The running CPU profiler; `false` turns it off', check: checkGroup, fromText: toSwitch },
  { path: 'recorder.hz', ...integer(1, 1000), defaultValue: RECORDER.hz, meaning: 'Samples a second' },
  { path: 'recorder.windowSeconds', ...integer(1, 30), defaultValue: RECORDER.windowSeconds, meaning: 'Length of one recorded window in seconds' },
  { path: 'recorder.keepSeconds', ...integer(10, 600), defaultValue: RECORDER.keepSeconds, meaning: 'How far back a capture can look, in seconds' },
  { path: 'recorder.engine', ...oneOf(Object.keys(ENGINES)), defaultValue: RECORDER.engine, meaning: 'What records: the built-in inspector, or the optional peer dependency `v8-profiler-next`' },
  { path: 'dir', ...text(), defaultValue: defaultDir(), meaning: 'Where artifacts are written, in a folder for each application; by default a 0700 folder of this user under the temporary directory' },
  { path: 'retention.maxCount', ...integer(1, 100_000), defaultValue: RETENTION.maxCount, meaning: 'Artifacts kept' },
  { path: 'retention.maxBytes', ...integer(1, MAX_BYTES), defaultValue: RETENTION.maxBytes, meaning: 'Bytes kept, all artifacts together' },
  { path: 'retention.maxAgeMs', ...integer(1, MAX_BYTES), defaultValue: RETENTION.maxAgeMs, meaning: 'Age in milliseconds after which an artifact is removed' },
  { path: 'retention.minFreeBytes', ...integer(0, MAX_BYTES), defaultValue: RETENTION.minFreeBytes, meaning: 'Free bytes that a write must leave on the disk' },
  { path: 'heap.engine', ...oneOf(Object.keys(SNAPSHOT_ENGINES)), defaultValue: SNAPSHOT.engine, meaning: 'What writes a heap snapshot: V8 through Node.js, or the optional peer dependency `heapdump`' },
  { path: 'heap.maxPauseMs', ...integer(1, 600_000), defaultValue: SNAPSHOT.maxPauseMs, meaning: 'A heap snapshot that is estimated to stop the process for longer is refused' },
  { path: 'onNearHeapLimit', ...oneOf(NEAR_LIMIT_MODES), defaultValue: NEAR_LIMIT.onNearHeapLimit, meaning: 'Evidence to leave before the process dies of a full heap: a sampled heap profile, or (it takes long, and holds everything) a heap snapshot' },
  { path: 'signals', wanted: '`false`, or an object of signal to kind', defaultValue: SIGNALS, meaning: 'What a signal captures; `false` for none. As text: `SIGUSR2=cpu,SIGHUP=cpu` or `off`', check: (path, value) => checkSignals(path, value, assertKind), fromText: toSignals },
  { path: 'syncCalls', wanted: '`false`, `true`, or an object', defaultValue: false, meaning: 'The exact sync-call detector, which wraps the APIs it watches; the sampled one runs with the recorder and wraps nothing', check: checkGroup, fromText: toSwitch },
  { path: 'syncCalls.apis', wanted: 'list of API names, `fs.*` or `*`', defaultValue: SYNC_CALLS.apis, meaning: 'Which APIs are watched. As text: `crypto.*,fs.readFileSync`', check: (path, value) => { selectTargets(assertStrings(path, value), path) }, fromText: text => text.split(',').map(name => name.trim()) },
  { path: 'syncCalls.thresholdMs', ...number(0, 60_000), defaultValue: SYNC_CALLS.thresholdMs, meaning: 'Calls of at least so many milliseconds are looked at one by one, shorter ones by sample' },
  { path: 'syncCalls.flagMsPerSecond', ...number(0, 1000), defaultValue: SYNC_CALLS.flagMsPerSecond, meaning: 'Milliseconds a second from which on a call site is flagged' },
  { path: 'syncCalls.flagCallsPerSecond', ...number(0, 1e9), defaultValue: SYNC_CALLS.flagCallsPerSecond, meaning: 'Calls a second from which on a call site of `Date.now` or `new Date()` is flagged' },
  { path: 'path', wanted: '`false`, or a path that begins with `/`', defaultValue: ADMIN.path, meaning: 'Where `app.use(diagnostics())` answers admin requests; `false`: nowhere. As text: the path, or `off`', check: checkMountPath, fromText: text => toSwitch(text) === false ? false : text },
  { path: 'token', wanted: '`[scope:]token` of at least 32 characters, or a list of them', meaning: 'Who may use the admin surface. Scopes: `metrics`, `profile`, `dump`, `manage` (the default), each with those before it; as text separated by commas. Without one nothing answers in production, and elsewhere a random one is made and logged', check: checkToken, fromText: text => text.split(',').map(part => part.trim()) },
  { path: 'tokenFile', ...text(), meaning: 'A file with tokens, one a line, read again when it changes' },
  { path: 'authorize', wanted: 'function `(request, scope) => boolean`, or one that returns a promise of it', meaning: 'Your own authentication for requests that carry no known token. It runs on the main thread, so that it cannot answer while the loop is blocked', check: assertFunction, fromText: null },
  { path: 'admin.listen', wanted: '`false`, `true`, a port, `host:port`, or the path of a Unix socket', defaultValue: ADMIN.listen, meaning: 'A listener of its own for the admin surface, served by another thread, so that it answers while the loop is blocked. `true` is 127.0.0.1:6060; a cluster worker adds its number to the port', check: (path, value) => { parseAddress(path, value) }, fromText: toListen },
  { path: 'admin.hosts', wanted: 'list of host names', defaultValue: ADMIN.hosts, meaning: 'Names in the Host header that are taken beside IP addresses and localhost', check: checkHosts, fromText: text => text.split(',').map(name => name.trim()) },
  { path: 'sourceMaps', wanted: '`true` or `false`', defaultValue: true, meaning: 'Code is shown as it was written, by its [source maps](source-maps.md): the observer reads them, when a stall or a capture needs one', check: assertBoolean, fromText: toSwitch },
  { path: 'threads', wanted: '`true` or `false`', defaultValue: false, meaning: 'Worker threads are [watched](threads.md#watching-them): how busy each is, in which function, and its stalls', check: assertBoolean, fromText: toSwitch },
  { path: 'controlSocket', wanted: '`true` or `false`', defaultValue: ADMIN.controlSocket, meaning: 'A socket in the temporary folder that only this user can open, for `npx loopscope … <pid>`', check: assertBoolean, fromText: toSwitch },
  { path: 'pm2', wanted: '`true` or `false`', defaultValue: true, meaning: 'Under [PM2](pm2.md), and nowhere else: figures for `pm2 describe`, and answers to `pm2 trigger`', check: assertBoolean, fromText: toSwitch },
  { path: 'egress', wanted: '`false`, an object, or a list of them', defaultValue: false, meaning: 'Where profiles, artifacts and evidence are sent; nothing leaves the machine without it: [egress.md](egress.md). As text: JSON, or the path of a file with it', check: (path, value) => { if (value !== false) require('../egress/settings').checkEgress(path, value) }, fromText: text => toSwitch(text) === false ? false : jsonFromText('LOOPSCOPE_EGRESS', 'a destination, or a list of them,')(text) },
  { path: 'rules', wanted: 'list of rules', defaultValue: Object.freeze([]), meaning: 'What to do when something happens: [rules.md](rules.md). As text: JSON, or the path of a file of JSON', check: (path, value) => require('../../shared/rules/check-rules').checkRules(path, value), isCompleted: true, fromText: jsonFromText('LOOPSCOPE_RULES', 'a list of rules') },
  { path: 'rulesDryRun', wanted: '`true` or `false`', defaultValue: false, meaning: 'What the rules would do is logged, and not done', check: assertBoolean, fromText: toSwitch },
  { path: 'startAtOnce', wanted: '`true` or `false`', defaultValue: false, meaning: '[Preloaded](frameworks.md#when-a-preloaded-process-is-observed): whether a process is observed from its first moment, and not only once it listens or has lived for two seconds', check: assertBoolean, fromText: toSwitch },
  { path: 'observerFile', ...text(), meaning: 'Where a bundle has the file that `loopscope/observer` was bundled to: [bundlers.md](bundlers.md)' },
  { path: 'registry', ...methods('registerMetric', 'getSingleMetric', 'removeSingleMetric', 'metrics'), meaning: 'A `Registry` of prom-client or of @prometheus-io/client to put the metrics into; by default one of our own, of prom-client' },
  { path: 'logger', ...methods('info', 'warn', 'error'), meaning: 'A pino-shaped logger; by default pino on standard output, preloaded on standard error' }
])

/**
 * @param {OptionRow} row
 * @returns {string | null} `LOOPSCOPE_` + the path in upper snake case; null where the option cannot be written as text
 */
function variableOf ({ path, fromText }) {
  return fromText === null ? null : `LOOPSCOPE_${path.replaceAll('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`
}

module.exports = { OPTIONS, variableOf }
