'use strict'

// Every route of the table, by every endpoint, with everything that can be wrong with who asks.

const test = require('node:test')
const assert = require('node:assert/strict')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { SCOPES } = require('../../lib/shared/admin/tokens')
const { createSubject, STALL, TOKENS } = require('./subject')

const ROWS = createRoutes().flatMap(({ path, methods }) => Object.entries(methods).map(([method, { scope, isOpen }]) => ({ path, method, scope, isOpen: isOpen !== undefined })))
const ENDPOINTS = ['listener', 'mount', 'control']
// What stands for the parameters of a path.
const targetOf = path => path.replace(':id', String(STALL.id)).replace(':name', 'cpu-shop-20260101t000000000z-1-0001.cpuprofile')

const UNKNOWN = 'an-unknown-token-of-at-least-32-characters'

// By endpoint: the control socket's file is the authentication, so that a token changes nothing there.
const CASES = [
  { name: 'no token', how: { token: null }, expected: { listener: 401, mount: 401, control: null } },
  { name: 'a wrong token', how: { token: UNKNOWN }, expected: { listener: 401, mount: 401, control: null } },
  { name: 'a foreign Host', how: { headers: { host: 'evil.example' } }, expected: { listener: 403, mount: 403, control: 403 } },
  { name: 'a Host that only looks like an address', how: { headers: { host: '127.0.0.1.evil.example' } }, expected: { listener: 403, mount: 403, control: 403 } },
  { name: 'a foreign Origin', how: { headers: { origin: 'http://evil.example' } }, expected: { listener: 403, mount: 403, control: 403 } },
  { name: 'Origin null', how: { headers: { origin: 'null' } }, expected: { listener: 403, mount: 403, control: 403 } },
  { name: 'Sec-Fetch-Site: cross-site', how: { headers: { 'sec-fetch-site': 'cross-site' } }, expected: { listener: 403, mount: 403, control: 403 } },
  { name: 'forwarded headers and no token', how: { token: null, headers: { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', 'x-real-ip': '127.0.0.1' } }, expected: { listener: 401, mount: 401, control: null } },
  { name: 'a parameter that is not known', query: '?unheard=1', how: {}, expected: { listener: 400, mount: 400, control: 400 } }
]

for (const { path, method, scope, isOpen } of ROWS) {
  for (const { name: what, how, query = '', expected } of CASES) {
    test(`${method} ${path} with ${what}`, async t => {
      for (const endpoint of ENDPOINTS) {
        const { ask } = createSubject(t)
        const { status } = await ask(targetOf(path) + query, { method, endpoint, ...how })
        if (expected[endpoint] === null) assert.ok(![401, 403].includes(status), `${endpoint}: ${status}`)
        else assert.equal(status, expected[endpoint], endpoint)
      }
    })
  }

  test(`${method} ${path} needs the scope ${scope}`, async t => {
    for (const held of SCOPES) {
      const { ask, counted } = createSubject(t)
      const { status } = await ask(targetOf(path), { method, token: TOKENS[held] })
      const isEnough = SCOPES.indexOf(held) >= SCOPES.indexOf(scope)
      assert.equal(status === 403, !isEnough, `${held}: ${status}`)
      if (!isEnough) assert.deepEqual(counted[0], { name: 'authFailure', reason: 'scope' })
    }
  })

  test(`${method} ${path} in production without configured access`, async t => {
    const { ask } = createSubject(t, { application: { isProduction: true, tokens: [] } })
    for (const endpoint of ['listener', 'mount']) {
      assert.equal((await ask(targetOf(path), { method, endpoint })).status, 404, endpoint)
      assert.equal((await ask(targetOf(path), { method, endpoint, token: null, headers: { accept: 'text/html' } })).status, 404, endpoint)
    }
    assert.notEqual((await ask(targetOf(path), { method, endpoint: 'control' })).status, 401)
  })

  if (isOpen) continue
  test(`${path} with an unknown method`, async t => {
    const { ask } = createSubject(t)
    const { status, headers } = await ask(targetOf(path), { method: 'PATCH' })
    assert.equal(status, 405)
    assert.match(headers.Allow, new RegExp(`\\b${method}\\b`))
    assert.equal((await ask(targetOf(path), { method: 'PATCH', token: null })).status, 401)
  })
}

test('only the shell of the page is there for everybody, and a foreign Host does not get that', async t => {
  const { ask } = createSubject(t)
  const headers = { accept: 'text/html,*/*' }
  const page = await ask('/', { token: null, headers })
  assert.equal(page.status, 200)
  assert.match(page.headers['Content-Security-Policy'], /^default-src 'none'; script-src 'sha256-/)
  assert.ok(!page.body.includes('shop'))
  assert.equal((await ask('/', { token: null, headers: { ...headers, host: 'evil.example' } })).status, 403)
})

test('names that the application calls its own are taken, with a port or without', async t => {
  const { ask } = createSubject(t)
  for (const host of ['shop.internal', 'SHOP.internal:6060', '[::1]:6060', '10.0.0.7:80', 'localhost']) {
    assert.equal((await ask('/loop', { headers: { host } })).status, 200, host)
  }
  for (const host of ['shop.internal.evil.example', 'localhost6', '0177.0.0.1', '10.0.2.555', '', 'a b', 'localhost:80:80', undefined]) {
    assert.equal((await ask('/loop', { headers: { host } })).status, 403, String(host))
  }
})

test('requests of the server\'s own page are allowed, also behind a proxy that ends TLS', async t => {
  const { ask } = createSubject(t)
  for (const origin of ['http://shop.internal', 'https://shop.internal']) {
    assert.equal((await ask('/loop', { headers: { host: 'shop.internal', origin, 'sec-fetch-site': 'same-origin' } })).status, 200)
  }
})

test('after ten wrong tokens in a minute further wrong ones of that peer have to wait; the right one always passes', async t => {
  let now = 0
  const { ask } = createSubject(t, { now: () => now })
  const tries = []
  for (let attempt = 0; attempt < 12; attempt++) tries.push((await ask('/loop', { token: UNKNOWN })).status)
  assert.deepEqual(tries, [...Array(10).fill(401), 429, 429])
  const refused = await ask('/loop', { token: UNKNOWN })
  assert.deepEqual([refused.status, refused.headers['Retry-After']], [429, '60'])
  assert.equal((await ask('/loop')).status, 200)
  assert.equal((await ask('/loop', { token: null })).status, 401)
  assert.equal((await ask('/loop', { token: UNKNOWN, peer: '10.0.0.9' })).status, 401)
  now = 60_001
  assert.equal((await ask('/loop', { token: UNKNOWN })).status, 401)
})

test('setting the time of day back keeps nobody waiting for longer', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20) })
  const { ask } = createSubject(t)
  for (let attempt = 0; attempt < 11; attempt++) await ask('/loop', { token: UNKNOWN })
  t.mock.timers.setTime(Date.UTC(2026, 9, 20))
  const { status, headers } = await ask('/loop', { token: UNKNOWN })
  assert.equal(status, 429)
  assert.ok(Number(headers['Retry-After']) <= 60, headers['Retry-After'])
})

test('a Basic password is the token', async t => {
  const { ask } = createSubject(t)
  const basic = text => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  assert.equal((await ask('/loop', { headers: basic(`x:${TOKENS.metrics}`) })).status, 200)
  for (const authorization of [basic(TOKENS.metrics).authorization, 'Basic ', 'Basic !!!', `Bearer  ${TOKENS.metrics} x`, 'Digest x']) {
    assert.equal((await ask('/loop', { headers: { authorization } })).status, 401, authorization)
  }
})

test('authorize of the application decides for those without a known token', async t => {
  const asked = []
  const { ask } = createSubject(t, { application: { hasAuthorize: true }, sources: { authorize: async (request, scope) => asked.push([request.path, scope]) > 0 && scope === 'metrics' } })
  assert.equal((await ask('/loop', { token: null })).status, 200)
  assert.equal((await ask('/cpu', { token: null })).status, 403)
  assert.deepEqual(asked, [['/loop', 'metrics'], ['/cpu', 'profile']])
  assert.equal((await ask('/cpu', { token: TOKENS.profile })).status, 200)
})

test('an authorize that cannot answer is distinguished from one that refuses', async t => {
  const { ask } = createSubject(t, { application: { hasAuthorize: true }, sources: { authorize: require('./subject').unavailable } })
  const { status, value, headers } = await ask('/loop', { token: null })
  assert.deepEqual([status, value.code, headers['Retry-After']], [503, 'ERR_LOOPSCOPE_LOOP_BLOCKED', '5'])
})
