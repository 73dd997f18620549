'use strict'

// What does loopscope add to the start of a process, beside pino and prom-client, which a service has anyway?

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { withChildren } = require('./harness/child')
const { noiseOf } = require('./harness/noise')
const { writeSameFiles } = require('./harness/same-files')
const { differences, isAtMost, medianOf, show, summarize } = require('./harness/statistics')
const { turns } = require('./harness/turns')

const USUAL = 'pino + prom-client'
const THREAD = `${USUAL}, then a thread that records`
const FILES = `${USUAL}, then as many files of the same text, not run`
const OURS = `${USUAL}, then loopscope`
const SERVICE = `express + ${USUAL}`
const CACHED = 'compile cache: '
const HAS_CACHE = 'enableCompileCache' in require('node:module') // since Node.js 22.1
const CASES = Object.freeze([
  'nothing', USUAL, `${USUAL}, once more`, THREAD, FILES, OURS, 'loopscope', SERVICE, `${SERVICE}, then loopscope`, ...HAS_CACHE ? [CACHED + USUAL, CACHED + OURS] : []
])
const MAX_MORE_MS = 35
const MAX_MORE_MB = 15

const METHOD = 'A fresh process each time: what its main thread did from the first `require` until everything runs (ours: until the recorder ' +
  'records), without the time that it waited for the observer thread; and the resident memory one second later. Differences are taken within a round. Beside each stands what two halves of the same ' +
  'case differ by, dealt out anew many times. `a thread that records` starts an empty worker thread that turns V8\'s profiler on for the main thread: less cannot record from outside. ' +
  'The files of the same text are what loopscope loads on this thread, each within a function that nobody calls: Node.js finds, reads and parses them. Express loads parts of Node.js that loopscope needs as well. ' +
  '`compile cache` is Node\'s own, which is for all code of a process (`NODE_COMPILE_CACHE`, `module.enableCompileCache()`), filled by a start before.'

/** @typedef {{ requiredMs: number, occupiedMs: number, rssMegabytes: number }} Start */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-start-'))
  try {
    const { index, count } = writeSameFiles(path.join(scratch, 'files'), 'require("./").createDiagnostics().start()')
    const cache = path.join(scratch, 'cache')
    if (HAS_CACHE) fillCache(cache)
    return report(await takeStarts([index, cache], quick ? 3 : 12, progress), count)
  } finally {
    fs.rmSync(scratch, { recursive: true })
  }
}

/**
 * @param {string[]} args  of a started process, after its case
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function takeStarts (args, rounds, progress) {
  /** @type {Start[][]} */
  const starts = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const at of turns(CASES, round)) {
      starts[at].push(await withChildren('start', [[CASES[at], ...args]], async ([child]) => child.hello))
    }
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, index) => `${name} ${starts[index][round].occupiedMs.toFixed(0)} ms`).join(', ')}`)
  }
  return starts
}

/** @param {string} cache  Node.js writes it when a process ends by itself */
function fillCache (cache) {
  const start = `require('node:module').enableCompileCache(${JSON.stringify(cache)}); require('prom-client'); require('pino'); require('./')(); setTimeout(() => {}, 1000)`
  execFileSync(process.execPath, ['-e', start], { cwd: path.join(__dirname, '..') })
}

/**
 * @param {Start[][]} starts  by case and round
 * @param {number} fileCount
 */
function report (starts, fileCount) {
  const of = (/** @type {keyof Start} */ what) => starts.map(rounds => rounds.map(start => start[what]))
  const more = (/** @type {keyof Start} */ what, /** @type {string} */ name, base = USUAL) => differences(of(what)[CASES.indexOf(name)], of(what)[CASES.indexOf(base)]).median
  const [requiredMs, occupiedMs, rssMegabytes] = [of('requiredMs'), of('occupiedMs'), of('rssMegabytes')]
  return {
    question: 'What does starting cost?',
    method: METHOD,
    table: {
      columns: ['case', 'until the calls returned, ms', 'main thread occupied, ms', 'RSS, MB'],
      rows: CASES.map((name, index) => [
        name, show(summarize(requiredMs[index]), 0), show(summarize(occupiedMs[index]), 0), show(summarize(rssMegabytes[index]), 1)
      ])
    },
    notes: [
      `${fileCount} files: ${more('occupiedMs', FILES).toFixed(0)} ms to load them, and ${more('occupiedMs', THREAD).toFixed(0)} for a thread that records, of the ${more('occupiedMs', OURS).toFixed(0)} that loopscope adds; ` +
      `beside Express it adds ${more('occupiedMs', `${SERVICE}, then loopscope`, SERVICE).toFixed(0)} ms and ${more('rssMegabytes', `${SERVICE}, then loopscope`, SERVICE).toFixed(1)} MB.`,
      ...HAS_CACHE ? [`With Node's compile cache it adds ${more('occupiedMs', CACHED + OURS, CACHED + USUAL).toFixed(0)} ms.`] : []
    ],
    headline: {
      what: 'starting, beyond pino and prom-client',
      cost: `${more('occupiedMs', OURS).toFixed(0)} ms, ${more('rssMegabytes', OURS).toFixed(0)} MB`,
      beside: `these two themselves: ${more('occupiedMs', USUAL, 'nothing').toFixed(0)} ms; a thread that records: ${more('occupiedMs', THREAD).toFixed(0)} ms, ${more('rssMegabytes', THREAD).toFixed(0)} MB; files of the same text: ${more('occupiedMs', FILES).toFixed(0)} ms`
    },
    budgets: [
      budgetOf('ms more of the main thread than pino + prom-client, which are there anyway', MAX_MORE_MS, occupiedMs),
      budgetOf('MB more', MAX_MORE_MB, rssMegabytes)
    ]
  }
}

/**
 * @param {string} unit
 * @param {number} maximum
 * @param {number[][]} values  by case and round
 */
function budgetOf (unit, maximum, values) {
  const [usual, again, ours] = [USUAL, `${USUAL}, once more`, OURS].map(name => values[CASES.indexOf(name)])
  const more = differences(ours, usual)
  const byMinimum = Math.min(...ours) - Math.min(...usual)
  const noise = (noiseOf([...usual, ...again], usual.length).ofMedian.high - 1) * medianOf(usual)
  return {
    budget: `at most ${maximum} ${unit}`,
    measured: `${show(more, 1)} by the median, ${byMinimum.toFixed(1)} by the minimum (the same and the same: up to ${noise.toFixed(1)})`,
    isMet: isAtMost(more, maximum)
  }
}

module.exports = { measure }
