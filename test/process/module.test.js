'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { makeScratch } = require('../store/scratch')
const { start } = require('./child')

/** An application of one file, with the package installed. */
function write (t, name, text) {
  const dir = makeScratch(t)
  fs.mkdirSync(path.join(dir, 'node_modules'))
  fs.symlinkSync(path.resolve(__dirname, '../..'), path.join(dir, 'node_modules/loopscope'), 'dir')
  fs.writeFileSync(path.join(dir, name), text)
  return path.join(dir, name)
}

const USE = `
if (diagnostics !== named) throw new Error('two functions')
const middleware = diagnostics()
const handle = createDiagnostics().start()
console.log(middleware.length, middleware.running, handle.running)
Promise.all([middleware.close(), handle.close()])`

test('is imported by name and by default', async t => {
  const file = write(t, 'app.mjs', `import diagnostics, { createDiagnostics, diagnostics as named } from 'loopscope'${USE}`)
  const { code, stdout, stderr } = await start(t, [file]).ended
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '3 true true\n', stderr: '' })
})

test('is required by name and as the function itself', async t => {
  const file = write(t, 'app.cjs', `const diagnostics = require('loopscope'), { createDiagnostics, diagnostics: named } = diagnostics${USE}`)
  const { code, stdout, stderr } = await start(t, [file]).ended
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '3 true true\n', stderr: '' })
})

test('requiring it starts nothing and adds no listener', async t => {
  const file = write(t, 'app.cjs', `
const before = JSON.stringify([process.eventNames(), process.getActiveResourcesInfo()])
require('loopscope')
console.log(JSON.stringify([process.eventNames(), process.getActiveResourcesInfo()]) === before)`)
  assert.equal((await start(t, [file]).ended).stdout, 'true\n')
})
