'use strict'

// Preloaded into each application: measures its own longest turn of the loop between two messages of the test, and how long others
// kept it from a processor then, without a word from loopscope.

const fs = require('node:fs')
const { monitorEventLoopDelay } = require('node:perf_hooks')

const RESOLUTION_MS = 2
let queuedBefore = 0
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

process.on('message', ({ witness }) => {
  if (witness === 'begin') return begin()
  if (witness === 'end') turns.disable()
  if (witness !== undefined) process.send({ longestMs: turns.max / 1e6 - RESOLUTION_MS, queuedMs: queuedMs() - queuedBefore })
})
process.channel?.unref()

/** A turn is measured from the one before. */
function begin () {
  queuedBefore = queuedMs()
  turns.reset()
  turns.enable()
  const waiting = setInterval(() => {
    if (turns.count === 0) return
    clearInterval(waiting)
    process.send({ began: true })
  }, RESOLUTION_MS)
}

/** How long the main thread has stood ready without being run, where the system tells. */
function queuedMs () {
  try {
    return Number(fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
