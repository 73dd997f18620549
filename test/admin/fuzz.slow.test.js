'use strict'

// Random and mutated requests: whatever comes, there is an answer, it is one of those that are documented, and no path leads
// out of the store.

const test = require('node:test')
const assert = require('node:assert/strict')
const fc = require('fast-check')
const { createRoutes } = require('../../lib/observer/admin/routes')
const { createSubject, requestOf, TOKENS } = require('./subject')

const RUNS = Number(process.env.FUZZ_RUNS ?? 50_000)
const DOCUMENTED = [200, 201, 202, 204, 206, 304, 400, 401, 403, 404, 405, 409, 416, 429, 503, 507]

const PATHS = createRoutes().map(({ path }) => path.replace(':id', '7').replace(':name', 'cpu-shop-20260101t000000000z-1-0001.cpuprofile'))
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PATHS) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom('/', '/..', '%00', '%2e%2e%2f', '//', '\\..\\', ';x', '/%2e%2e/etc/passwd')).map(parts => parts.join('')) },
  { weight: 1, arbitrary: fc.string().map(text => `/${text}`) },
  { weight: 1, arbitrary: fc.webPath() }
)
const value = fc.oneof(fc.string({ maxLength: 20 }), fc.integer().map(String), fc.constantFrom('1', '-1', '0.5', '1e9', 'NaN', '__proto__', '../../x', ''))
const name = fc.oneof(fc.constantFrom('seconds', 'last', 'from', 'to', 'format', 'limit', 'stop', 'gc', 'debug', 'constructor', '__proto__'), fc.string({ maxLength: 10 }))
const query = fc.array(fc.tuple(name, value), { maxLength: 4 }).map(pairs => new URLSearchParams(pairs).toString())
const header = fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=9-1', 'wait=0', 'wait=x', '*/*', 'text/html', 'localhost', 'http://localhost', 'Basic eDo=', 'Bearer '))
const headers = fc.dictionary(fc.constantFrom('host', 'origin', 'accept', 'range', 'if-range', 'if-none-match', 'authorization', 'prefer', 'idempotency-key', 'content-type', 'sec-fetch-site', 'x-forwarded-for'), header, { maxKeys: 3 })
const body = fc.oneof(
  fc.constant(null),
  fc.json().map(text => text),
  fc.string({ maxLength: 40 }),
  fc.record({ kind: fc.constantFrom('cpu', 'heap-snapshot', 'unheard', '__proto__'), seconds: fc.anything(), last: fc.anything(), format: fc.anything(), label: fc.anything() }, { requiredKeys: ['kind'] }).map(shape => JSON.stringify(shape, (_, one) => typeof one === 'bigint' ? String(one) : one))
)
const method = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE') }, { weight: 1, arbitrary: fc.constantFrom('PUT', 'PATCH', 'TRACE', 'get', '__proto__', 'constructor', '') })
const token = fc.constantFrom(TOKENS.manage, TOKENS.manage, TOKENS.profile, TOKENS.metrics, null, 'x')
const endpoint = fc.constantFrom('listener', 'mount', 'control')

test(`${RUNS} requests of all kinds get an answer that is documented`, { timeout: 120_000 }, async t => {
  // Whoever waits is not waited for: the time of a delta profile would be the time of the test.
  const subject = createSubject(t, { now: () => 0 })
  const { dir } = subject.store
  let checked = 0
  await fc.assert(fc.asyncProperty(path, query, method, endpoint, token, headers, body, async (place, parameters, verb, way, secret, more, content) => {
    const controller = new AbortController()
    controller.abort('it does not wait')
    const request = { ...requestOf(place.replaceAll('?', ''), { method: verb, endpoint: way, token: secret, headers: more, body: content }), query: parameters }
    const { status, headers: answered, body: given } = await subject.router.handle(request, controller.signal)
    checked++
    assert.ok(DOCUMENTED.includes(status), `${verb} ${place}?${parameters}: ${status}`)
    assert.equal(answered['Cache-Control'], 'no-store')
    if (given !== null && typeof given === 'object' && 'file' in given) assert.ok(given.file.startsWith(dir), given.file)
  }), { numRuns: RUNS })
  assert.equal(checked, RUNS)
  assert.deepEqual(subject.logged.filter(({ isWarning }) => isWarning), [])
})
