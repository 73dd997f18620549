'use strict'

// One half of the demo: a fresh application, a user, a load on one route, and what the application said about it.

const { execFile } = require('node:child_process')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { promisify } = require('node:util')
const autocannon = require('autocannon')
const { startApp } = require('./app-process')
const { delayBetween, readDelay } = require('./delay')

const COMMAND = path.join(__dirname, '..', '..', 'bin', 'loopscope.js')
const CONNECTIONS = 20
const SETTLE_MS = 1000 // the recorder starts beside the application, and the last stall is counted after its end
const SIGNAL_AFTER_MS = 1000 // into the load
const CAPTURE_MS = 60_000 // takes 10 s and the time of encoding, on a machine that is busy with the load
const REQUEST_SECONDS = 60 // twenty hashes one after the other: what is slow here is shown, not counted as an error

const LOGIN = '?username=ada&password=lovelace'

/** With isProfiled the application is sent SIGUSR2 in the middle of the load, as an operator would. */
async function runPhase ({ route, dir, seconds, isProfiled = false, page }) {
  const app = await startApp({ dir })
  try {
    const welcome = await fetch(`${app.url}/newUser${LOGIN}`)
    if (!welcome.ok) throw new Error(`GET /newUser answers ${welcome.status}`)
    await sleep(SETTLE_MS)
    assertStore(app)
    const before = await readDelay(app.url)
    const loadedAt = Date.now()
    const signalled = isProfiled ? signalLater(app) : undefined
    const load = await page.progress(`GET ${route}, ${CONNECTIONS} connections`, seconds, () => runLoad(`${app.url}${route}${LOGIN}`, seconds))
    await signalled
    const answer = isProfiled ? await askWhy(app.pid) : null
    const profilePath = isProfiled ? await profileOf(app, page) : null
    await sleep(SETTLE_MS)
    const delay = delayBetween(before, await readDelay(app.url))
    const stalls = app.records.filter(record => isStall(record) && record.stall.at >= loadedAt)
    return { pid: app.pid, load, delay, profilePath, stalls, answer, warnings: app.records.filter(isWarning) }
  } finally {
    await app.stop()
  }
}

/** As a person would, from another shell. */
async function askWhy (pid) {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'why', String(pid)])
  return stdout.trimEnd().split('\n')
}

async function runLoad (url, seconds) {
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, timeout: REQUEST_SECONDS })
  const { duration, latency, errors, non2xx, '2xx': answered } = result
  return { answered, perSecond: answered / duration, p50Ms: latency.p50, p99Ms: latency.p99, failed: errors + non2xx }
}

/** Better now than after the load. */
function assertStore ({ records }) {
  const warning = records.find(({ code }) => code === 'LOOPSCOPE_WARN_STORE')
  if (warning) throw new Error(warning.msg)
}

async function signalLater (app) {
  await sleep(SIGNAL_AFTER_MS)
  app.kill('SIGUSR2')
}

/** The path that the application logged. */
async function profileOf (app, page) {
  page.line(`  kill -USR2 ${app.pid} was sent ${SIGNAL_AFTER_MS / 1e3} s into the load; the profile holds up to 30 s before it and 10 s after it ...`)
  const { path, err } = await app.logged(({ signal, path, err }) => signal === 'SIGUSR2' && (path || err), CAPTURE_MS)
  if (err) throw new Error(`no profile: ${err.message}`)
  return path
}

/** A stall that is over; those reported while they last come a second time when they end. */
function isStall ({ stall }) {
  return stall !== undefined && !stall.lasting
}

function isWarning ({ code }) {
  return code?.startsWith('LOOPSCOPE_WARN_') ?? false
}

module.exports = { runPhase, CONNECTIONS }
