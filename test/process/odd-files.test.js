'use strict'

// Files that wait for whoever reads them, where loopscope's threads read files that others name or place: the process ends all the same.

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { makeScratch } = require('../store/scratch')

const LIBRARY = path.join(__dirname, '..', '..', 'lib', 'index')
const MAX_MS = 30_000

test('process.exit() ends a process whose source maps, sources and stored files are pipes', { skip: process.platform === 'win32' }, async t => {
  const folder = makeScratch(t)
  const pipe = name => execFileSync('mkfifo', [path.join(folder, name)])
  pipe('pipe')
  pipe('beside.js.map')
  const block = name => `exports.${name} = function ${name} (ms) { for (const end = Date.now() + ms; Date.now() < end;); }\n`
  fs.writeFileSync(path.join(folder, 'beside.js'), block('beside'))
  fs.writeFileSync(path.join(folder, 'named.js'), `${block('named')}//# sourceMappingURL=pipe\n`)
  fs.writeFileSync(path.join(folder, 'kernel.js'), `${block('kernel')}//# sourceMappingURL=/proc/kmsg\n`)
  fs.writeFileSync(path.join(folder, 'app.js'), `
    const fs = require('node:fs')
    const path = require('node:path')
    const { execFileSync } = require('node:child_process')
    const handle = require(${JSON.stringify(LIBRARY)}).createDiagnostics({
      logger: { info () {}, warn () {}, error () {} }, stallThresholdMs: 50, dir: path.join(__dirname, 'store'), controlSocket: false, signals: false
    })
    handle.start()
    const { beside } = require('./beside'), { named } = require('./named'), { kernel } = require('./kernel')
    // A source whose file is a pipe by now.
    fs.rmSync(path.join(__dirname, 'kernel.js'))
    execFileSync('mkfifo', [path.join(__dirname, 'kernel.js')])
    const timer = setInterval(() => { beside(60); named(60); kernel(60) }, 300)
    handle.capture('cpu', { last: 5 }).catch(() => {}).then(async artifact => {
      if (artifact) {
        fs.rmSync(artifact.path + '.json', { force: true })
        execFileSync('mkfifo', [artifact.path + '.json'])
      }
      await handle.capture('cpu', { last: 5 }).catch(() => {})
      setTimeout(() => { console.log('exits'); process.exit(7) }, 1500)
    })`)
  const child = spawn(process.execPath, [path.join(folder, 'app.js')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_MS)
  const [code, signal] = await once(child, 'exit')
  clearTimeout(timer)
  assert.deepEqual([code, signal], [7, null])
})
