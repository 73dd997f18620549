'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { findRegistry } = require('../../lib/probe/process/application')

/** An application with clients of that many names, each with its name for a registry. */
function makeApplication (t, { declared, installed }) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies: declared && Object.fromEntries(declared.map(name => [name, '*'])) }))
  for (const name of installed) {
    const place = path.join(folder, 'node_modules', name)
    fs.mkdirSync(place, { recursive: true })
    fs.writeFileSync(path.join(place, 'index.js'), `exports.register = ${JSON.stringify(name)}`)
  }
  return folder
}

const BOTH = ['prom-client', '@prometheus-io/client']

for (const [what, parts, expected] of [
  ['the only client that is there', { installed: ['prom-client'] }, 'prom-client'],
  ['the successor, where nothing is declared', { installed: BOTH }, '@prometheus-io/client'],
  ['the one that the application declares, where another package has brought the other', { declared: ['prom-client', 'express'], installed: BOTH }, 'prom-client'],
  ['the successor, where both are declared', { declared: BOTH, installed: BOTH }, '@prometheus-io/client'],
  ['none, where there is none', { declared: ['express'], installed: [] }, undefined]
]) {
  test(`the application's registry is ${what}`, t => {
    assert.equal(findRegistry(makeApplication(t, parts)), expected)
  })
}

test('a folder without a package.json has its packages, too', t => {
  const folder = makeApplication(t, { installed: ['prom-client'] })
  fs.rmSync(path.join(folder, 'package.json'))
  assert.equal(findRegistry(folder), 'prom-client')
})
