'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Surface } = require('../../lib/api/admin/surface')
const { resolveOptions } = require('../../lib/api/options/resolve-options')
const { hashToken } = require('../../lib/shared/admin/tokens')

const TOKEN = 'a'.repeat(32)
const LISTENING = 'http://127.0.0.1:9229'

/** Starts the surface of a handle: what its observer is told of tokens, and what stands in the log. */
async function startSurface ({ options = {}, env = {}, isMounted = false }) {
  const lines = []
  const surface = new Surface({
    options: resolveOptions(options, env),
    registry: () => assert.fail('nobody asked for metrics'),
    logger: { info: facts => lines.push(facts.url), warn: facts => assert.fail(facts) },
    appName: 'app',
    appRoot: '/srv/app',
    version: '0.0.0',
    clusterId: null
  })
  const take = isMounted ? surface.openMount() : null
  let tokens
  const open = settings => {
    tokens = settings.tokens
    return { id: 1, opened: Promise.resolve({ url: settings.listen && LISTENING, listenProblem: null, controlProblem: null }), close () {} }
  }
  surface.start({ applications: { open }, relay: {}, processReading () {}, loopCounts () {}, middleware: take ?? undefined })
  await new Promise(resolve => setImmediate(resolve))
  await surface.stop()
  return { tokens, lines }
}

test('a listener without a configured token gets a random one, which is logged', async () => {
  const options = { admin: { listen: 9229 } }
  const { tokens, lines: [line] } = await startSurface({ options })
  const [, token] = /^http:\/\/127\.0\.0\.1:9229\/#token=(\S{32,})$/.exec(line)
  assert.deepEqual(tokens, [{ sha256: hashToken(token), scope: 'manage' }])
  assert.notEqual((await startSurface({ options })).tokens[0].sha256, tokens[0].sha256)
})

test('a random token is made for a mounted endpoint', async () => {
  const { tokens, lines } = await startSurface({ isMounted: true })
  assert.deepEqual([tokens.length, tokens[0].scope, lines], [1, 'manage', []], 'it is told when the server listens')
})

test('no token is made for the control socket alone, in production, or beside one that was chosen', async () => {
  assert.deepEqual((await startSurface({})).tokens, [])
  assert.deepEqual((await startSurface({ isMounted: true, options: { path: false } })).tokens, [])
  assert.deepEqual((await startSurface({ isMounted: true, env: { NODE_ENV: 'production' } })).tokens, [])
  const chosen = [{ sha256: hashToken(TOKEN), scope: 'manage' }]
  assert.deepEqual(await startSurface({ isMounted: true, options: { token: TOKEN, admin: { listen: 9229 } } }), { tokens: chosen, lines: [`${LISTENING}/`] })
  assert.deepEqual((await startSurface({ isMounted: true, options: { authorize: () => true } })).tokens, [])
  assert.deepEqual((await startSurface({ isMounted: true, options: { token: ',' } })).tokens, [], 'chosen, and nobody')
})
