'use strict'

// Do predictions come true? Ten applications are measured, their first finding's prediction is read, each is fixed, and measured again.

const http = require('node:http')
const os = require('node:os')
const { performance } = require('node:perf_hooks')
const { setTimeout: sleep } = require('node:timers/promises')
const { withChildren } = require('./harness/child')

const APPLICATIONS = Object.freeze(['pbkdf2', 'scrypt', 'json', 'gzip', 'command', 'lock', 'search', 'report', 'clock', 'timer'])
const SECONDS = 12
const FAST_EVERY_MS = 15
const SLOW_EVERY_MS = 200
// Two of the ten have clients of which each waits for its answer.
const CLOSED = new Set(['scrypt', 'lock'])
const CLOSED_FAST = 4
const CLOSED_SLOW = 1
const MIN_RIGHT = 8
const SHARES = Object.freeze({ p50Ms: 0.5, p95Ms: 0.95 })

const METHOD = 'Ten applications, each with one piece of code that blocks its loop, get requests of a fast and of a slow route for ' +
  `${SECONDS} s: eight from clients that send at random times, two from clients that wait for their answers. The prediction of the first finding that has one is kept. ` +
  'Then the application is started with the fix and measured again. An application counts as right if p50 and p95 of both routes, as the clients measure them, are within ' +
  'the predicted range; a wrong sign is a range wholly below or above the figure before, with the figure after on the other side of it.'

/** @typedef {Record<string, number[]>} Durations  by path, in ms */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rows = []
  for (const name of quick ? APPLICATIONS.slice(0, 1) : APPLICATIONS) {
    const row = await measureOne(name, quick ? 6 : SECONDS)
    progress(row.join(' | '))
    rows.push(row)
  }
  const right = rows.filter(row => row[1] === 'in range').length
  const wrongSigns = rows.filter(row => row[1].includes('sign')).length
  return {
    question: 'Do predictions come true?',
    method: METHOD,
    table: { columns: ['application', 'result', 'fast p95: before, predicted, after', 'slow p95: before, predicted, after'], rows },
    notes: [`load of the machine at the end: ${os.loadavg()[0].toFixed(1)} on ${os.availableParallelism()} CPUs`],
    budgets: [
      { budget: `p50 and p95 of every route in the range in ${MIN_RIGHT} of ${rows.length}`, measured: String(right), isMet: right >= Math.min(MIN_RIGHT, rows.length) },
      { budget: 'never the wrong sign', measured: String(wrongSigns), isMet: wrongSigns === 0 }
    ]
  }
}

/**
 * @param {string} name
 * @param {number} seconds
 * @returns {Promise<string[]>}
 */
async function measureOne (name, seconds) {
  const before = await run(name, 'sick', seconds)
  const after = await run(name, 'fixed', seconds)
  const predictions = before.findings.map((/** @type {any} */ { prediction }) => prediction).filter(Boolean)
  const prediction = predictions.find((/** @type {any} */ { reason }) => reason === null) ?? predictions[0] ?? { reason: 'no finding has one' }
  if (prediction.reason !== null) return [name, `no prediction: ${prediction.reason}`, '', '']
  let result = 'in range'
  const shown = ['/fast', '/slow'].map(path => {
    const predicted = prediction.routes.find((/** @type {any} */ { route }) => route === `GET ${path}`)
    if (!predicted?.p95Ms) return '-'
    for (const [key, share] of Object.entries(SHARES)) {
      const { now, low, high } = predicted[key]
      const [was, is] = [before, after].map(({ durations }) => quantileOf(durations[path], share))
      if ((high < now && is > was * 1.25 + 3) || (low > now && is < was * 0.75 - 3)) result = `wrong sign: ${path} ${key}`
      else if ((is < low || is > high) && result === 'in range') result = `out of range: ${path} ${key} ${is.toFixed(1)}, predicted ${low} to ${high}`
    }
    const { expected, low, high } = predicted.p95Ms
    return `${quantileOf(before.durations[path], 0.95).toFixed(1)}, ${expected} (${low} to ${high}), ${quantileOf(after.durations[path], 0.95).toFixed(1)}`
  })
  return [name, result, ...shown]
}

/**
 * @param {string} name
 * @param {string} state
 * @param {number} seconds
 */
async function run (name, state, seconds) {
  return withChildren('what-if', [[name, state]], async ([child]) => {
    await load(child.hello, 1, CLOSED.has(name)) // compiled code, open connections
    const durations = await load(child.hello, seconds, CLOSED.has(name))
    return { durations, findings: (await child.ask('findings')).findings }
  })
}

/**
 * @param {number} port
 * @param {number} seconds
 * @param {boolean} isClosed
 * @returns {Promise<Durations>}
 */
async function load (port, seconds, isClosed) {
  /** @type {Durations} */
  const durations = { '/fast': [], '/slow': [] }
  const agent = new http.Agent({ keepAlive: true })
  const endMs = performance.now() + seconds * 1e3
  /** The server may close an idle connection just as a request is sent on it. @type {(path: string) => Promise<unknown>} */
  const get = path => new Promise((resolve, reject) => {
    http.get({ port, path, host: '127.0.0.1', agent }, response => response.resume().on('end', resolve))
      .on('error', error => /** @type {NodeJS.ErrnoException} */ (error).code === 'ECONNRESET' ? resolve(get(path)) : reject(error))
  })
  /** @param {string} path */
  const request = async path => {
    const startMs = performance.now()
    await get(path)
    durations[path].push(performance.now() - startMs)
  }
  /** @param {string} path */
  const repeat = async path => {
    while (performance.now() < endMs) await request(path)
  }
  /** @param {string} path @param {number} everyMs */
  const send = async (path, everyMs) => {
    const sent = []
    for (let dueMs = performance.now(); dueMs < endMs; dueMs += -Math.log(1 - Math.random()) * everyMs) {
      await sleep(Math.max(0, dueMs - performance.now()))
      sent.push(request(path))
    }
    await Promise.all(sent)
  }
  try {
    await Promise.all(isClosed
      ? [...Array.from({ length: CLOSED_FAST }, () => repeat('/fast')), ...Array.from({ length: CLOSED_SLOW }, () => repeat('/slow'))]
      : [send('/fast', FAST_EVERY_MS), send('/slow', SLOW_EVERY_MS)])
    return durations
  } finally {
    agent.destroy()
  }
}

/** @param {number[]} values @param {number} share */
function quantileOf (values, share) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length * share)]
}

module.exports = { measure }
