'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')

const LIBRARY = path.join(__dirname, '..', '..', 'lib', 'index')
const MAX_MS = 150_000

/** An application whose generated line 1 maps, from column 0 on, to line 8, column 3 of original.ts. It ends when both sources know it. */
function writeApp (folder) {
  fs.writeFileSync(path.join(folder, 'generated.js'),
    'exports.hash=function hash(){return require("crypto").pbkdf2Sync("x","y",20000,32,"sha1")}\n//# sourceMappingURL=generated.js.map\n')
  fs.writeFileSync(path.join(folder, 'generated.js.map'), JSON.stringify({ version: 3, sources: ['original.ts'], names: [], mappings: 'AAOE' }))
  fs.writeFileSync(path.join(folder, 'app.js'), `
    const handle = require(${JSON.stringify(LIBRARY)}).createDiagnostics({
      logger: { info () {}, warn () {}, error () {} }, stallThresholdMs: 1000, syncCalls: true, recorder: { windowSeconds: 1 }, controlSocket: false, signals: false
    })
    const { hash } = require('./generated')
    handle.start()
    handle.armed = true
    const timer = setInterval(hash, 20)
    async function findSites () {
      for (;;) {
        const { exact, sampled } = await handle.syncCalls()
        const sites = [exact, sampled].map(calls => calls.find(({ callSite }) => callSite.file.endsWith('original.ts'))?.callSite)
        if (!sites.includes(undefined)) return sites
      }
    }
    findSites().then(sites => {
      clearInterval(timer)
      console.log(JSON.stringify(sites))
      handle.close()
    })`)
}

test('synchronous calls, counted and sampled, have original positions', t => {
  const folder = makeScratch(t)
  writeApp(folder)
  const [exact, sampled] = JSON.parse(execFileSync(process.execPath, [path.join(folder, 'app.js')], { encoding: 'utf8', timeout: MAX_MS }))
  assert.deepEqual([exact.function, exact.file, exact.line, exact.column], ['hash', 'original.ts', 8, 3])
  assert.deepEqual([sampled.function, sampled.file, sampled.line, sampled.column], ['hash', 'original.ts', 8, 3])
})
