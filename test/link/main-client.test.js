'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Channel } = require('../../lib/link/channel')
const { TO_MAIN } = require('../../lib/link/messages')
const { MainClient } = require('../../lib/link/main-client')

const NEVER = new Promise(() => {})

/** A main thread that answers with what `answer` returns. */
function createSubject () {
  const subject = { answer: async () => 'fine' }
  const post = ({ id, name, params, cancels }) => {
    if (cancels !== undefined) return
    const reply = answer => channel.receive({ answers: id, ...answer })
    subject.answer(name, params).then(value => reply({ value }), ({ message, code }) => reply({ error: { message, code } }))
  }
  const channel = new Channel({ post, sends: TO_MAIN, handlers: {} })
  subject.main = new MainClient({ channel, answerMs: 20 })
  return subject
}

test('answers and errors of the main thread are passed on', async () => {
  const subject = createSubject()
  subject.answer = async (name, { what, about: { application } }) => {
    if (what === 'report') throw Object.assign(new Error('no such thing'), { code: 'E' })
    return `${name}: ${what} of ${application}`
  }
  assert.equal(await subject.main.read('metrics', { application: 2 }), 'readMain: metrics of 2')
  await assert.rejects(subject.main.read('report', {}), { message: 'no such thing', code: 'E' })
})

test('a main thread that does not answer is not waited for', async () => {
  const subject = createSubject()
  subject.answer = () => NEVER
  await assert.rejects(subject.main.read('memory', {}), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED', message: /within 20 ms/ })
})

test('what may take as long as it takes has no limit', async () => {
  const subject = createSubject()
  subject.answer = () => new Promise(resolve => setTimeout(resolve, 100, 'at last'))
  assert.equal(await subject.main.ask('takeSnapshot', {}, Infinity), 'at last')
})

test('the previous answer is returned while the main thread is stuck, marked as stale', async () => {
  const subject = createSubject()
  const fresh = await subject.main.readOrLast('metrics', 1)
  assert.deepEqual([fresh.value, fresh.isStale], ['fine', false])
  subject.answer = () => NEVER
  const stale = await subject.main.readOrLast('metrics', 1)
  assert.deepEqual([stale.value, stale.isStale], ['fine', true])
  assert.ok(stale.at <= Date.now())
  await assert.rejects(subject.main.readOrLast('metrics', 2), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED' })
  subject.main.forget(1)
  await assert.rejects(subject.main.readOrLast('metrics', 1), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED' })
})

test('one handover of the main thread\'s notes serves all callers', async () => {
  const subject = createSubject()
  const asked = []
  subject.answer = async name => { asked.push(name) }
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => subject.main.handOver())), [true, true, true])
  assert.deepEqual(asked, ['handOver'])
  subject.answer = () => NEVER
  assert.equal(await subject.main.handOver(), false)
  subject.answer = async () => { throw new Error('a fault') }
  await assert.rejects(subject.main.handOver(), { message: 'a fault' })
})
