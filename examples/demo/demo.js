'use strict'

// node examples/demo/demo.js [--seconds 10]: an Express app under load, first with a blocking call and then without it, and
// what loopscope says of each. Exits with 0 only when the stall was explained and the profile was written.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { FORMATS } = require('../../lib/formats/formats')
const { createPage } = require('./page')
const { runPhase, CONNECTIONS } = require('./phase')
const { conclude, findGaps, groupStalls, inMs } = require('./findings')

const MAX_SECONDS = 60 // of load on each route: longer tells nothing new
const REPORT_LINES = 30

async function main () {
  const page = createPage()
  const seconds = readSeconds()
  const dir = process.env.LOOPSCOPE_DIR || fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-demo-'))
  page.line(page.style('bold', 'loopscope: why is my event loop late?'))
  page.line(`Node ${process.version}, ${os.availableParallelism()} processors. An Express app with one line more, app.use(diagnostics(...)), is loaded twice:`)
  page.line('/auth hashes with crypto.pbkdf2Sync, /auth2 with crypto.pbkdf2. Takes about half a minute.')

  page.section('1. Load')
  const auth = await runPhase({ route: '/auth', dir, seconds, isProfiled: true, page })
  const auth2 = await runPhase({ route: '/auth2', dir, seconds, page })
  const groups = groupStalls(auth.stalls)
  const { report, reportPath, graphPath } = writeReadable(auth)
  showFigures(page, auth, auth2)
  showStalls(page, auth, groups)
  showProfile(page, auth, { report, reportPath, graphPath })

  page.section('5. In short')
  for (const sentence of conclude({ auth, auth2, groups })) page.line(`  ${sentence}`)
  page.line()
  page.section(`6. The same by one command, npx loopscope why ${auth.pid}, after the load on /auth`)
  for (const line of auth.answer) page.line(`  ${line}`.trimEnd())
  page.line()
  page.line(`All files stay in ${dir}`)
  const gaps = findGaps({ groups, report })
  for (const gap of gaps) page.line(page.style('red', `The demo did not hold: ${gap}.`))
  return gaps.length === 0 ? 0 : 1
}

function readSeconds () {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })
  const seconds = Number(values.seconds)
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS) throw new Error(`--seconds must be an integer from 1 to ${MAX_SECONDS}, got ${values.seconds}`)
  return seconds
}

/** The signal writes a .cpuprofile, which every tool reads; here it is also made into what a person reads. */
function writeReadable ({ profilePath, pid }) {
  const profile = JSON.parse(fs.readFileSync(profilePath, 'utf8'))
  const context = { appRoot: path.join(__dirname, '..', '..'), title: `cpu profile of the demo's app (pid ${pid})` }
  const [reportPath, graphPath] = ['text', 'flamegraph'].map(format => {
    const { encode, extension } = FORMATS[format]
    const file = profilePath.replace(/\.cpuprofile$/, `.${extension}`)
    fs.writeFileSync(file, encode(profile, context), { mode: 0o600 })
    return file
  })
  return { report: fs.readFileSync(reportPath, 'utf8'), reportPath, graphPath }
}

function showFigures (page, { load, delay }, { load: load2, delay: delay2 }) {
  const ratio = (a, b) => Math.min(a, b) >= 1 ? `${(b / a).toFixed(2)}x` : '-'
  const row = (name, a, b, show = inMs) => [name, show(a), show(b), ratio(a, b)]
  page.section(`2. Figures, ${CONNECTIONS} connections`)
  page.table([
    ['', '/auth', '/auth2', '/auth2 : /auth'],
    row('requests per second', load.perSecond, load2.perSecond, value => value.toFixed(1)),
    row('latency p50, ms', load.p50Ms, load2.p50Ms),
    row('latency p99, ms', load.p99Ms, load2.p99Ms),
    row('loop delay p50, ms', delay.p50Ms, delay2.p50Ms),
    row('loop delay p99, ms', delay.p99Ms, delay2.p99Ms),
    ['loop delay max, ms', showMax(delay), showMax(delay2), ratio(delay.maxMs, delay2.maxMs)],
    row('failed requests', load.failed, load2.failed, String)
  ])
}

function showMax ({ maxMs, isMaxExact }) {
  return `${isMaxExact ? '' : '≤'}${inMs(maxMs)}`
}

function showStalls (page, { warnings }, groups) {
  page.section('3. Stalls the app logged while /auth was loaded')
  for (const { msg } of warnings) page.line(`  Warning of the app: ${msg}`)
  if (groups.length === 0) return page.line('  none')
  page.table([
    ['stalls', 'worst', 'cause', 'route', 'culprit', 'call'],
    ...groups.map(({ count, worstMs, cause, route, culprit }) => [
      String(count), `${worstMs} ms`, cause, route ?? '-', culprit ? `${culprit.function} ${culprit.file}:${culprit.line}` : '-', culprit?.call ?? '-'
    ])
  ])
  page.line()
  const worst = groups.reduce((most, group) => group.worstMs > most.worstMs ? group : most)
  page.line(`  The worst, as logged: ${page.style('yellow', worst.example)}`)
}

function showProfile (page, { pid, profilePath }, { report, reportPath, graphPath }) {
  page.section(`4. The CPU profile that kill -USR2 ${pid} wrote`)
  page.line(`  profile      ${profilePath}   (open in Chrome DevTools or VS Code)`)
  page.line(`  flame graph  ${graphPath}   (open in a browser)`)
  page.line(`  report       ${reportPath}`)
  page.line()
  const lines = report.trimEnd().split('\n')
  for (const line of lines.slice(0, REPORT_LINES)) page.line(`  ${line}`.trimEnd())
  if (lines.length > REPORT_LINES) page.line(`  ... ${lines.length - REPORT_LINES} more lines in the file`)
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(128 + os.constants.signals[signal])) // 'exit' ends the app

if (process.platform === 'win32') {
  console.error('The demo sends SIGUSR2, which Windows does not have. diagnostics.capture() does the same there.')
  process.exitCode = 1
} else {
  main().then(code => { process.exitCode = code }, error => {
    console.error(`The demo could not be run: ${error.message}`)
    process.exitCode = 1
  })
}
