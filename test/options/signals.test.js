'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Signals } = require('../../lib/api/signals')

const SIGNAL = 'SIGHUP' // not SIGUSR2: nodemon may be among the parents

function createSubject (t, capture = async () => ({ path: '/captures/a', bytes: 5, shortened: null })) {
  const subject = { lines: [], skipped: [], asked: [] }
  const log = level => (fields, message) => subject.lines.push({ level, ...fields, message })
  subject.signals = new Signals({
    signals: { [SIGNAL]: 'cpu' },
    logger: { info: log('info'), warn: log('warn'), error: log('error') },
    capture: (...values) => {
      subject.asked.push(values)
      return capture()
    },
    onSkipped: kind => subject.skipped.push(kind)
  })
  t.after(() => subject.signals.stop())
  return subject
}

async function until (isTrue) {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 1))
}

test('a signal starts its capture, and the path is logged', async t => {
  const { signals, lines, asked } = createSubject(t)
  signals.start()
  signals.start()
  process.kill(process.pid, SIGNAL)
  await until(() => lines.length === 2)
  assert.deepEqual(asked, [['cpu']])
  assert.match(lines[1].message, /cpu capture written to \/captures\/a$/)
  assert.deepEqual([lines[1].level, lines[1].path, lines[1].bytes], ['info', '/captures/a', 5])
})

test('a second signal while a capture is under way is skipped and said so', async t => {
  let end
  const { signals, lines, asked, skipped } = createSubject(t, () => new Promise(resolve => { end = resolve }))
  signals.start()
  process.kill(process.pid, SIGNAL)
  await until(() => asked.length === 1)
  process.kill(process.pid, SIGNAL)
  await until(() => skipped.length === 1)
  assert.match(lines.at(-1).message, /under way already/)
  end({ path: '/captures/b', bytes: 1, shortened: null })
  await until(() => lines.length === 3)
  process.kill(process.pid, SIGNAL)
  await until(() => asked.length === 2)
})

test('a capture that fails is logged and the next one is tried', async t => {
  const { signals, lines, asked } = createSubject(t, async () => { throw new Error('disk is full') })
  signals.start()
  for (const round of [1, 2]) {
    process.kill(process.pid, SIGNAL)
    await until(() => lines.length === 2 * round)
  }
  assert.equal(asked.length, 2)
  assert.deepEqual([lines[1].level, lines[1].message], ['error', `${SIGNAL}: cpu capture failed: disk is full`])
})

test('two handles in a process capture once, the second goes on alone, and the application\'s own handler keeps working', async t => {
  let heard = 0
  const ownHandler = () => heard++
  process.on(SIGNAL, ownHandler)
  t.after(() => process.off(SIGNAL, ownHandler))
  const subjects = [createSubject(t), createSubject(t)]
  for (const { signals } of subjects) signals.start()
  process.kill(process.pid, SIGNAL)
  await until(() => subjects[0].lines.length === 2 && heard === 1)
  assert.deepEqual([subjects[0].asked.length, subjects[1].asked.length], [1, 0])
  subjects[0].signals.stop()
  process.kill(process.pid, SIGNAL)
  await until(() => subjects[1].lines.length === 2 && heard === 2)
  assert.equal(subjects[0].asked.length, 1)
  subjects[1].signals.stop()
  assert.deepEqual(process.listeners(SIGNAL), [ownHandler])
})

test('stop() gives the signal back', t => {
  const { signals } = createSubject(t)
  const before = process.listenerCount(SIGNAL)
  signals.start()
  assert.equal(process.listenerCount(SIGNAL), before + 1)
  signals.stop()
  signals.stop()
  assert.equal(process.listenerCount(SIGNAL), before)
})
