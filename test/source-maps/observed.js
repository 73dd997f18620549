'use strict'

// Runs a fixture until a stall of it was reported, as it was written where it has a map, and prints what was said: what was logged, then the stall.
// Where the machine is short of processors the first ones are reported before its map was looked for.

const fs = require('node:fs')
const diagnostics = require('../../lib/index')

const [, , file, sourceMaps] = process.argv
let isWarned = false
const log = (fields, message) => {
  isWarned ||= fields.code === 'LOOPSCOPE_WARN_SOURCE_MAP'
  console.log(JSON.stringify({ code: fields.code, message }))
}
const handle = diagnostics.createDiagnostics({
  logger: { info () {}, warn: log, error: log },
  stallThresholdMs: 100,
  sourceMaps: sourceMaps !== 'off',
  controlSocket: false,
  signals: false
})
handle.start()
const { renderReport } = require(file)

const hasMap = /sourceMappingURL/.test(fs.readFileSync(file, 'utf8'))
const timer = setInterval(() => renderReport(300), 1000)
handle.on('stall', async stall => {
  if (stall.culprit === null) return // the machine stood still
  if (sourceMaps !== 'off' && !(hasMap ? stall.culprit.file.endsWith('.ts') : isWarned)) return
  clearInterval(timer)
  console.log(JSON.stringify({ stall }))
  await handle.close()
})
