'use strict'

// The first minutes with the README: its five lines make an application observable, and each of its commands answers.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { blocksOf, missingOf } = require('./pages')
const { makeReader } = require('./reader')

// The route of which the README shows the log line, with the hash where that line has it.
const ROUTE = `
const { pbkdf2Sync } = require('node:crypto')
const checkPassword = password => pbkdf2Sync(password, 'salt', 600_000, 64, 'sha256')
app.post('/login', (req, res) => res.send(checkPassword('correct horse').toString('hex')))
app.listen(process.env.PORT, '127.0.0.1', () => console.log('listening on http://127.0.0.1'))
`
const NEEDS_MORE = /^npx loopscope heap|<name>/ // time, or processes

test('the five lines and the first commands of the README', { skip: process.platform !== 'linux' && 'the page was written on Linux' }, async t => {
  const blocks = blocksOf('README.md')
  const [, install, code] = blocks.filter(({ heading }) => heading === 'loopscope') // after the commands for a checkout
  const [json, pretty, commands] = blocks.filter(({ heading }) => heading === 'What it prints')
  const reader = await makeReader(t)
  await reader.type('npm install express')
  await reader.follow([install])
  fs.writeFileSync(path.join(reader.folder, 'app.js'), code.text + ROUTE)
  await reader.type('node app.js')
  const pid = await reader.pid()
  await t.test('the log line', async () => {
    const shown = JSON.parse(json.text.replace(',…]', ']'))
    const login = () => reader.type('curl -s -X POST http://127.0.0.1:3000/login')
    await login()
    const { stall, msg } = await reader.logged(({ stall }) => stall?.cause === shown.stall.cause && stall.culprit, login)
    assert.deepEqual(Object.keys(stall), Object.keys(shown.stall))
    assert.deepEqual(Object.keys(stall.evidence), Object.keys(shown.stall.evidence))
    assert.equal(missingOf(shown.msg, msg), null, msg)
    assert.equal(stall.culprit.line, shown.stall.culprit.line)
    assert.ok(pretty.text.trimEnd().endsWith(shown.msg))
  })
  for (const line of commands.text.trim().split('\n').filter(line => !NEEDS_MORE.test(line))) {
    await t.test(line, async () => {
      const answer = await reader.type(line)
      if (line.startsWith('npx')) assert.match(answer, /\S/)
    })
  }
  await t.test('the file of the signal', async () => {
    const { path: file } = await reader.logged(({ msg }) => /^SIGUSR2: cpu capture written/.test(msg))
    assert.ok(fs.statSync(file).size > 0)
    assert.equal(await reader.pid(), pid)
  })
})
