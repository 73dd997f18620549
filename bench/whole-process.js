'use strict'

// What does the preload add to a process that ends at once, as the commands of a shell or a package manager do?

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { noiseOf } = require('./harness/noise')
const { writeSameFiles } = require('./harness/same-files')
const { differences, isAtMost, medianOf, show, summarize } = require('./harness/statistics')
const { turns } = require('./harness/turns')

const OFF = 'node -e 0'
const ON = 'node --require loopscope/register -e 0'
const AT_ONCE = 'LOOPSCOPE_START_AT_ONCE=true node --require loopscope/register -e 0'
const THREAD = 'node --require (an empty worker thread) -e 0'
const FILES = 'node --require (an empty worker thread, and as many files of the same text, not run) -e 0'
const CASES = Object.freeze([OFF, `${OFF}, once more`, THREAD, FILES, ON, AT_ONCE])
const REGISTER = path.join(__dirname, '../register.js')
const EMPTY_THREAD = path.join(__dirname, 'processes/empty-thread.js')
const MAX_MORE_MS = 30

const METHOD = 'Fresh processes in turns, from the start until their end was seen, on any processor; minimum and median of each, differences within a round, and what two halves of the ' +
  'rounds without it differ by, dealt out anew many times. The preload waits until a process listens or has lived for two seconds; started at once, it starts an observer as in a server. The empty thread is the least that this takes; the files of the same text are what it loads, ' +
  'each within a function that nobody calls: Node.js finds, reads and parses them.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-whole-'))
  try {
    const { index, count } = writeSameFiles(scratch, 'require("./lib/api/diagnostics.js")')
    return report(takeTimes({ [THREAD]: [EMPTY_THREAD], [FILES]: [EMPTY_THREAD, index], [ON]: [REGISTER], [AT_ONCE]: [REGISTER] }, quick ? 3 : 40, progress), count)
  } finally {
    fs.rmSync(scratch, { recursive: true })
  }
}

/**
 * @param {Record<string, string[]>} preloads  by case
 * @param {number} rounds
 * @param {(text: string) => void} progress
 * @returns {number[][]} by case and round
 */
function takeTimes (preloads, rounds, progress) {
  /** @type {number[][]} */
  const times = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const at of turns(CASES, round)) times[at].push(timeOf(preloads[CASES[at]] ?? [], CASES[at] === AT_ONCE))
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, at) => `${name} ${times[at][round].toFixed(0)} ms`).join(', ')}`)
  }
  return times
}

/**
 * @param {string[]} preloads
 * @param {boolean} isAtOnce
 */
function timeOf (preloads, isAtOnce) {
  const args = [...preloads.flatMap(file => ['--require', file]), '-e', '0']
  const beganMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore', env: { PATH: process.env.PATH, ...(isAtOnce && { LOOPSCOPE_START_AT_ONCE: 'true' }) } })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`)
  return performance.now() - beganMs
}

/**
 * @param {number[][]} times  by case and round
 * @param {number} fileCount
 */
function report (times, fileCount) {
  const [off, again, thread, files, on] = times
  const { ofMinimum, ofMedian } = noiseOf([...off, ...again], off.length)
  const byMinimum = Math.min(...on) - Math.min(...off)
  const more = differences(on, off)
  const noise = `the same and the same: up to ${((ofMinimum.high - 1) * Math.min(...off)).toFixed(0)} and ${((ofMedian.high - 1) * medianOf(off)).toFixed(0)} ms`
  return {
    question: 'What does the preload add to a process that ends at once?',
    method: METHOD,
    table: {
      columns: ['case', 'minimum, ms', 'median, ms'],
      rows: CASES.map((name, at) => [name, Math.min(...times[at]).toFixed(0), show(summarize(times[at]), 0)])
    },
    notes: [`The empty thread takes ${show(differences(thread, off), 0)} ms more, and with ${fileCount} files ${show(differences(files, off), 0)}: what their code does is the rest.`],
    budgets: [
      {
        budget: `at most ${MAX_MORE_MS} ms more, by the median`,
        measured: `${show(more, 0)} ms, ${byMinimum.toFixed(0)} by the minimum (${noise})`,
        isMet: isAtMost(more, MAX_MORE_MS)
      }
    ]
  }
}

module.exports = { measure }
