'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')

const INSTALLED = path.join(__dirname, 'node_modules')
const LIMIT_MS = 60_000

/** Where npm puts the program itself: what it puts in .bin may be a script that an install script replaces, and those may be turned off. */
const RUNTIMES = [
  { name: 'Bun', command: 'bun', args: [], places: ['bun/bin/bun.exe', '@oven/bun-linux-x64/bin/bun'] },
  { name: 'Deno', command: 'deno', args: ['run', '--allow-all'], places: ['deno/deno', '@deno/linux-x64-glibc/deno'] }
]

function find ({ command, places }) {
  const inPath = (process.env.PATH ?? '').split(path.delimiter).map(folder => path.join(folder, command))
  return [...places.map(place => path.join(INSTALLED, place)), ...inPath].find(file => fs.existsSync(file) && fs.statSync(file).size > 1e6)
}

for (const runtime of RUNTIMES) {
  const file = find(runtime)
  const skip = file === undefined && `${runtime.name} is not installed: npm install --prefix test/runtimes`

  test(`${runtime.name} gets one line about what works, its stalls with their routes, and no figures that cannot be`, { skip }, async () => {
    const { stdout } = await promisify(execFile)(file, [...runtime.args, path.join(__dirname, 'application.cjs')], { timeout: LIMIT_MS })
    const lines = stdout.split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line))
    const warnings = lines.filter(({ code }) => code !== undefined)
    assert.deepEqual(warnings.map(({ code }) => code), ['LOOPSCOPE_WARN_RUNTIME'])
    assert.match(warnings[0].msg, new RegExp(`^this is ${runtime.name} \\d.*, not Node\\.js: loop delay, stalls with their routes, .* work; culprits, .* are missing$`))

    const { stalls, delay, findings, capture } = lines.find(({ result }) => result !== undefined).result
    const [stall] = stalls.filter(({ durationMs }) => durationMs >= 250)
    assert.equal(stall.route, 'GET /spin/:ms')
    assert.ok(['code', 'starved', 'unknown'].includes(stall.cause), JSON.stringify(stall))
    for (const [name, ms] of Object.entries(stall.evidence)) assert.ok(ms === null || (ms >= 0 && ms <= stall.durationMs * 1.5), `${name} ${ms}`)
    assert.ok(delay.maxMs >= 250 && delay.utilization > 0 && delay.utilization <= 1, JSON.stringify(delay))
    for (const { id, share } of findings) assert.ok(share >= 0 && share <= 1, id)
    assert.equal(capture, 'ERR_LOOPSCOPE_RECORDER_OFF')
  })
}
