'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { OPTIONS, variableOf } = require('../../lib/api/options/options')
const { resolveOptions } = require('../../lib/api/options/resolve-options')

const NO_ENV = {}
const LOGGER = { info () {}, warn () {}, error () {} }

/** For every row values that are taken, and values that are not. */
const VALUES = {
  appName: { good: ['shop'], bad: ['', 5, null] },
  group: { good: ['shop'], bad: ['', 5, null] },
  stallThresholdMs: { good: [20, 60_000], bad: [19, 60_001, 100.5, '100', NaN, null] },
  heartbeatMs: { good: [5, 100], bad: [4, 1001, '20', Infinity] },
  recorder: { good: [true, false, {}], bad: [null, 'on', 1, []] },
  'recorder.hz': { good: [1, 1000], bad: [0, 1001, '100', 99.9] },
  'recorder.windowSeconds': { good: [1, 30], bad: [0, 31, '5'] },
  'recorder.keepSeconds': { good: [10, 600], bad: [9, 601, '60'] },
  'recorder.engine': { good: ['inspector', 'v8-profiler-next'], bad: ['perf', '', null, 'toString'] },
  dir: { good: ['/var/captures'], bad: ['', 5, false] },
  'retention.maxCount': { good: [1, 100_000], bad: [0, 100_001, '10'] },
  'retention.maxBytes': { good: [1, Number.MAX_SAFE_INTEGER], bad: [0, -1, 1e300] },
  'retention.maxAgeMs': { good: [1], bad: [0, '1d'] },
  'retention.minFreeBytes': { good: [0, 1e9], bad: [-1, NaN] },
  'heap.engine': { good: ['built-in', 'heapdump'], bad: ['v8', '', null] },
  'heap.maxPauseMs': { good: [1, 600_000], bad: [0, 600_001, '30s'] },
  onNearHeapLimit: { good: ['off', 'profile', 'snapshot'], bad: [true, false, '', 'heap', null] },
  memoryReport: { good: [false, 0.5, 0.98], bad: [true, 0.49, 0.99, '0.9', null] },
  signals: { good: [false, {}, { SIGUSR2: 'cpu' }, { SIGHUP: 'cpu' }], bad: [true, null, 'SIGUSR2', { SIGUSR2: 'heap' }, { SIGKILL: 'cpu' }, { SIGPROF: 'cpu' }, { USR2: 'cpu' }] },
  syncCalls: { good: [true, false, {}], bad: [null, 'on', 1, [], { api: ['*'] }] },
  'syncCalls.apis': { good: [['*'], ['fs.*', 'Date.now'], ['crypto.createSign().sign']], bad: [[], '*', null, ['fs.readFile'], ['*', 5]] },
  'syncCalls.thresholdMs': { good: [0.1, 60_000], bad: [0, 60_001, '1', NaN] },
  'syncCalls.flagMsPerSecond': { good: [0.5, 1000], bad: [0, 1001, '10'] },
  'syncCalls.flagCallsPerSecond': { good: [1, 1e9], bad: [0, Infinity, '10000'] },
  path: { good: [false, '/diagnostics', '/ops/loop-scope_1.x'], bad: [true, '', '/', 'diagnostics', '/a/', '/a b', '//a', null] },
  token: { good: ['x'.repeat(32), ['metrics:' + 'x'.repeat(32), 'y'.repeat(40)]], bad: ['short', '', [], ['x'.repeat(31)], 'root:' + 'x'.repeat(32), null, 5] },
  tokenFile: { good: ['/run/secrets/loopscope'], bad: ['', 5, null] },
  authorize: { good: [() => true, async () => false], bad: ['yes', null, {}] },
  'admin.listen': { good: [false, true, 6060, 0, '6060', '127.0.0.1:6060', '[::1]:6060', 'localhost:1', '/run/shop.sock', './shop.sock'], bad: [null, 65_536, -1, 1.5, 'shop', 'example.com:80', '0.0.0.0:6060', '[::]:6060', '', {}] },
  'admin.hosts': { good: [[], ['shop.internal']], bad: ['shop.internal', [5], ['shop:80'], null] },
  sourceMaps: { good: [true, false], bad: [null, 1, 'on'] },
  threads: { good: [true, false], bad: [null, 1, 'on', {}] },
  dependencyCalls: { good: [true, false], bad: [null, 1, 'on', {}] },
  waits: { good: [true, false], bad: [null, 1, 'on', {}] },
  startAtOnce: { good: [true, false], bad: [null, 1, 'on'] },
  controlSocket: { good: [true, false], bad: [null, 1, 'on'] },
  pm2: { good: [true, false], bad: [null, 1, 'on'] },
  egress: { good: [false, { to: 'put', url: 'http://127.0.0.1:9/' }], bad: [null, 'x', 5, {}] },
  rules: {
    good: [[], [{ when: { stallMs: 1000 }, do: [{ log: 'warn' }] }]],
    bad: [null, {}, 'x', [5], [{}], [{ when: {}, do: [{ log: 'warn' }] }], [{ when: { stallMs: 99 }, do: [{ log: 'warn' }] }], [{ when: { rssBytes: 1 }, do: [] }]]
  },
  rulesDryRun: { good: [true, false], bad: [null, 1, 'on'] },
  observerFile: { good: ['/app/dist/observer.js'], bad: ['', 5, null] },
  registry: { good: [new (require('prom-client').Registry)()], bad: [{}, null, 'x', { metrics () {} }] },
  logger: { good: [LOGGER, console], bad: [{}, null, { info () {} }] }
}

function nest (path, value) {
  const [group, name] = path.split('.')
  return name === undefined ? { [group]: value } : { [group]: { [name]: value } }
}

function at (options, path) {
  return path.split('.').reduce((value, name) => value[name], options)
}

test('every row has a default that is taken, a meaning, and values in this test', () => {
  const defaults = resolveOptions({}, NO_ENV)
  const withSyncCalls = resolveOptions({ syncCalls: true }, NO_ENV)
  for (const { path, meaning, wanted, check, defaultValue } of OPTIONS) {
    assert.ok(meaning.length > 0 && wanted.length > 0, path)
    assert.ok(Object.hasOwn(VALUES, path), `no values for ${path}`)
    if (defaultValue !== undefined) check(path, defaultValue)
    if (path !== 'recorder') assert.deepEqual(at(path.startsWith('syncCalls.') ? withSyncCalls : defaults, path), defaultValue)
  }
})

for (const [path, { good, bad }] of Object.entries(VALUES)) {
  const { check, isCompleted } = OPTIONS.find(row => row.path === path) ?? {}
  test(`${path}: what fits is taken, the rest is a coded error that names the option`, () => {
    for (const value of good) {
      const resolved = resolveOptions(nest(path, value), NO_ENV)
      if (path !== 'recorder' && path !== 'syncCalls' && value !== false) assert.deepEqual(at(resolved, path), isCompleted ? check(path, value) : value)
    }
    for (const value of bad) {
      assert.throws(() => resolveOptions(nest(path, value), NO_ENV),
        error => /^ERR_LOOPSCOPE_(INVALID_OPTION|UNKNOWN_OPTION|UNKNOWN_KIND)$/.test(error.code) && (error.code.endsWith('KIND') || error.message.includes(`options.${path}`)),
        `${path}: ${String(value)}`)
    }
  })
}

test('an option that is not known is named with those that are', () => {
  for (const [options, message] of [
    [{ treshold: 5 }, /^options\.treshold is not an option; valid options: appName, group, stallThresholdMs, /],
    [{ stallTreshold: 5 }, /^options\.stallTreshold is not an option; did you mean stallThresholdMs\? Valid options: /],
    [{ recorder: { rate: 5 } }, /^options\.recorder\.rate is not an option; valid options: hz, windowSeconds, keepSeconds, engine$/],
    [{ retention: { count: 5 } }, /^options\.retention\.count is not an option/]
  ]) assert.throws(() => resolveOptions(options, NO_ENV), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION', message })
  for (const options of [null, [], 'x', 5]) assert.throws(() => resolveOptions(options, NO_ENV), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
})

test('options that contradict each other are refused', () => {
  assert.throws(() => resolveOptions({ heartbeatMs: 200 }, NO_ENV), { message: 'options.heartbeatMs must be at most options.stallThresholdMs (100), got 200' })
  assert.throws(() => resolveOptions({ recorder: { windowSeconds: 30, keepSeconds: 10 } }, NO_ENV), { code: 'ERR_LOOPSCOPE_INVALID_OPTION' })
  resolveOptions({ heartbeatMs: 200, stallThresholdMs: 200 }, NO_ENV)
})

test('a listener that others can reach needs configured access', () => {
  const admin = { listen: '0.0.0.0:6060' }
  assert.throws(() => resolveOptions({ admin }, NO_ENV), { code: 'ERR_LOOPSCOPE_INVALID_OPTION', message: /options\.admin\.listen must be an address of this host only/ })
  for (const protection of [{ token: 'x'.repeat(32) }, { tokenFile: '/run/secrets/loopscope' }, { authorize: () => false }]) resolveOptions({ admin, ...protection }, NO_ENV)
})

test('a token that is refused does not appear in the error', () => {
  assert.throws(() => resolveOptions({ token: 'too-short-a-secret' }, NO_ENV), error => !error.message.includes('secret'))
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_TOKEN: 'too-short-a-secret' }), error => !error.message.includes('secret') && error.message.includes('LOOPSCOPE_TOKEN'))
})

test('the caller\'s options are not changed', () => {
  const options = Object.freeze({ recorder: Object.freeze({ hz: 50 }), retention: Object.freeze({ maxCount: 2 }), signals: Object.freeze({ SIGHUP: 'cpu' }) })
  const resolved = resolveOptions(options, NO_ENV)
  assert.notEqual(resolved.recorder, options.recorder)
  assert.deepEqual([resolved.recorder.hz, resolved.retention.maxCount, resolved.signals], [50, 2, { SIGHUP: 'cpu' }])
})

test('a variable is the path in upper snake case', () => {
  const names = OPTIONS.map(variableOf).filter(name => name !== null)
  assert.deepEqual(names, ['LOOPSCOPE_APP_NAME', 'LOOPSCOPE_GROUP', 'LOOPSCOPE_STALL_THRESHOLD_MS', 'LOOPSCOPE_HEARTBEAT_MS', 'LOOPSCOPE_RECORDER', 'LOOPSCOPE_RECORDER_HZ',
    'LOOPSCOPE_RECORDER_WINDOW_SECONDS', 'LOOPSCOPE_RECORDER_KEEP_SECONDS', 'LOOPSCOPE_RECORDER_ENGINE', 'LOOPSCOPE_DIR', 'LOOPSCOPE_RETENTION_MAX_COUNT',
    'LOOPSCOPE_RETENTION_MAX_BYTES', 'LOOPSCOPE_RETENTION_MAX_AGE_MS', 'LOOPSCOPE_RETENTION_MIN_FREE_BYTES', 'LOOPSCOPE_HEAP_ENGINE', 'LOOPSCOPE_HEAP_MAX_PAUSE_MS', 'LOOPSCOPE_ON_NEAR_HEAP_LIMIT', 'LOOPSCOPE_MEMORY_REPORT', 'LOOPSCOPE_SIGNALS', 'LOOPSCOPE_SYNC_CALLS', 'LOOPSCOPE_SYNC_CALLS_APIS', 'LOOPSCOPE_SYNC_CALLS_THRESHOLD_MS',
    'LOOPSCOPE_SYNC_CALLS_FLAG_MS_PER_SECOND', 'LOOPSCOPE_SYNC_CALLS_FLAG_CALLS_PER_SECOND', 'LOOPSCOPE_PATH', 'LOOPSCOPE_TOKEN', 'LOOPSCOPE_TOKEN_FILE', 'LOOPSCOPE_ADMIN_LISTEN',
    'LOOPSCOPE_ADMIN_HOSTS', 'LOOPSCOPE_SOURCE_MAPS', 'LOOPSCOPE_THREADS', 'LOOPSCOPE_DEPENDENCY_CALLS', 'LOOPSCOPE_WAITS', 'LOOPSCOPE_CONTROL_SOCKET', 'LOOPSCOPE_PM2', 'LOOPSCOPE_EGRESS', 'LOOPSCOPE_RULES', 'LOOPSCOPE_RULES_DRY_RUN', 'LOOPSCOPE_START_AT_ONCE', 'LOOPSCOPE_OBSERVER_FILE'])
})

test('in a worker of PM2\'s cluster the variables count that PM2 unpacks after what is preloaded', t => {
  const [, entry] = process.argv
  t.after(() => { process.argv[1] = entry })
  const env = { LOOPSCOPE_HEARTBEAT_MS: '10', pm2_env: JSON.stringify({ LOOPSCOPE_STALL_THRESHOLD_MS: 250, NODE_ENV: 'production', pm_id: 3, NODE_APP_INSTANCE: 1 }) }
  const read = () => {
    const { heartbeatMs, stallThresholdMs, isProduction, pm2Process } = resolveOptions({}, env)
    return { heartbeatMs, stallThresholdMs, isProduction, pm2Process }
  }
  process.argv[1] = '/somewhere/pm2/lib/ProcessContainer.js'
  assert.deepEqual(read(), { heartbeatMs: 10, stallThresholdMs: 250, isProduction: true, pm2Process: { id: '3', instance: 1 } })
  process.argv[1] = '/srv/app.js' // which such a worker started: it has the variable, and is none
  assert.deepEqual(read(), { heartbeatMs: 10, stallThresholdMs: 100, isProduction: false, pm2Process: null })
})
