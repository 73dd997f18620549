'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { resolveOptions } = require('../../lib/api/options/resolve-options')

test('the environment wins over the default, and the code over the environment', () => {
  const env = { LOOPSCOPE_STALL_THRESHOLD_MS: '250', LOOPSCOPE_RECORDER_HZ: '50', LOOPSCOPE_DIR: '/captures', PATH: '/bin' }
  const fromEnv = resolveOptions({}, env)
  assert.deepEqual([fromEnv.stallThresholdMs, fromEnv.recorder.hz, fromEnv.dir, fromEnv.heartbeatMs], [250, 50, '/captures', 20])
  const fromCode = resolveOptions({ stallThresholdMs: 300, recorder: { hz: 99 } }, env)
  assert.deepEqual([fromCode.stallThresholdMs, fromCode.recorder.hz, fromCode.dir], [300, 99, '/captures'])
})

test('the recorder is switched by words, and the code wins there too', () => {
  for (const text of ['false', 'off', '0', 'OFF']) assert.equal(resolveOptions({}, { LOOPSCOPE_RECORDER: text }).recorder, false)
  for (const text of ['true', 'on', '1']) assert.equal(resolveOptions({}, { LOOPSCOPE_RECORDER: text }).recorder.hz, 100)
  assert.equal(resolveOptions({ recorder: { hz: 50 } }, { LOOPSCOPE_RECORDER: 'off' }).recorder.hz, 50)
  assert.equal(resolveOptions({ recorder: false }, { LOOPSCOPE_RECORDER: 'on', LOOPSCOPE_RECORDER_HZ: '50' }).recorder, false)
})

test('the sync-call detector is switched by words too, and its APIs are a list with commas', () => {
  assert.equal(resolveOptions({}, {}).syncCalls, false)
  const { syncCalls } = resolveOptions({}, { LOOPSCOPE_SYNC_CALLS: 'on', LOOPSCOPE_SYNC_CALLS_APIS: 'crypto.*, fs.readFileSync', LOOPSCOPE_SYNC_CALLS_THRESHOLD_MS: '0.5' })
  assert.deepEqual([syncCalls.apis, syncCalls.thresholdMs, syncCalls.flagMsPerSecond], [['crypto.*', 'fs.readFileSync'], 0.5, 10])
  assert.equal(resolveOptions({}, { LOOPSCOPE_SYNC_CALLS_APIS: 'crypto.*' }).syncCalls, false)
})

test('signals are pairs, or off', () => {
  assert.deepEqual(resolveOptions({}, { LOOPSCOPE_SIGNALS: 'SIGUSR2=cpu, SIGHUP = cpu' }).signals, { SIGUSR2: 'cpu', SIGHUP: 'cpu' })
  assert.deepEqual(resolveOptions({}, { LOOPSCOPE_SIGNALS: 'off' }).signals, {})
  assert.deepEqual(resolveOptions({}, {}).signals, { SIGUSR2: 'cpu' })
})

test('an empty variable is one that is not set', () => {
  const { stallThresholdMs, recorder, signals } = resolveOptions({}, { LOOPSCOPE_STALL_THRESHOLD_MS: '', LOOPSCOPE_RECORDER: '', LOOPSCOPE_SIGNALS: '' })
  assert.deepEqual([stallThresholdMs, recorder.hz, signals], [100, 100, { SIGUSR2: 'cpu' }])
})

for (const [name, texts] of Object.entries({
  LOOPSCOPE_STALL_THRESHOLD_MS: ['abc', '1e3', '-5', '100.5', ' 100', '0x64', '19', '60001'],
  LOOPSCOPE_RECORDER: ['yes', 'maybe'],
  LOOPSCOPE_RECORDER_ENGINE: ['perf'],
  LOOPSCOPE_RETENTION_MAX_COUNT: ['0', 'many'],
  LOOPSCOPE_SYNC_CALLS_APIS: ['nothing', 'fs.readFileSync,', 'fs readFileSync'],
  LOOPSCOPE_SYNC_CALLS_THRESHOLD_MS: ['0', '-1', '.5', 'soon'],
  LOOPSCOPE_SIGNALS: ['true', 'SIGUSR2', 'SIGUSR2=heap', 'SIGNOPE=cpu', 'SIGUSR2=cpu,']
})) {
  test(`${name} that cannot be right is a coded error`, () => {
    for (const text of texts) {
      assert.throws(() => resolveOptions({}, { [name]: text }), error => /^ERR_LOOPSCOPE_/.test(error.code), text)
    }
  })
}

test('a misspelt variable is an error, not a setting that silently does not hold', () => {
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_TRESHOLD: '5' }),
    { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION', message: /^the variable LOOPSCOPE_TRESHOLD is not an option; valid options: LOOPSCOPE_APP_NAME, / })
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_STALL_THRESHOLD: '5' }), { message: /; did you mean LOOPSCOPE_STALL_THRESHOLD_MS\? Valid options: LOOPSCOPE_APP_NAME, / })
  for (const name of ['LOOPSCOPE_LOGGER', 'LOOPSCOPE_REGISTRY']) assert.throws(() => resolveOptions({}, { [name]: 'x' }), { code: 'ERR_LOOPSCOPE_UNKNOWN_OPTION' })
})

test('the message of a bad variable names the variable', () => {
  assert.throws(() => resolveOptions({}, { LOOPSCOPE_RECORDER_HZ: '5000' }), { message: 'LOOPSCOPE_RECORDER_HZ must be an integer from 1 to 1000, got 5000' })
})
