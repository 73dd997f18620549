'use strict'

// One order, a capture in each process of the group: what each wrote, also one whose loop is blocked.

const test = require('node:test')
const assert = require('node:assert/strict')
const { get, getControl, recorded } = require('../admin/running')
const { makeScratch } = require('../store/scratch')
const { block, order, runGroup } = require('./grouped')

test('each process of a group writes a capture, and the answer lists the files of each', { timeout: 60_000 }, async t => {
  const { apps, folder } = await runGroup(t, 2, { env: { LOOPSCOPE_DIR: makeScratch(t) } })
  const [asked, other] = apps
  for (const { url } of apps) await recorded(`${url}/diagnostics`)
  const goOn = block({ ...other, folder })
  const { status, answer } = await order(asked.url, { kind: 'cpu', seconds: 0.1, label: 'all' })
  goOn()
  assert.deepEqual([status, answer.group, answer.kind, answer.complete], [201, 'shop', 'cpu', true])
  assert.deepEqual(answer.processes.map(({ pid }) => pid).sort(), apps.map(({ pid }) => pid).sort())
  for (const { problem, artifact, _links } of answer.processes) {
    assert.equal(problem, null)
    const file = await get(`${asked.url}${_links.artifact.href}`) // they have one store
    assert.equal((await file.arrayBuffer()).byteLength, artifact.bytes)
  }
  const { text } = await getControl(other.socketPathOfGroup, '/captures')
  const [{ actor, label }] = JSON.parse(text).captures
  assert.match(actor, /^mount .*127\.0\.0\.1, through its group$/)
  assert.equal(label, 'all')
  assert.equal((await order(asked.url, { kind: 'cpu', secs: 1 })).status, 400)
})
