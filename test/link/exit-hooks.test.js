'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const { createExitHooks } = require('../../lib/link/exit-hooks')

/** A watched process whose ends only note that they were reached. */
function createSubject (t) {
  const events = []
  t.mock.method(process, 'reallyExit', () => { events.push('exit') })
  t.mock.method(process, '_kill', (pid, signal) => { events.push(signal) })
  const bare = { reallyExit: process.reallyExit, _kill: process._kill }
  const exitHooks = createExitHooks({ release: () => { events.push('release') }, withdraw: () => { events.push('withdraw') } })
  exitHooks.start()
  t.after(() => exitHooks.stop())
  return { events, exitHooks, bare }
}

test('an end without an event is announced beforehand, and withdrawn if the process continues', t => {
  const { events } = createSubject(t)
  process.reallyExit(3)
  process._kill(process.pid, 15)
  assert.deepEqual(events, ['release', 'exit', 'withdraw', 'release', 15, 'withdraw'])
})

test('what ends nothing is passed on: a question, a signal to others, one that is listened to', t => {
  const { events } = createSubject(t)
  const listener = () => {}
  process.on('SIGWINCH', listener)
  t.after(() => process.off('SIGWINCH', listener))
  process._kill(process.pid, 0)
  process._kill(process.ppid, 15)
  process._kill(process.pid, os.constants.signals.SIGWINCH)
  assert.deepEqual(events, [0, 15, os.constants.signals.SIGWINCH])
})

test('an end that throws is taken back as well', t => {
  const { events, bare } = createSubject(t)
  bare._kill.mock.mockImplementation(() => { throw new Error('no such process') })
  assert.throws(() => process._kill(process.pid, 15), /no such process/)
  assert.deepEqual(events, ['release', 'withdraw'])
})

test('stop() restores Node\'s functions, and keeps those that wrapped loopscope\'s meanwhile', t => {
  const { exitHooks, bare } = createSubject(t)
  const outer = () => {}
  process._kill = outer
  exitHooks.stop()
  assert.equal(process.reallyExit, bare.reallyExit)
  assert.equal(process._kill, outer)
})
