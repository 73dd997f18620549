'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')

const DIST = path.join(__dirname, '..', 'fixtures', 'source-maps', 'dist')
const MAX_MS = 150_000

/** What a process that runs the fixture said; the log line of one more stall may follow its own. */
async function observe (file, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(__dirname, 'observed.js'), path.join(DIST, file), ...args], { timeout: MAX_MS })
  const lines = stdout.trim().split('\n').map(line => JSON.parse(line))
  return { warnings: lines.filter(({ code }) => code === 'LOOPSCOPE_WARN_SOURCE_MAP'), messages: lines.map(({ message }) => message), stall: lines.find(({ stall }) => stall !== undefined).stall }
}

for (const file of ['tsc/main.js', 'esbuild-min/main.js']) {
  test(`a stall in ${file} is reported as it was written`, async () => {
    const { stall, messages, warnings } = await observe(file)
    assert.match(stall.culprit.function, /^(mixChecksum|summarize|renderReport)$/)
    assert.match(stall.culprit.file, /src\/main\.ts$/)
    assert.deepEqual(new Set(stall.stack.filter(frame => !/node:|source-maps\/observed/.test(frame.file)).map(frame => path.basename(frame.file))), new Set(['main.ts']))
    assert.match(messages.join('\n'), /stalled \d+ ms.*src\/main\.ts:\d+/)
    assert.deepEqual(warnings, [])
  })
}

test('a bundle without a map is reported as it runs, and said to be one', async () => {
  const { stall, warnings } = await observe('no-map/main.js')
  assert.match(stall.culprit.file, /no-map\/main\.js$/)
  assert.equal(warnings.length, 1)
  assert.match(warnings[0].message, /so positions are those of the generated code: .*no-map\/main\.js is bundled and has no map/)
})

test('with the option off a stall is reported as the code runs', async () => {
  const { stall } = await observe('tsc/main.js', 'off')
  assert.match(stall.culprit.file, /dist\/tsc\/main\.js$/)
})
