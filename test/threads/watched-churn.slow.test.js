'use strict'

// Hundreds of workers that live for a moment while threads are watched: each ends with its own code, nothing is left, the process ends by itself.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { start } = require('../process/child')

const WORKERS = 300

const SOURCE = `
const { Worker } = require('node:worker_threads')
const handle = require(${JSON.stringify(path.resolve(__dirname, '../..'))}).createDiagnostics({ threads: true, logger: { info () {}, warn () {}, error () {} }, signals: false, controlSocket: false }).start()
const end = (code, options) => new Promise(resolve => new Worker(code, { eval: true, ...options }).on('exit', resolve))
async function main () {
  const lasting = [1, 2].map(() => new Worker('setInterval(() => {}, 10)', { eval: true }))
  const codes = {}
  for (let begun = 0; begun < ${WORKERS}; begun += 3) {
    const some = [end('setTimeout(() => {}, Math.random() * 30)'), end('setTimeout(() => process.exit(2), Math.random() * 30)'), end('for (let i = 0; i < 1e6; i++);')]
    for (const code of await Promise.all(some)) codes[code] = (codes[code] ?? 0) + 1
  }
  await Promise.all(lasting.map(worker => worker.terminate()))
  console.log(JSON.stringify(codes))
}
main()
`

test(`${WORKERS} workers that live for a moment`, { timeout: 300_000 }, async t => {
  const { code, signal, stdout, stderr } = await start(t, ['-e', SOURCE], { env: { NODE_TEST_CONTEXT: undefined } }).ended
  assert.deepEqual({ code, signal, stdout, stderr }, { code: 0, signal: null, stdout: `${JSON.stringify({ 0: WORKERS / 3 * 2, 2: WORKERS / 3 })}\n`, stderr: '' })
})
