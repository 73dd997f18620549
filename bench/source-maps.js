'use strict'

// What do source maps cost a process whose stalls stand in a dependency with a large one?

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { noiseOf } = require('./harness/noise')
const { isAtMost, ratios, show, summarize } = require('./harness/statistics')
const { turns } = require('./harness/turns')

const BARE = 'without loopscope'
const OFF = 'LOOPSCOPE_SOURCE_MAPS=false'
const ON = 'with source maps'
const CASES = Object.freeze([BARE, OFF, `${OFF}, once more`, ON])
const REGISTER = path.join(__dirname, '../register.js')
const STALLS = path.join(__dirname, 'processes/source-maps.js')
const LINES = 60_000
const FUNCTIONS = 40
const SOURCE_BYTES = 3e6
const MAX_RATIO = 1.1

const METHOD = `A fresh process each time, in turns: twelve stalls of 200 ms, 600 ms apart, each in another function of a file of ${LINES} lines whose map brings its source of ` +
  `${SOURCE_BYTES / 1e6} MB with it. Processor time of all threads of the process from the first stall to the last report, resident memory, and how many threads for source maps ` +
  'there were (Linux). Ratios within a round, and what two halves of the rounds without maps differ by, dealt out anew many times.'

/** @typedef {{ cpuMs: number, rssMegabytes: number, threads: number }} Cost */

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-maps-'))
  try {
    writeDependency(scratch)
    return report(takeCosts(scratch, quick ? 2 : 10, progress))
  } finally {
    fs.rmSync(scratch, { recursive: true })
  }
}

/** @param {string} scratch */
function writeDependency (scratch) {
  const every = LINES / FUNCTIONS
  const lines = Array.from({ length: LINES }, (_, line) => line % every === 0
    ? `exports[${line / every}] = function step${line / every} (ms) { for (const end = performance.now() + ms; performance.now() < end;); }`
    : `// ${line}`)
  const map = { version: 3, sources: ['source.ts'], names: [], sourcesContent: ['x'.repeat(SOURCE_BYTES)], mappings: `AAAA${';AACA'.repeat(LINES - 1)}` }
  fs.writeFileSync(path.join(scratch, 'dependency.js'), `${lines.join('\n')}\n//# sourceMappingURL=dependency.js.map\n`)
  fs.writeFileSync(path.join(scratch, 'dependency.js.map'), JSON.stringify(map))
}

/**
 * @param {string} scratch
 * @param {number} rounds
 * @param {(text: string) => void} progress
 * @returns {Cost[][]} by case and round
 */
function takeCosts (scratch, rounds, progress) {
  /** @type {Cost[][]} */
  const costs = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const at of turns(CASES, round)) costs[at].push(costOf(CASES[at], scratch))
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, at) => `${name} ${costs[at][round].cpuMs.toFixed(0)} ms`).join(', ')}`)
  }
  return costs
}

/**
 * @param {string} name  of the case
 * @param {string} scratch
 * @returns {Cost}
 */
function costOf (name, scratch) {
  const preload = name === BARE ? [] : ['--require', REGISTER]
  const env = { PATH: process.env.PATH, LOOPSCOPE_DIR: path.join(scratch, 'captures'), ...(name.startsWith(OFF) && { LOOPSCOPE_SOURCE_MAPS: 'false' }) }
  return JSON.parse(execFileSync(process.execPath, [...preload, STALLS, path.join(scratch, 'dependency.js')], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
}

/** @param {Cost[][]} costs  by case and round */
function report (costs) {
  const of = (/** @type {keyof Cost} */ what) => costs.map(rounds => rounds.map(cost => cost[what]))
  const [cpuMs, rssMegabytes, threads] = [of('cpuMs'), of('rssMegabytes'), of('threads')]
  const [, off, again, on] = cpuMs
  const ratio = ratios(on, off)
  const { ofMedian } = noiseOf([...off, ...again], off.length)
  const mostThreads = Math.max(...threads[CASES.indexOf(ON)])
  return {
    question: 'What do source maps cost?',
    method: METHOD,
    table: {
      columns: ['case', 'CPU, minimum, ms', 'CPU, median, ms', 'RSS, median, MB', 'threads for source maps'],
      rows: CASES.map((name, at) => [name, Math.min(...cpuMs[at]).toFixed(0), show(summarize(cpuMs[at]), 0), summarize(rssMegabytes[at]).median.toFixed(0), String(Math.max(...threads[at]))])
    },
    notes: [`The same and the same differ by ${ofMedian.low.toFixed(2)} to ${ofMedian.high.toFixed(2)} in the median.`],
    budgets: [
      { budget: `at most ${MAX_RATIO} times the processor time without source maps, by the median`, measured: show(ratio, 2), isMet: isAtMost(ratio, MAX_RATIO) },
      { budget: 'at most one thread', measured: String(mostThreads), isMet: mostThreads <= 1 }
    ]
  }
}

module.exports = { measure }
