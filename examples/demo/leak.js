'use strict'

// node examples/demo/leak.js: examples/leak.js under load, a heap snapshot before and after it, and what loopscope says of the
// two. Exits with 0 only when the leak was named.

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const autocannon = require('autocannon')
const { startApp } = require('./app-process')
const { createPage } = require('./page')

const CONNECTIONS = 20
const LOADS = [{ route: '/login', amount: 15_000 }, { route: '/prices?article=7', amount: 2000 }, { route: '/watch', amount: 1000 }]
const WARM_UP = 200 // requests of each route before the first snapshot: code that is compiled is no leak
const SUSPECTS = ['sessions', "prices.on('change')", 'setTimeout or setInterval']
const BIN = path.resolve(__dirname, '../../bin/loopscope.js')
const MAX_OUTPUT_BYTES = 16e6

async function main () {
  const page = createPage()
  const dir = process.env.LOOPSCOPE_DIR || fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-demo-'))
  page.line(page.style('bold', 'loopscope: what is filling my heap?'))
  page.line(`Node ${process.version}. examples/leak.js has three leaks; two heap snapshots and a load between them find them. Takes less than a minute.`)
  const app = await startApp({ dir, script: path.resolve(__dirname, '../leak.js'), appName: 'leak' })
  try {
    return await findLeaks(app, { dir, page })
  } finally {
    await app.stop()
  }
}

async function findLeaks (app, { dir, page }) {
  page.section('1. A heap snapshot, load, and another')
  for (const { route } of LOADS) await load(app, route, WARM_UP)
  const before = await snapshot(app, path.join(dir, 'before.heapsnapshot'), page)
  for (const { route, amount } of LOADS) {
    page.line(`  GET ${route}, ${amount.toLocaleString('en')} requests, ${CONNECTIONS} connections ...`)
    await load(app, route, amount)
  }
  const after = await snapshot(app, path.join(dir, 'after.heapsnapshot'), page)

  page.section('2. loopscope diff before.heapsnapshot after.heapsnapshot')
  const html = path.join(dir, 'leak.html')
  const [headline, ...lines] = (await loopscope('diff', before, after, '--html', html)).trimEnd().split('\n')
  page.line(page.style('yellow', headline))
  for (const line of lines) page.line(`  ${line}`.trimEnd())
  page.line()
  page.line(`The same as a page, with all classes: ${html}`)
  page.line(`All files stay in ${dir}`)
  const missing = SUSPECTS.filter(name => !lines.some(line => line.includes(`\`${name}\``)))
  for (const name of missing) page.line(page.style('red', `The demo did not hold: ${name} is not among the suspects.`))
  return headline.includes('`sessions`') && missing.length === 0 ? 0 : 1
}

async function load ({ url }, route, amount) {
  const { '2xx': answered } = await autocannon({ url: `${url}${route}`, connections: CONNECTIONS, amount })
  if (answered !== amount) throw new Error(`GET ${route}: ${answered} of ${amount} requests were answered`)
}

/** As an operator would; --force because another one was taken less than a minute ago. */
async function snapshot ({ pid }, file, page) {
  page.line(`  loopscope heap ${pid} -o ${path.basename(file)}`)
  await loopscope('heap', String(pid), '--force', '-o', file)
  return file
}

async function loopscope (...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...args], { maxBuffer: MAX_OUTPUT_BYTES })
  return stdout
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(128 + os.constants.signals[signal])) // 'exit' ends the app

main().then(code => { process.exitCode = code }, error => {
  console.error(`The demo could not be run: ${error.message}`)
  process.exitCode = 1
})
