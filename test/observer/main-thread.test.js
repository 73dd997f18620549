'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createMainThread } = require('../../lib/observer/main-thread/main-client')

/** A main thread that answers with what `answer` returns, or not at all. */
function createSubject (parts) {
  const subject = { asked: [], answer: () => ({ value: 'fine' }) }
  subject.mainThread = createMainThread({
    send: message => {
      subject.asked.push(message)
      const reply = subject.answer(message)
      if (reply !== null) queueMicrotask(() => subject.mainThread.told({ id: message.id, ...reply }))
    },
    answerMs: 20,
    ...parts
  })
  return subject
}

test('answers and errors find the question they belong to', async () => {
  const subject = createSubject()
  subject.answer = ({ name, argument }) => name === 'bad' ? { error: { message: 'no such thing', code: 'E' } } : { value: argument * 2 }
  const [four, six] = await Promise.all([subject.mainThread.ask('double', 2), subject.mainThread.ask('double', 3)])
  assert.deepEqual([four, six], [4, 6])
  await assert.rejects(subject.mainThread.ask('bad'), { message: 'no such thing', code: 'E' })
})

test('a main thread that does not answer is not waited for', async () => {
  const subject = createSubject()
  subject.answer = () => null
  await assert.rejects(subject.mainThread.ask('loop'), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED', message: /within 20 ms/ })
  subject.mainThread.told({ id: 1, value: 'too late' }) // changes nothing
})

test('what was answered before is told while the main thread is stuck, and said to be old', async () => {
  const subject = createSubject()
  const fresh = await subject.mainThread.know('metrics', 1)
  assert.deepEqual([fresh.value, fresh.isStale], ['fine', false])
  subject.answer = () => null
  const stale = await subject.mainThread.know('metrics', 1)
  assert.deepEqual([stale.value, stale.isStale], ['fine', true])
  assert.ok(stale.at <= Date.now())
  await assert.rejects(subject.mainThread.know('metrics', 2), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED' })
  subject.mainThread.forget(1)
  await assert.rejects(subject.mainThread.know('metrics', 1), { code: 'ERR_LOOPSCOPE_LOOP_BLOCKED' })
})
