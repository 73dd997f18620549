'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { cli } = require('./cli')

const ADVICE = { why: 'it is slow', instead: 'something else' }
const siteOf = (api, calls, error) => ({
  api, calls, totalMs: 10, standardError: { calls: error, totalMs: error / 1000 }, maxMs: 1, flagged: false, routes: [], advice: ADVICE, callSite: { function: 'f', file: 'a.js', line: 1, column: 1 }
})

/** What the command says of these call sites. */
async function shown (t, exact) {
  const folder = fs.mkdtempSync('/tmp/ls-')
  const socket = path.join(folder, 'x.sock')
  const server = http.createServer((request, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ sampled: [], exact, pool: null }))).listen(socket)
  await once(server, 'listening')
  t.after(() => {
    server.close()
    fs.rmSync(folder, { recursive: true })
  })
  return cli(['sync', '--socket', socket])
}

test('a call site that is an estimate has its standard error, and what that is is said once', async t => {
  const { stdout, stderr } = await shown(t, [siteOf('Date.now', 732000, 9000), siteOf('fs.readFileSync', 34, 0)])
  assert.match(stdout, /Date\.now .*732000 ± 9000 calls/)
  assert.match(stdout, /fs\.readFileSync .*34 calls/)
  assert.equal(stderr, '±: an estimate and its standard error; totals by API are exact, see --json\n')
})

test('of exact counts nothing more is said', async t => {
  assert.equal((await shown(t, [siteOf('fs.readFileSync', 34, 0)])).stderr, '')
})
