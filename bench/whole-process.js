'use strict'

// What does the preload add to a process that ends at once, as the commands of a shell or a package manager do?

const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { noiseOf } = require('./harness/noise')
const { differences, isAtMost, medianOf, show, summarize } = require('./harness/statistics')
const { turns } = require('./harness/turns')

const AT_ONCE = Object.freeze(['-e', '0'])
const OFF = 'node -e 0'
const ON = 'node --require loopscope/register -e 0'
const THREAD = 'node --require (an empty worker thread) -e 0'
const CASES = Object.freeze([OFF, `${OFF}, once more`, THREAD, ON])
/** @type {Readonly<Record<string, string>>} */
const PRELOADS = Object.freeze({ [ON]: path.join(__dirname, '../register.js'), [THREAD]: path.join(__dirname, 'processes/empty-thread.js') })
const MAX_MORE_MS = 50

const METHOD = 'Fresh processes in turns, from the start until their end was seen, on any processor; minimum and median of each, differences within a round, and what two halves of the ' +
  'rounds without it differ by, dealt out anew many times. The empty thread is the least that an observer beside the main thread takes.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const rounds = quick ? 3 : 40
  /** @type {number[][]} */
  const times = CASES.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const at of turns(CASES, round)) times[at].push(timeOf(CASES[at]))
    progress(`round ${round + 1} of ${rounds}: ${CASES.map((name, at) => `${name} ${times[at][round].toFixed(0)} ms`).join(', ')}`)
  }
  return report(times)
}

/** @param {string} name */
function timeOf (name) {
  const preload = PRELOADS[name]
  const beganMs = performance.now()
  const { status } = spawnSync(process.execPath, preload === undefined ? AT_ONCE : ['--require', preload, ...AT_ONCE], { stdio: 'ignore', env: { PATH: process.env.PATH } })
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
  return performance.now() - beganMs
}

/** @param {number[][]} times  by case and round */
function report (times) {
  const [off, again, thread, on] = times
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
    notes: [`The empty thread takes ${show(differences(thread, off), 0)} ms more.`],
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
