'use strict'

// How long does it take to compare two heap snapshots, and how much memory?

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { withChildren } = require('./harness/child')
const { ratios, show, summarize } = require('./harness/statistics')

const TOOLS = Object.freeze(['loopscope', 'heap-snapshot-toolkit', 'memlab'])
const OBJECTS = 110_000 // makes files of about 97 and 159 MB on Node 20
const QUICK_OBJECTS = 10_000
const ROUNDS = 3
const MB = 1e6
const MIN_FASTER = 5
const MAX_MEMORY_SHARE = 0.5

const METHOD = 'One process writes two snapshots: a Map of sessions, and twice as many of which a third was deleted. Each tool reads both in a fresh process, works out ' +
  'dominators and retained sizes of both, and compares them; the tools take turns. loopscope also looks for suspects. heap-snapshot-toolkit is Chrome DevTools\' own ' +
  'code. memlab loads both and is asked for every retained size; the comparison by class that it lacks is not asked of it.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-'))
  try {
    const files = await writeSnapshots(folder, quick ? QUICK_OBJECTS : OBJECTS)
    return report(await runTools(files, quick ? 1 : ROUNDS, progress), files)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

/**
 * @param {string} folder
 * @param {number} objects
 */
async function writeSnapshots (folder, objects) {
  await withChildren('heap-comparison', [['write', folder, String(objects)]], async () => {})
  return ['before', 'after'].map(name => path.join(folder, `${name}.heapsnapshot`))
}

/** @typedef {{ ms: number, peakBytes: number }} Trial */

/**
 * @param {string[]} files
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function runTools (files, rounds, progress) {
  /** @type {Trial[][]} */
  const trials = TOOLS.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, tool] of TOOLS.entries()) {
      const { ms, peakBytes } = await withChildren('heap-comparison', [[tool, ...files]], async ([{ hello }]) => hello)
      trials[index].push({ ms, peakBytes })
      progress(`round ${round + 1} of ${rounds}: ${tool} ${(ms / 1e3).toFixed(1)} s, ${(peakBytes / MB).toFixed(0)} MB`)
    }
  }
  return trials
}

/**
 * @param {Trial[][]} trials  by tool and round
 * @param {string[]} files
 */
function report (trials, files) {
  const seconds = trials.map(rounds => rounds.map(({ ms }) => ms / 1e3))
  const megabytes = trials.map(rounds => rounds.map(({ peakBytes }) => peakBytes / MB))
  const [, , memlabSeconds] = seconds
  const [, , memlabMegabytes] = megabytes
  const faster = ratios(memlabSeconds, seconds[0])
  const share = ratios(megabytes[0], memlabMegabytes)
  return {
    question: 'How long does comparing two heap snapshots take, and how much memory?',
    method: `${METHOD} Files of ${files.map(file => (fs.statSync(file).size / MB).toFixed(0)).join(' and ')} MB.`,
    table: {
      columns: ['tool', 'time, s', 'peak memory, MB', 'time, times ours', 'memory, times ours'],
      rows: TOOLS.map((tool, index) => [
        tool, show(summarize(seconds[index]), 1), show(summarize(megabytes[index]), 0), show(ratios(seconds[index], seconds[0]), 1), show(ratios(megabytes[index], megabytes[0]), 1)
      ])
    },
    notes: [],
    budgets: [
      { budget: `at least ${MIN_FASTER} times faster than memlab`, measured: `${show(faster, 1)} times`, isMet: faster.median >= MIN_FASTER },
      { budget: 'at most half of memlab\'s memory', measured: show(share, 2), isMet: share.median <= MAX_MEMORY_SHARE }
    ]
  }
}

module.exports = { measure }
