'use strict'

// Runs a fixture until a stall of it was reported, and prints what was said: what was logged, then the stall.

const diagnostics = require('../../lib/index')

const [, , file, sourceMaps] = process.argv
const log = (fields, message) => console.log(JSON.stringify({ code: fields.code, message }))
const handle = diagnostics.createDiagnostics({
  logger: { info () {}, warn: log, error: log },
  stallThresholdMs: 100,
  sourceMaps: sourceMaps !== 'off',
  controlSocket: false,
  signals: false
})
handle.start()
const { renderReport } = require(file)

const timer = setInterval(() => renderReport(300), 1000)
handle.on('stall', async stall => {
  if (stall.culprit === null) return // the machine stood still
  clearInterval(timer)
  console.log(JSON.stringify({ stall }))
  await handle.close()
})
