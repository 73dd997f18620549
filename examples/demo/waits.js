'use strict'

// node examples/demo/waits.js: examples/pool.js under load, and where its requests wait, by one command. Exits with 0 only when the line that waits
// for a connection was named first.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const autocannon = require('autocannon')
const { startApp } = require('./app-process')
const { createPage } = require('./page')

const CONNECTIONS = 20
const SECONDS = 5
const WARM_UP = 200 // requests: by then loopscope's thread listens
const LOAD_SECONDS = 60 // it ends with the demo
const BIN = path.resolve(__dirname, '../../bin/loopscope.js')
const SCRIPT = path.resolve(__dirname, '../pool.js')
const CULPRIT = lineOf('else await new Promise')

async function main () {
  const page = createPage()
  const dir = process.env.LOOPSCOPE_DIR || fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-demo-'))
  page.line(page.style('bold', 'loopscope: what do my requests wait for?'))
  page.line(`Node ${process.version}. examples/pool.js has four connections for ${CONNECTIONS} requests at a time; its event loop has almost nothing to do.`)
  const app = await startApp({ dir, script: SCRIPT, appName: 'pool' })
  const url = `${app.url}/orders`
  let load
  try {
    await autocannon({ url, connections: CONNECTIONS, amount: WARM_UP })
    load = autocannon({ url, connections: CONNECTIONS, duration: LOAD_SECONDS })
    page.section(`1. loopscope waits ${app.pid} --seconds ${SECONDS}, under load on /orders`)
    return showWaits(await loopscope('waits', String(app.pid), '--seconds', String(SECONDS)), page)
  } finally {
    load?.stop()
    await app.stop()
    if (process.env.LOOPSCOPE_DIR === undefined) fs.rmSync(dir, { recursive: true }) // it holds nothing: no file was asked for
  }
}

function showWaits (text, page) {
  const lines = text.trimEnd().split('\n')
  for (const line of lines) page.line(`  ${line}`.trimEnd())
  const [first = ''] = lines.filter(line => /^ *\d+ %/.test(line))
  page.line()
  if (first.includes(CULPRIT)) {
    page.line(`  Most of the time is spent at ${CULPRIT}, where a request waits for one of the four connections: the pool is too small.`)
    return 0
  }
  page.line(page.style('red', `The demo did not hold: ${CULPRIT} is not the first line.`))
  return 1
}

function lineOf (text) {
  const index = fs.readFileSync(SCRIPT, 'utf8').split('\n').findIndex(line => line.includes(text))
  return `pool.js:${index + 1}`
}

async function loopscope (...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args])
  return stdout
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(128 + os.constants.signals[signal])) // 'exit' ends the app

main().then(code => { process.exitCode = code }, error => {
  console.error(`The demo could not be run: ${error.message}`)
  process.exitCode = 1
})
