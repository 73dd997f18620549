'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const STARTED = path.join(__dirname, 'started')
const DETECTOR = path.join(__dirname, '..', '..', 'lib', 'probe', 'sync-calls', 'detector')

/** An app whose generated line 1 maps, from column 0 on, to line 8, column 3 of original.ts. */
function writeApp (dir) {
  const map = { version: 3, sources: ['original.ts'], names: [], mappings: 'AAOE' }
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64')
  fs.writeFileSync(path.join(dir, 'generated.js'),
    `exports.look=function look(){return require("fs").existsSync("/")}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`)
  fs.writeFileSync(path.join(dir, 'app.js'), `
    const { SyncCallDetector } = require(${JSON.stringify(DETECTOR)})
    const { DEFAULTS } = require(${JSON.stringify(STARTED)})
    const detector = new SyncCallDetector({ ...DEFAULTS, apis: ['fs.existsSync'] })
    const { look } = require('./generated')
    detector.armed = true
    detector.start()
    look()
    console.log(JSON.stringify(detector.read().sites.map(site => site.callSite)))
    detector.stop()`)
}

test('with --enable-source-maps a site is shown where it was written, without it where it runs', t => {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-test-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  writeApp(dir)
  const run = (...flags) => JSON.parse(execFileSync(process.execPath, [...flags, path.join(dir, 'app.js')], { encoding: 'utf8' }))
  const [original] = run('--enable-source-maps')
  assert.equal(path.basename(original.file), 'original.ts')
  assert.deepEqual([original.function, original.line, original.column], ['look', 8, 3])
  const [generated] = run()
  assert.equal(path.basename(generated.file), 'generated.js')
  assert.equal(generated.line, 1)
})
