'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Channel, readBy } = require('../../lib/link/channel')
const { TO_MAIN, TO_OBSERVER } = require('../../lib/link/messages')

const TABLE = { read: 'ask', note: 'tell', double: 'ask', wait: 'ask', fail: 'ask' }

/** Two ends; what one posts, the other receives a moment later, as from another thread: as a copy. */
function createSubject () {
  const subject = { noted: [], faults: [], stopped: [] }
  const handlers = {
    note: ({ text }) => {
      if (text === undefined) throw new Error('nothing to note')
      subject.noted.push(text)
    },
    double: ({ number }) => number * 2,
    wait: (params, signal) => new Promise((resolve, reject) => signal.addEventListener('abort', () => {
      subject.stopped.push(signal.reason)
      reject(new Error(`stopped: ${signal.reason}`))
    })),
    read: readBy({ half: ({ number }) => number / 2, third: async ({ number }) => number / 3 }),
    fail: () => { throw Object.assign(new Error('no such thing'), { code: 'E_THING' }) }
  }
  const post = to => envelope => queueMicrotask(async () => {
    try {
      await subject[to].receive(structuredClone(envelope))
    } catch (error) {
      subject.faults.push(error.message)
    }
  })
  subject.near = new Channel({ post: post('far'), sends: TABLE, handlers: {} })
  subject.far = new Channel({ post: post('near'), sends: {}, handlers })
  return subject
}

const turn = () => new Promise(setImmediate)

test('messages arrive in order, and answers reach the question they belong to', async () => {
  const { near, noted } = createSubject()
  near.tell('note', { text: 'one' })
  near.tell('note', { text: 'two' })
  assert.deepEqual(await Promise.all([near.ask('double', { number: 2 }), near.ask('double', { number: 3 })]), [4, 6])
  assert.deepEqual(noted, ['one', 'two'])
})

test('what is read is answered by the reader of its name, and what no reader has is an error', async () => {
  const { near } = createSubject()
  const read = (what, number) => near.ask('read', { what, about: { number } })
  assert.deepEqual(await Promise.all([read('half', 12), read('third', 12)]), [6, 4])
  await assert.rejects(read('fourth', 12))
})

test('an error is answered with its message and code; that of a message without an answer stays at the other end', async () => {
  const { near, faults } = createSubject()
  await assert.rejects(near.ask('fail', {}), { message: 'no such thing', code: 'E_THING' })
  near.tell('note', {})
  await turn()
  assert.deepEqual(faults, ['nothing to note'])
})

test('the other end is notified when an answer is no longer wanted, before and during its work', async () => {
  const { near, stopped } = createSubject()
  const controller = new AbortController()
  const late = near.ask('wait', {}, AbortSignal.abort('too late'))
  const asked = near.ask('wait', {}, controller.signal)
  await assert.rejects(late, /stopped: too late/)
  controller.abort('the client left')
  await assert.rejects(asked, /stopped: the client left/)
  assert.deepEqual(stopped, ['too late', 'the client left'])
})

test('an answer that may never come has a time limit, after which the other end is notified', async () => {
  const { near, stopped } = createSubject()
  assert.equal(await near.askWithin('double', { number: 2 }, 60_000, () => assert.fail('it answers')), 4)
  const late = () => Object.assign(new Error('no answer within 5 ms'), { code: 'E_LATE' })
  await assert.rejects(near.askWithin('wait', {}, 5, late), { message: 'no answer within 5 ms', code: 'E_LATE' })
  await turn()
  assert.deepEqual(stopped, ['no answer within 5 ms'])
})

test('waiting questions are rejected when the other end is gone, and a later answer changes nothing', async () => {
  const { near } = createSubject()
  const asked = [near.ask('wait', {}), near.ask('double', { number: 2 })]
  near.close(new Error('gone'))
  for (const answer of asked) await assert.rejects(answer, /gone/)
  await turn()
})

test('what is in no table is sent by neither end and understood by neither', async () => {
  const { near, far } = createSubject()
  for (const say of [() => near.tell('nonsense', {}), () => near.tell('double', {})]) assert.throws(say, /no message to tell/)
  await assert.rejects(near.ask('note', {}), /no message to ask: note/)
  assert.throws(() => far.receive({ name: 'nonsense', params: {} }), /no such message: nonsense/)
  assert.throws(() => far.receive({ name: 'toString', params: {} }), /no such message: toString/)
})

test('no message has the same name in both directions', () => {
  assert.deepEqual(Object.keys(TO_MAIN).filter(name => Object.hasOwn(TO_OBSERVER, name)), [])
})
