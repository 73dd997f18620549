'use strict'

const assert = require('node:assert/strict')
const { createHash } = require('node:crypto')
const { test } = require('node:test')
const { FORMATS } = require('../../lib/formats/formats')
const { craft, readRecorded } = require('../fixtures/profiles/profiles')

function pageOf (profile, context) {
  return FORMATS.flamegraph.encode(profile, context).toString()
}

function hash (source) {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

test('allows exactly its own scripts and its own style', () => {
  const page = pageOf(craft([[['work'], 10]]))
  const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(page)
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, source]) => hash(source))
  const styles = [...page.matchAll(/<style>([^]*?)<\/style>/g)].map(([, source]) => hash(source))
  assert.equal(scripts.length, 2)
  assert.match(policy, /^default-src 'none';/)
  assert.ok(policy.includes(`script-src ${scripts.join(' ')};`))
  assert.ok(policy.includes(`style-src ${styles.join(' ')};`))
  assert.doesNotMatch(policy, /unsafe/)
})

test('refers to no other file', () => {
  const page = pageOf(craft([[['work'], 10]]))
  assert.doesNotMatch(page, /<(script|img|iframe|link)[^>]+(src|href)="(?!data:,")/)
})

test('lets nothing out of a profile become markup', () => {
  const evil = '</script><img src=x onerror=alert(1)>{{style}}$&'
  const page = pageOf(craft([[[evil], 10]]), { title: evil, notes: [evil] })
  assert.doesNotMatch(page, /<img/)
  const [, json] = /<script type="application\/json" id="graph">([^]*?)<\/script>/.exec(page)
  assert.equal(JSON.parse(json).frames[1][0], evil)
})

test('says when there are no samples', () => {
  assert.match(pageOf(craft([])), /no samples/)
})

for (const { name, profile } of readRecorded()) {
  test(`carries the whole tree of ${name}`, () => {
    const page = pageOf(profile, { appRoot: '/app' })
    const { frames, nodes } = JSON.parse(/id="graph">([^]*?)<\/script>/.exec(page)[1])
    const all = nodes.reduce((sum, [, , selfMicros]) => sum + selfMicros, 0)
    assert.ok(Math.abs(all - (profile.endTime - profile.startTime)) < nodes.length)
    assert.ok(nodes.every(([parent], index) => parent < index))
    assert.ok(frames.some(([name, place, kind, owner]) => name === 'login' && place === 'routes.js:9' && kind === 'app' && owner === ''))
  })
}
