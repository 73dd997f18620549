'use strict'

// A process whose recorder ends its windows much faster than it would: days of them in minutes.

const { readMemory } = require('../../harness/memory')
const { setTimeout: sleep } = require('node:timers/promises')
const { serveAnswers } = require('../../harness/answers')

// The recorder itself, which nothing hands out: what an option may ask for is at least a second a window.
const recorders = require('../../../lib/probe/recorder/recorder')
const { Recorder } = recorders
/** @type {InstanceType<typeof Recorder> | undefined} */
let recorder
recorders.Recorder = class extends Recorder {
  /** @param {ConstructorParameters<typeof Recorder>[0]} parts */
  constructor (parts) {
    super(parts)
    recorder = this
  }
}

const EVERY_MS = 20
const KEEP_SECONDS = 10

require('../../..').createDiagnostics({ recorder: { keepSeconds: KEEP_SECONDS } }).start()

serveAnswers('ready', {
  /** @param {number} count */
  async rotate (count) {
    for (let window = 0; window < count; window++) {
      const endMs = performance.now() + 2
      while (performance.now() < endMs) JSON.stringify(process.versions)
      await sleep(EVERY_MS)
      recorder?.rotate()
    }
  },
  memory: readMemory
})
