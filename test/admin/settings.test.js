'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parseAddress, isLocal, adminSettings } = require('../../lib/api/options/admin-settings')
const { splitTarget } = require('../../lib/shared/admin/exchange')
const { workerAddress } = require('../../lib/observer/admin/listener')
const { createTokens, hashToken, parseTokens } = require('../../lib/shared/admin/tokens')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { makeScratch } = require('../store/scratch')

const A = 'a'.repeat(32)
const B = 'b'.repeat(40)

test('addresses are read as people write them', () => {
  for (const [written, expected] of [
    [false, null],
    [true, { host: '127.0.0.1', port: 6060 }],
    [7070, { host: '127.0.0.1', port: 7070 }],
    ['7070', { host: '127.0.0.1', port: 7070 }],
    ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
    ['localhost:80', { host: '127.0.0.1', port: 80 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['/run/x.sock', { socketPath: '/run/x.sock' }]
  ]) assert.deepEqual(parseAddress('x', written), expected)
  assert.deepEqual(['127.8.8.8:1', '[::1]:1', '/x.sock', '0.0.0.0:1', '[::]:1', '10.0.0.1:1'].map(text => isLocal(parseAddress('x', text))), [true, true, true, false, false, false])
})

test('a worker listens on a port of its own', async () => {
  const group = { number: () => 3, takeOver: async () => {} }
  const { signal } = new AbortController()
  const listenOf = (listen, worker = { clusterId: 9, pm2: null }, of = group) => workerAddress(parseAddress('x', listen), worker, of, signal)
  assert.deepEqual([(await listenOf(6060)).port, (await listenOf(0)).port], [6063, 0])
  assert.deepEqual(await listenOf('/x.sock'), { socketPath: '/x.sock' })
  assert.equal((await listenOf(6060, { clusterId: 9, pm2: { id: '4', instance: 2 } })).port, 6062)
  const withoutDirectory = { number () { throw new Error('read-only') }, async takeOver () { throw new Error('read-only') } }
  assert.equal((await listenOf(6060, { clusterId: 9, pm2: null }, withoutDirectory)).port, 6069)
  await assert.rejects(listenOf(6060, { clusterId: 900, pm2: null }, { ...group, number: () => Infinity }), { code: 'ERR_LOOPSCOPE_SOCKET_UNUSABLE' })
})

test('PM2\'s own variables count, and those set without PM2 do not', () => {
  const pm2Of = env => resolveOptions({}, env).pm2Process
  assert.deepEqual(pm2Of({ pm_id: '4', NODE_APP_INSTANCE: '2' }), { id: '4', instance: 2 })
  for (const env of [{}, { NODE_APP_INSTANCE: '2' }, { pm_id: '4' }, { pm_id: 'x/../y', NODE_APP_INSTANCE: '2' }, { pm_id: '4', NODE_APP_INSTANCE: 'blue' }]) assert.equal(pm2Of(env), null)
})

test('tokens are kept as digests', () => {
  const settings = adminSettings(resolveOptions({ token: A }, {}))
  assert.deepEqual(settings.tokens, [{ sha256: hashToken(A), scope: 'manage' }])
  assert.ok(!JSON.stringify(settings).includes(A))
})

test('tokens carry a scope, the widest where none is written', () => {
  assert.deepEqual(parseTokens('x', `metrics:${A}, ${B}\n`), [{ sha256: hashToken(A), scope: 'metrics' }, { sha256: hashToken(B), scope: 'manage' }])
})

test('a token file is read again when it changes, and its last content holds while it cannot be read', t => {
  const tokenFile = path.join(makeScratch(t), 'token')
  let now = 0
  const faults = []
  const { scopeOf } = createTokens({ tokens: [], tokenFile, onFault: error => faults.push(error.code), now: () => now })
  assert.deepEqual([scopeOf(A), faults], [null, ['ENOENT']])
  fs.writeFileSync(tokenFile, `profile:${A}\n${B}`)
  assert.equal(scopeOf(A), null, 'looked at once a second')
  now = 1000
  assert.deepEqual([scopeOf(A), scopeOf(B)], ['profile', 'manage'])
  fs.writeFileSync(tokenFile, B)
  fs.utimesSync(tokenFile, 5, 5)
  now = 2000
  assert.deepEqual([scopeOf(A), scopeOf(B)], [null, 'manage'])
  fs.rmSync(tokenFile)
  now = 3000
  assert.equal(scopeOf(B), 'manage')
})

test('a target is split where its base ends, and nowhere else', () => {
  assert.deepEqual(splitTarget('/diagnostics/stalls?limit=5', '/diagnostics'), { base: '/diagnostics', path: '/stalls', query: 'limit=5' })
  assert.deepEqual(splitTarget('/diagnostics', '/diagnostics'), { base: '/diagnostics', path: '/', query: '' })
  assert.deepEqual(splitTarget('/diagnostics?x', '/diagnostics'), { base: '/diagnostics', path: '/', query: 'x' })
  assert.equal(splitTarget('/diagnosticsx', '/diagnostics'), null)
  assert.deepEqual(splitTarget('/%2e%2e/x', ''), { base: '', path: '/%2e%2e/x', query: '' })
})
