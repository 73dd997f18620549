'use strict'

// How long does it take to compare two heap snapshots, and how much memory?

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { withChildren } = require('./harness/child')
const { writeLargeSnapshot } = require('./harness/large-snapshot')
const { isAtLeast, isAtMost, ratios, show, summarize } = require('./harness/statistics')

const TOOLS = Object.freeze(['loopscope', 'loopscope, one thread', 'heap-snapshot-toolkit', 'memlab'])
const OBJECTS = 110_000 // makes files of about 97 and 159 MB on Node 20
const QUICK_OBJECTS = 10_000
const ROUNDS = 3
const MB = 1e6
const MIN_FASTER = 5
const MAX_MEMORY_SHARE = 0.5
const LARGE_BYTES = 1e9 // more than memlab takes
const QUICK_LARGE_BYTES = 100e6
const MAX_MEMORY_OF_FILE = 4
const ROOM = 1.2 // times what was computed

const METHOD = 'One process writes two snapshots: a Map of sessions, and twice as many of which a third was deleted. Each tool reads both in a fresh process, works out ' +
  'dominators and retained sizes of both, and compares them; the tools take turns. loopscope also looks for suspects; it reads the older file in a thread of its own, as the command line does, and in one thread, as the admin surface does. heap-snapshot-toolkit is Chrome DevTools\' own ' +
  'code. memlab loads both and is asked for every retained size; the comparison by class that it lacks is not asked of it. The processor time is that of all threads.'

/** @param {{ quick: boolean, progress: (text: string) => void }} how */
async function measure ({ quick, progress }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopscope-bench-'))
  try {
    const files = await writeSnapshots(folder, quick ? QUICK_OBJECTS : OBJECTS)
    const trials = await runTools(files, quick ? 1 : ROUNDS, progress)
    return report(trials, files, await compareLarge(folder, quick ? QUICK_LARGE_BYTES : LARGE_BYTES, progress))
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

/** @typedef {{ ms: number, cpuMs: number, peakBytes: number }} Trial */

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
      const { ms, cpuMs, peakBytes } = await withChildren('heap-comparison', [[tool, ...files]], async ([{ hello }]) => hello)
      trials[index].push({ ms, cpuMs, peakBytes })
      progress(`round ${round + 1} of ${rounds}: ${tool} ${(ms / 1e3).toFixed(1)} s, ${(peakBytes / MB).toFixed(0)} MB`)
    }
  }
  return trials
}

/** @typedef {Trial & { fileBytes: number }} LargeTrial */

/**
 * A generated file with itself: what counts is that both sides are as large.
 * @param {string} folder
 * @param {number} bytes
 * @param {(text: string) => void} progress
 * @returns {Promise<LargeTrial | null>} null: there is no room for it
 */
async function compareLarge (folder, bytes, progress) {
  const { bavail, bsize } = fs.statfsSync(folder)
  if (bavail * bsize < bytes * ROOM || os.freemem() < bytes * MAX_MEMORY_OF_FILE * ROOM) return null
  const file = path.join(folder, 'large.heapsnapshot')
  writeLargeSnapshot(file, bytes)
  const { ms, cpuMs, peakBytes } = await withChildren('heap-comparison', [['loopscope', file, file]], async ([{ hello }]) => hello)
  progress(`large: ${(ms / 1e3).toFixed(1)} s, ${(peakBytes / MB).toFixed(0)} MB`)
  return { ms, cpuMs, peakBytes, fileBytes: fs.statSync(file).size }
}

/**
 * @param {Trial[][]} trials  by tool and round
 * @param {string[]} files
 * @param {LargeTrial | null} large
 */
function report (trials, files, large) {
  const seconds = trials.map(rounds => rounds.map(({ ms }) => ms / 1e3))
  const cpuSeconds = trials.map(rounds => rounds.map(({ cpuMs }) => cpuMs / 1e3))
  const megabytes = trials.map(rounds => rounds.map(({ peakBytes }) => peakBytes / MB))
  const memlab = TOOLS.indexOf('memlab')
  const faster = ratios(seconds[memlab], seconds[0])
  const share = ratios(megabytes[0], megabytes[memlab])
  return {
    question: 'How long does comparing two heap snapshots take, and how much memory?',
    method: `${METHOD} Files of ${files.map(file => (fs.statSync(file).size / MB).toFixed(0)).join(' and ')} MB.`,
    table: {
      columns: ['tool', 'time, s', 'processor time, s', 'peak memory, MB', 'time, times ours', 'memory, times ours'],
      rows: TOOLS.map((tool, index) => [
        tool, show(summarize(seconds[index]), 1), show(summarize(cpuSeconds[index]), 1), show(summarize(megabytes[index]), 0), show(ratios(seconds[index], seconds[0]), 1), show(ratios(megabytes[index], megabytes[0]), 1)
      ])
    },
    headline: { what: 'comparing two heap snapshots', cost: `${summarize(seconds[0]).median.toFixed(1)} s, ${summarize(megabytes[0]).median.toFixed(0)} MB`, beside: `memlab: ${summarize(seconds[memlab]).median.toFixed(1)} s, ${summarize(megabytes[memlab]).median.toFixed(0)} MB` },
    notes: [describeLarge(large)],
    budgets: [
      { budget: `at least ${MIN_FASTER} times faster than memlab`, measured: `${show(faster, 1)} times`, isMet: isAtLeast(faster, MIN_FASTER) },
      { budget: 'at most half of memlab\'s memory', measured: show(share, 2), isMet: isAtMost(share, MAX_MEMORY_SHARE) },
      ...large === null ? [] : [budgetOf(large)]
    ]
  }
}

/** @param {LargeTrial | null} large */
function describeLarge (large) {
  if (large === null) return 'A file of 1 GB was not compared: the machine has no room for it.'
  const { ms, cpuMs, peakBytes, fileBytes } = large
  return `A generated file of ${(fileBytes / MB).toFixed(0)} MB, compared with itself: ${(ms / 1e3).toFixed(1)} s, ${(cpuMs / 1e3).toFixed(1)} s of processors, ${(peakBytes / MB).toFixed(0)} MB at most.`
}

/** @param {LargeTrial} large */
function budgetOf ({ peakBytes, fileBytes }) {
  const measured = peakBytes / fileBytes
  return {
    budget: `two files of ${(fileBytes / MB).toFixed(0)} MB are compared within ${MAX_MEMORY_OF_FILE} times the memory that one has bytes`,
    measured: `${measured.toFixed(1)} times`,
    isMet: measured <= MAX_MEMORY_OF_FILE
  }
}

module.exports = { measure }
