'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { createRelaySender, createRelayReceiver } = require('../../lib/link/relay')

/** Both ends, with the observer's answers held back until they are let go. */
function createSubject (t) {
  const subject = { asked: [], isEnded: false, disconnect: () => {} }
  const held = new Promise(resolve => { subject.disconnect = resolve })
  async function * chunks () { yield 'one' }
  const end = createRelayReceiver({
    handlerOf: () => async (request, signal) => {
      signal.addEventListener('abort', () => { subject.isEnded = true })
      return { status: 200, headers: {}, body: { chunks: chunks() } }
    }
  })
  subject.relay = createRelaySender({
    async ask (name, message) {
      subject.asked.push(message.isWanted === false ? `${name}, not wanted` : name)
      if (name === 'chunk') return end.chunk(message)
      const answer = await end.request(message, new AbortController().signal)
      await held
      return answer
    }
  })
  return subject
}

test('a stream whose client leaves while it is being opened is ended, though nobody reads it', async t => {
  const subject = createSubject(t)
  const controller = new AbortController()
  const forwarded = subject.relay.forward(1, {}, controller.signal)
  controller.abort()
  subject.disconnect()
  await forwarded
  assert.deepEqual([subject.asked, subject.isEnded], [['request', 'chunk, not wanted'], true])
})

test('a stream is passed on piece by piece, and ended when the client has left', async t => {
  const subject = createSubject(t)
  subject.disconnect()
  const controller = new AbortController()
  const { body } = await subject.relay.forward(1, {}, controller.signal)
  const pieces = []
  for await (const piece of body.chunks) pieces.push(piece)
  assert.deepEqual([pieces, subject.isEnded], [['one'], false])
  controller.abort()
  assert.equal(subject.isEnded, true)
})
