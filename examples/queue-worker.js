// node examples/queue-worker.js
'use strict'

// A worker without HTTP: an in-memory queue, one job of which blocks the event loop. d.job() gives its work a name, the 'stall' listener
// names the code, and what a slow job did is captured after the fact, as a text report.

const crypto = require('node:crypto')
const { setTimeout: sleep } = require('node:timers/promises')
const { createDiagnostics } = require('loopscope')

const POLL_MS = 500
const SLOW_MS = 200

const queue = [
  { name: 'mail', run: async () => {} },
  { name: 'import', run: async function importUsers () { for (let user = 0; user < 10; user++) crypto.scryptSync('secret', `salt ${user}`, 64) } },
  { name: 'mail', run: async () => {} }
]

const d = createDiagnostics({ appName: 'queue-worker' }).start()
d.on('stall', ({ durationMs, cause, route, culprit }) => {
  const where = culprit === null ? '' : `: ${culprit.call ?? 'own code'} in ${culprit.function}, ${culprit.file}:${culprit.line}`
  console.log(`stalled ${durationMs} ms in ${route ?? 'no job'} (${cause})${where}`)
})

async function work () {
  while (queue.length > 0) {
    await sleep(POLL_MS)
    const { name, run } = queue.shift()
    const from = performance.now()
    await d.job(name, run)
    const tookMs = Math.round(performance.now() - from)
    console.log(`job ${name} took ${tookMs} ms`)
    if (tookMs >= SLOW_MS) await keepReport(tookMs)
  }
}

async function keepReport (tookMs) {
  try {
    const { path } = await d.capture('cpu', { last: tookMs / 1e3, format: 'text' })
    console.log(`what it did: ${path}`)
  } catch (error) {
    console.log(`no report of it: ${error.message}`) // the queue goes on
  }
}

work().finally(() => d.close())
