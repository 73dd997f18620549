'use strict'

const assert = require('node:assert/strict')
const { createHash } = require('node:crypto')
const { builtinModules } = require('node:module')
const test = require('node:test')
const { looksLikeData, redactName } = require('../../lib/observer/heap/redaction/redaction-rules')

const DATA = [
  'bob@example.com', 'user:ada.lovelace@mail.example.org', 'ada%40example.org', 'postgres://app:hunter@db/shop',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP', 'Bearer abcdef', 'token=abc', 'sk_live_4eC39HqLyjW', 'ghp_abcdefgh1234', 'xoxb-123456-abc',
  'AKIAIOSFODNN7EXAMPLE', '-----BEGIN PRIVATE KEY-----', '/reset?code=abc', '4111 1111 1111 1111', '+49 (170) 123-4567', '123-45-6789', '192.168.100.200',
  '123e4567-e89b-12d3-a456-426614174000', 'data:text/javascript,export let a', 'DATA:text/html; charset=utf-8,a', 'sess:9f86d081884c7d65', 'dGhpcyBpcyBub3QgYSB0ZXN0IQ', 'k3j9x2m7q1z8', 'P4ssw0rd!2024', 'zxqwrtplkjhgfdsnmb', 'x'.repeat(3e6)
]

const NAMES = [
  'accounts', 'x-request-id', 'getNodeById', 'AbstractSingletonProxyFactoryBean', 'processBase64EncodedUtf8Buffers', 'kMaxLength', '#isBusy', '__proto__', 'utf8',
  'system / Context', '(GC roots)', '12345', '%Uint8ArrayPrototype%', 'Order Items', 'sha256WithRSAEncryption', 'LoopscopeCanary', 'XMLHttpRequest', 'rawTrailers',
  'data:', 'metadata: x, y', '/srv/app/lib/orders.js', 'node:internal/streams/readable', '/app/node_modules/.pnpm/@scope+pkg@1.0.0/node_modules/@scope/pkg/index.js', 'express@4.18.2',
  'file:///srv/app/server.mjs', '<symbol nodejs.util.inspect.custom>', 'get [Symbol.toStringTag]'
]

test('distinguishes data from names', () => {
  assert.deepEqual(DATA.filter(name => !looksLikeData(name)), [])
  assert.deepEqual(NAMES.filter(name => redactName(name, () => 'X') !== name), [])
})

test('recognizes 99 of 100 random tokens', () => {
  const digest = at => createHash('sha256').update(`token ${at}`).digest()
  for (const [bytes, encoding] of [[18, 'base64'], [24, 'base64'], [24, 'base64url'], [32, 'base64url'], [16, 'hex']]) {
    const tokens = Array.from({ length: 2000 }, (_, at) => digest(at).subarray(0, bytes).toString(encoding))
    const missed = tokens.filter(text => !looksLikeData(text))
    assert.ok(missed.length <= 30, `${missed.length} of ${bytes} bytes in ${encoding}: ${missed.slice(0, 5)}`)
    const kept = tokens.filter(text => redactName(`/${text}`, () => 'X').includes(text))
    assert.ok(kept.length <= 30, `${kept.length} behind a slash`)
  }
})

test('keeps nearly every name of Node.js itself', () => {
  const names = builtinModules.filter(name => !name.startsWith('_')).flatMap(name => Object.keys(require(name)))
  const lost = [...new Set(names)].filter(looksLikeData)
  assert.ok(names.length > 800 && lost.length <= 3, lost.join(', '))
})

test('replaces a part of a path, the query with what follows, and else the whole name', () => {
  const hidden = text => redactName(text, () => 'X')
  assert.equal(hidden('/srv/9f86d081884c7d659a2f/lib/app.js'), '/srv/X/lib/app.js')
  assert.equal(hidden('https://example.com/orders?session=abc#top'), 'https://example.com/ordersX')
  assert.equal(hidden('https://ada:secret@example.com/orders'), 'https://X/orders')
  assert.equal(hidden('orders of ada@example.com today'), 'X')
})

test('takes both texts out of the name of a WeakMap entry, which stays one; also where V8 cut it off', () => {
  const never = () => assert.fail()
  assert.equal(redactName('7 / part of key (Object @101) -> value (se)cret -> value (x @103) pair in WeakMap (table @99)', never),
    '7 / part of key (... @101) -> value (... @103) pair in WeakMap (table @99)')
  assert.equal(redactName('7 / part of key (Object @101) -> value (secret that goes on', never), '7 / part of key (...)')
})
