'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { createLimitFile } = require('../../lib/observer/rules/rules')
const { openShared } = require('../../lib/observer/store/shared-directory')
const { applicationFolder } = require('../../lib/shared/store/file-name')
const { admit } = require('../../lib/shared/rules/limits')
const { makeScratch } = require('../store/scratch')
const { ruleOf } = require('./readings')

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
  for (const [index, text] of ['{"a":', '[]', '{"a":5}', 'null', '{"state":5,"writes":[]}', '{"state":{"a":5},"writes":[]}', '{"state":null,"writes":[null]}', '['.repeat(1e6)].entries()) {
    fs.writeFileSync(path.join(folder, 'rules', `${index + 1}.json`), text)
    createLimitFile(() => folder).update(state => {
      assert.deepEqual(Object.keys(state), [])
      return { refusal: null, state: null }
    })
  }
})

test('of a state that is odd in parts the rest is kept, and a rule may have any name', t => {
  const folder = makeScratch(t)
  fs.mkdirSync(path.join(folder, 'rules'))
  const act = { at: Date.now() - HOUR, culprit: 'a', value: 1 }
  const odd = [null, 5, 'x', [], {}, { ...act, at: '1' }, { ...act, at: 1e300 }, { ...act, culprit: null }, { ...act, value: null }]
  const state = { a: [null], b: [...odd, act], c: 5, d: null }
  fs.writeFileSync(path.join(folder, 'rules', '1.json'), JSON.stringify({ state, writes: ['x'] }))
  const file = createLimitFile(() => folder)
  for (const name of ['a', 'b', 'c', 'd', 'constructor', '__proto__', 'toString']) {
    const rule = { ...ruleOf({ when: { stallCount: 1 }, limit: { perDay: 2 } }), name }
    const now = { at: Date.now(), culprit: 'b', value: 1 }
    const answers = [0, 1, 2].map(() => file.update(kept => admit(kept, rule, { ...now, culprit: String(Math.random()) })).refusal?.reason ?? null)
    assert.deepEqual(answers, name === 'b' ? [null, 'perDay', 'perDay'] : [null, null, 'perDay'], name)
  }
})

test('what lies in the folder of states and is no file is passed over', { skip: process.platform === 'win32' }, t => {
  const folder = makeScratch(t)
  const rules = path.join(folder, 'rules')
  fs.mkdirSync(path.join(rules, '7.json'), { recursive: true })
  execFileSync('mkfifo', [path.join(rules, '8.json')])
  fs.symlinkSync('/dev/zero', path.join(rules, '9.json'))
  fs.writeFileSync(path.join(rules, '99999999999999999999.json'), '{}')
  const file = createLimitFile(() => folder)
  for (let at = 1; at <= 5; at++) {
    const { state } = file.update(kept => ({ refusal: null, state: { rule: [...kept.rule ?? [], { at, culprit: '', value: 1 }] } }))
    assert.equal(state.rule.length, at)
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
