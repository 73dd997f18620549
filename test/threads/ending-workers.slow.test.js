'use strict'

// Workers that are ended at any moment of a recording, again and again: nothing hangs, nothing ends that should not, nothing is printed.

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { start } = require('../process/child')

const ROUNDS = 50

const SOURCE = `
const { Worker } = require('node:worker_threads')
const handle = require(${JSON.stringify(path.resolve(__dirname, '../..'))}).createDiagnostics({ logger: { info () {}, warn () {}, error () {} }, signals: false, controlSocket: false }).start()
const makeWorker = () => new Worker('const text = []; (function burn () { for (let i = 0; i < 1e5; i++) text.push(i); text.length = 0; setImmediate(burn) })()', { eval: true })
const workers = [makeWorker(), makeWorker()]
let isOver = false
async function churn () {
  while (!isOver) {
    await workers.shift().terminate()
    workers.push(makeWorker())
    await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
  }
}
async function main () {
  while (!await handle.capture('cpu', { seconds: 0.05 }).then(() => true, () => false));
  const churning = churn()
  for (let round = 0; round < ${ROUNDS}; round++) {
    await handle.capture('cpu', { threads: true, seconds: 0.05 + Math.random() * 0.1 }).catch(error => {
      if (error.code !== 'ERR_LOOPSCOPE_EMPTY_VIEW') throw error // on a busy machine the main thread may not run in that time
    })
  }
  isOver = true
  await churning
  await Promise.all(workers.map(worker => worker.terminate()))
  console.log('done')
}
main()
`

test(`${ROUNDS} recordings while workers come and are ended`, { timeout: 300_000 }, async t => {
  const { code, signal, stdout, stderr } = await start(t, ['-e', SOURCE], { env: { NODE_TEST_CONTEXT: undefined } }).ended
  assert.deepEqual({ code, signal, stdout, stderr }, { code: 0, signal: null, stdout: 'done\n', stderr: '' })
})
