'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')
const { startExample } = require('./example')

const SITES = [
  ['crypto.pbkdf2Sync', 'checkPassword (examples/hot-paths.js:', 'POST /auth'],
  ['crypto.randomBytes', 'logIn (examples/hot-paths.js:', 'POST /login'],
  ['crypto.createSign().sign', 'sign (node_modules/jwa/index.js:', 'POST /login'],
  ['fs.readFileSync', 'showPage (examples/hot-paths.js:', 'GET /page'],
  ['Date.now', 'onMessages (examples/hot-paths.js:', null]
]

test('examples/hot-paths.js names each habit with its line, its route and the advice, from both sources, and ends', async t => {
  const example = startExample(t, 'hot-paths.js')
  assert.equal(await example.ended, 0)
  // The log goes the same way, and its lines may come between those of the report.
  const lines = example.output.split('\n').filter(line => !line.startsWith('{'))
  const report = lines.join('\n')
  for (const [api, place, route] of SITES) {
    const at = lines.findIndex(line => line.includes(`${api} in ${place}`))
    assert.ok(at >= 0, `${api} in ${example.output}`)
    if (route !== null) assert.match(lines[at], new RegExp(` for ${route}: `))
    assert.match(lines[at + 2], /^ {2}fix: \w/)
  }
  assert.match(report, /^FLAGGED Date\.now .*\n.*\n {2}fix: the cached clock/m)
  assert.match(report, /^ {2}crypto\.pbkdf2Sync in checkPassword .* % of busy time$/m)
})
