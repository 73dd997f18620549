'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const test = require('node:test')
const { gunzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { run, ready, keepBusy } = require('./running')

async function captureBusy (t, format) {
  const app = await run(t)
  await ready(app)
  keepBusy()
  const artifact = await app.handle.capture('cpu', { last: 5, format })
  assert.equal(artifact.format, format)
  assert.equal(fs.statSync(artifact.path).size, artifact.bytes)
  assert.equal(fs.statSync(artifact.path).mode & 0o777, 0o600)
  return artifact
}

test('a cpuprofile is JSON that holds the function which ran', async t => {
  const artifact = await captureBusy(t, 'cpuprofile')
  const profile = JSON.parse(await artifact.text())
  assert.ok(profile.nodes.some(({ callFrame }) => callFrame.functionName === 'keepBusy'))
  assert.equal(profile.samples.length, profile.timeDeltas.length)
})

test('a pprof holds the function which ran', async t => {
  const artifact = await captureBusy(t, 'pprof')
  const { stringTable, sample } = Profile.decode(gunzipSync(fs.readFileSync(artifact.path)))
  assert.ok(stringTable.strings.includes('keepBusy'))
  assert.ok(sample.length > 0)
})

test('a flame graph is one page with the function which ran in it', async t => {
  const artifact = await captureBusy(t, 'flamegraph')
  const page = await artifact.text()
  assert.match(artifact.contentType, /^text\/html/)
  assert.match(page, /^<!doctype html>/i)
  assert.match(page, /keepBusy/)
})

test('the text names the function which ran', async t => {
  const artifact = await captureBusy(t, 'text')
  assert.match(artifact.contentType, /^text\/plain/)
  assert.match(await artifact.text(), /keepBusy/)
})
