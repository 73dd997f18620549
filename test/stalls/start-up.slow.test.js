'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { start } = require('./started')

const REGISTER = path.join(__dirname, '../../register.js')

// Long enough for the observer to start meanwhile, on a busy machine too.
const BLOCK_MS = '4000'

// A loop that was hot before the recorder started may stay without a name: its caller is named then.
const CULPRITS = ['warmUp', 'loadCaches']

const isReport = ({ stall }) => stall !== undefined && stall.lasting !== true

/** The report of the stall, with the line. */
async function reportOf (t, { args, env }) {
  const app = await start(t, 'start-up.js', { args, env })
  const { stall, msg } = await app.line(line => isReport(line) && line.stall.durationMs > BLOCK_MS / 2)
  return { stall, msg }
}

for (const delayMs of ['0', '30']) {
  test(`a stall ${delayMs} ms after the start is marked as start-up and names its culprit`, async t => {
    const { stall, msg } = await reportOf(t, { args: [delayMs, BLOCK_MS, 'own'] })
    assert.deepEqual([stall.startingUp, CULPRITS.includes(stall.culprit?.function)], [true, true], msg)
    assert.match(msg, /^event loop stalled \d+ ms while starting up: \w+ \(.*start-up\.js:\d+\), cause (code|starved)/)
  })
}

test('so it is with the preload that starts at once', async t => {
  const { stall, msg } = await reportOf(t, { args: ['30', BLOCK_MS], env: { NODE_OPTIONS: `--require ${REGISTER}`, LOOPSCOPE_START_AT_ONCE: 'true' } })
  assert.deepEqual([stall.startingUp, CULPRITS.includes(stall.culprit?.function)], [true, true], msg)
})

test('a stall later is none of the start-up', async t => {
  const { stall, msg } = await reportOf(t, { args: ['5000', BLOCK_MS, 'own'] })
  assert.deepEqual([stall.startingUp, stall.culprit?.function], [false, 'warmUp'], msg)
})
