'use strict'

// Run by hand: how often does starting V8's CPU profiler lock the main thread up for ever, and does a V8 flag prevent it?
//   node test/stress/profiler-start.js --node /opt/node-22.23.2/bin/node --runs 20 --prevent no-compact-code-space
// It runs profiler-start-child.js again and again and counts the children that fall silent; it tests no code of ours.
// Affected: Node 22 before 22.23.3 (https://github.com/nodejs/node/issues/65140). With --lines 60000 a whole collection, not only
// its beginning, falls into the start: that locks Node 20 up too, and no-compact-code-space does not help; --moment warm does.

const { spawn } = require('node:child_process')
const { createInterface } = require('node:readline')
const path = require('node:path')
const { parseArgs } = require('node:util')

const CHILD = path.join(__dirname, 'profiler-start-child.js')

const CHOICES = Object.freeze({
  prevent: [
    'none', 'no-compact-code-space', 'no-compact', 'no-parallel-compaction', 'single-threaded-gc', 'no-incremental-marking', 'no-flush-bytecode'
  ],
  'prevent-at': ['boot', 'start'], // boot: before the application loads; start: heap grown, just before the profiler starts
  moment: ['cold', 'warm'], // cold: the profiler starts after the application; warm: before it, and windows overlap from then on
  start: ['console', 'session'] // inspector.console.profile() on the main thread, or Profiler.start posted by the observer
})

const { values: options } = parseArgs({
  options: {
    node: { type: 'string', default: process.execPath },
    runs: { type: 'string', default: '10' },
    prevent: { type: 'string', default: 'none' },
    'prevent-at': { type: 'string', default: 'boot' },
    moment: { type: 'string', default: 'cold' },
    start: { type: 'string', default: 'console' },
    pairs: { type: 'string', default: '500' }, // functions that have another script's function inlined
    lines: { type: 'string', default: '20000' }, // of each inlined script: 8 bytes a line, allocated inside the walk
    'ballast-mb': { type: 'string', default: '0' }, // run i of N holds i/N of it: sweeps how near the next GC is
    'node-flag': { type: 'string', multiple: true, default: [] }, // as --node-flag=--max-old-space-size=300
    'silence-ms': { type: 'string', default: '10000' } // on a busy machine, loading 1000 pairs alone was silent for 5 s
  }
})

function assertChoices () {
  for (const [name, allowed] of Object.entries(CHOICES)) {
    if (!allowed.includes(options[name])) throw new RangeError(`--${name} must be one of ${allowed.join(', ')}, got ${options[name]}`)
  }
  for (const name of ['runs', 'pairs', 'lines', 'ballast-mb', 'silence-ms']) {
    if (!/^\d+$/.test(options[name])) throw new RangeError(`--${name} must be a whole number, got ${options[name]}`)
  }
}

/**
 * @param {number} run
 * @param {number} runs
 */
function scenario (run, runs) {
  return JSON.stringify({
    prevent: options.prevent,
    preventAt: options['prevent-at'],
    moment: options.moment,
    start: options.start,
    pairs: Number(options.pairs),
    lines: Number(options.lines),
    ballastMb: Math.round(Number(options['ballast-mb']) * run / runs)
  })
}

/**
 * One child, until it ends or falls silent.
 * @param {string} settings
 * @returns {Promise<{ outcome: 'passed' | 'deadlock' | 'crashed', at: string, startMs?: number }>}
 */
function runChild (settings) {
  return new Promise((resolve, reject) => {
    const child = spawn(options.node, [...options['node-flag'], CHILD, settings], { stdio: ['ignore', 'pipe', 'ignore'] })
    let silent = false
    let at = 'boot'
    let startMs
    const watchdog = setTimeout(() => {
      silent = true
      child.kill('SIGKILL')
    }, Number(options['silence-ms']))
    createInterface({ input: child.stdout }).on('line', (line) => {
      watchdog.refresh()
      const said = JSON.parse(line)
      at = said.at ?? at
      startMs = said.startMs ?? startMs
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(watchdog)
      if (silent) resolve({ outcome: 'deadlock', at, startMs })
      else if (code === 0) resolve({ outcome: 'passed', at, startMs })
      else resolve({ outcome: 'crashed', at: `${at} (${signal ?? code})`, startMs })
    })
  })
}

/** @param {number[]} numbers */
function median (numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

async function main () {
  assertChoices()
  const runs = Number(options.runs)
  const results = []
  for (let run = 0; run < runs; run++) results.push(await runChild(scenario(run, runs)))
  const deadlocks = results.filter(({ outcome }) => outcome === 'deadlock')
  const crashes = results.filter(({ outcome }) => outcome === 'crashed')
  const startTimes = results.flatMap(({ startMs }) => startMs ?? [])
  console.log(`${options.node}: prevent ${options.prevent} at ${options['prevent-at']}, ${options.moment} start by ${options.start}, ` +
    `${options.pairs} pairs of ${options.lines} lines`)
  console.log(`runs ${runs}  deadlocks ${deadlocks.length}  crashes ${crashes.length}  ` +
    `median start ${startTimes.length ? median(startTimes).toFixed(1) + ' ms' : 'none'}`)
  for (const { outcome, at } of [...deadlocks, ...crashes]) console.log(`  ${outcome} at: ${at}`)
  if (crashes.length || (deadlocks.length && options.prevent !== 'none')) process.exitCode = 1
}

main()
