'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { createLimitFile } = require('../../lib/observer/rules/limit-file')
const { openShared } = require('../../lib/observer/store/shared-directory')
const { applicationFolder } = require('../../lib/shared/store/application-folder')
const { makeScratch } = require('../store/scratch')

const WRITER = path.join(__dirname, '../fixtures/rules/writer.js')
const HOUR = 60 * 60 * 1000

test('processes that write at the same time lose nothing, and leave nothing but the last states', async t => {
  const folder = makeScratch(t)
  const writers = Array.from({ length: 3 }, () => fork(WRITER, [folder, '20']))
  t.after(() => writers.forEach(writer => writer.kill('SIGKILL')))
  for (const [code] of await Promise.all(writers.map(writer => once(writer, 'exit')))) assert.equal(code, 0)
  createLimitFile(() => folder).update(state => {
    assert.equal(Object.values(state).flat().length, 60)
    return { refusal: null, state: null }
  })
  assert.ok(fs.readdirSync(path.join(folder, 'rules')).length <= 6)
})

test('what somebody else goes on from at once is not written again', t => {
  const folder = makeScratch(t)
  const file = createLimitFile(() => folder)
  const add = culprit => file.update(state => ({ refusal: null, state: { rule: [...state.rule ?? [], { at: 1, culprit, value: 1 }] } }))
  const others = ['second', 'third', 'fourth', 'fifth', 'sixth'] // more than are kept
  const { linkSync } = fs
  t.mock.method(fs, 'linkSync', (from, to) => {
    linkSync(from, to)
    fs.linkSync.mock.restore()
    others.forEach(add)
  })
  add('first')
  file.update(state => {
    assert.deepEqual(state.rule.map(({ culprit }) => culprit), ['first', ...others])
    return { refusal: null, state: null }
  })
})

test('a state that is spoilt is none', t => {
  const folder = makeScratch(t)
  fs.mkdirSync(path.join(folder, 'rules'))
  for (const [index, text] of ['{"a":', '[]', '{"a":5}', 'null'].entries()) {
    fs.writeFileSync(path.join(folder, 'rules', `${index + 1}.json`), text)
    createLimitFile(() => folder).update(state => {
      assert.deepEqual(Object.keys(state), [])
      return { refusal: null, state: null }
    })
  }
})

test('another application clears the folder of one that is gone, with what its rules did, but not within the day', t => {
  const dir = makeScratch(t)
  const folder = applicationFolder(dir, { appName: 'shop', appRoot: '/shop' })
  createLimitFile(() => folder).update(() => ({ refusal: null, state: { rule: [{ at: 1, culprit: '', value: 1 }] } }))
  const ago = hours => new Date(Date.now() - hours * HOUR)
  const own = applicationFolder(dir, { appName: 'other', appRoot: '/other' })
  const open = () => openShared(dir, own, { now: Date.now(), maxAgeMs: HOUR })
  fs.utimesSync(path.join(folder, 'rules'), ago(2), ago(2))
  fs.utimesSync(folder, ago(2), ago(2))
  open()
  assert.ok(fs.existsSync(folder))
  fs.utimesSync(path.join(folder, 'rules'), ago(25), ago(25))
  open()
  assert.ok(!fs.existsSync(folder))
})
