'use strict'

// Preloaded into each application: measures its own longest turn of the loop between two messages of the test, without a word from
// loopscope.

const { monitorEventLoopDelay } = require('node:perf_hooks')

const RESOLUTION_MS = 2
const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

process.on('message', ({ witness }) => {
  if (witness === 'begin') return begin()
  if (witness === 'end') turns.disable()
  if (witness !== undefined) process.send({ longestMs: turns.max / 1e6 - RESOLUTION_MS })
})
process.channel?.unref()

/** A turn is measured from the one before. */
function begin () {
  turns.reset()
  turns.enable()
  const waiting = setInterval(() => {
    if (turns.count === 0) return
    clearInterval(waiting)
    process.send({ began: true })
  }, RESOLUTION_MS)
}
