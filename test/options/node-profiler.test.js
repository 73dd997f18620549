'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const v8 = require('node:v8')
const { drive } = require('../process/child')
const { reasonNodeProfiles } = require('../../lib/api/options/environment-facts')
const { makeScratch } = require('../store/scratch')

const BY_INSPECTOR = { recorder: { engine: 'inspector' } }
const WITHOUT = { skip: typeof v8.startCpuProfile === 'function' ? false : 'this Node.js has no v8.startCpuProfile()' }
const WAYS = [
  { name: '--cpu-prof', written: /\.cpuprofile$/, how: folder => ({ execArgv: ['--cpu-prof', '--cpu-prof-dir', folder] }) },
  { name: 'NODE_V8_COVERAGE', written: /^coverage-.*\.json$/, how: folder => ({ env: { NODE_V8_COVERAGE: folder } }) }
]

test('flags that only go with others, and an empty variable, start nothing', () => {
  assert.equal(reasonNodeProfiles(['--cpu-prof-dir', '/tmp'], ''), null)
  assert.equal(reasonNodeProfiles([], undefined), null)
  assert.match(reasonNodeProfiles(['--experimental-test-coverage'], undefined), /\(--experimental-test-coverage\)/)
})

for (const { name, written, how } of WAYS) {
  const end = async (app, folder) => {
    await app.run(() => { setImmediate(() => process.exit()) })
    assert.doesNotMatch((await app.ended).stderr, /Cannot retrieve|consoleProfile/)
    const files = fs.readdirSync(folder).filter(file => written.test(file))
    assert.ok(files.length > 0, fs.readdirSync(folder).join())
    assert.doesNotThrow(() => JSON.parse(fs.readFileSync(path.join(folder, files[0]), 'utf8')))
  }

  test(`beside ${name} the inspector does not record, with the reason, and Node.js prints nothing of loopscope`, async t => {
    const folder = makeScratch(t)
    const app = await drive(t, { ...how(folder), options: BY_INSPECTOR })
    const code = await app.run(({ handle }) => handle.capture('cpu', { seconds: 1 }).then(() => 'recorded', error => error.code))
    assert.equal(code, 'ERR_LOOPSCOPE_RECORDER_OFF')
    await app.until(new RegExp(`recorder is off: Node.js itself profiles this process \\(${name}\\)`))
    await end(app, folder)
  })

  test(`beside ${name} the other profiler of Node.js records, and Node.js prints nothing of loopscope`, WITHOUT, async t => {
    const folder = makeScratch(t)
    const app = await drive(t, how(folder))
    const capture = () => app.run(({ handle }) => handle.capture('cpu', { seconds: 0.2 }).then(() => 'recorded', error => error.code))
    let result
    do result = await capture()
    while (result === 'ERR_LOOPSCOPE_EMPTY_VIEW') // of a machine that others keep busy
    assert.equal(result, 'recorded')
    await end(app, folder)
  })
}
