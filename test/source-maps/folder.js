'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/** A folder that goes with the test. */
function makeFolder (t) {
  const folder = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-source-maps-'))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

module.exports = { makeFolder }
