'use strict'

// Runs test files with Node's own runner, and those that failed once more, each alone: a test of a machine that others kept busy
// is told from a test that fails.

const path = require('node:path')
const { run } = require('node:test')
const { endProcesses } = require('./file-processes')

/** @typedef {{ passed: number, failed: number, skipped: { name: string, why: string }[] }} Counts  of one file */

// A test that waits in vain is ended by Node first, which reports its name and runs what the test does at its end. Node.js 20 takes
// the limit of a test for the whole file.
const TEST_SHARE = 0.8

/**
 * @param {string[]} files
 * @param {object} options
 * @param {number} options.concurrency  files at a time
 * @param {number} options.limitMs  a file that takes longer has failed
 * @param {number} options.again  how often a file that failed is run once more, alone
 * @param {(stream: import('node:stream').Readable, title: string) => Promise<void>} options.report  shows what a run says
 */
async function runFiles (files, { concurrency, limitMs, again, report }) {
  const counts = await runOnce(files, { concurrency, limitMs }, stream => report(stream, ''))
  /** @type {{ file: string, runs: number }[]} */
  const flaky = []
  for (const file of failedOf(counts)) {
    for (let repeated = 1; repeated <= again && counts.get(file)?.failed !== 0; repeated++) {
      const alone = await runOnce([file], { concurrency: 1, limitMs }, stream => report(stream, `again, alone (${repeated} of ${again}): ${path.relative('', file)}`))
      counts.set(file, alone.get(file) ?? { passed: 0, failed: 1, skipped: [] })
      if (alone.get(file)?.failed === 0) flaky.push({ file, runs: repeated + 1 })
    }
  }
  return { counts, flaky, failed: failedOf(counts) }
}

/**
 * @param {string[]} files
 * @param {{ concurrency: number, limitMs: number }} bounds
 * @param {(stream: import('node:stream').Readable) => Promise<void>} report
 */
async function runOnce (files, { concurrency, limitMs }, report) {
  /** @type {Map<string, Counts>} */
  const counts = new Map(files.map(file => [file, { passed: 0, failed: 0, skipped: [] }]))
  if (files.length === 0) return counts // none would be all that Node.js finds by itself
  const faults = await endProcesses(files, limitMs, () => report(count(run({ files, concurrency, timeout: TEST_SHARE * limitMs }), counts)))
  for (const { file, why } of faults) {
    console.log(`FAILED ${path.relative('', file)} ${why}`)
    const of = /** @type {Counts} */ (counts.get(file))
    of.failed ||= 1
  }
  return counts
}

/**
 * @param {ReturnType<typeof run>} stream
 * @param {Map<string, Counts>} counts  is filled
 */
function count (stream, counts) {
  stream.on('test:pass', ({ file, name, skip, details }) => {
    const of = counts.get(file ?? '')
    if (of === undefined) return
    // A suite that is skipped says so once, for all of its tests.
    if (skip !== undefined) of.skipped.push({ name, why: String(skip) })
    else if (details.type !== 'suite') of.passed++
  })
  stream.on('test:fail', ({ file, name, details }) => {
    const of = counts.get(file ?? '') ?? counts.get(name)
    if (of === undefined) throw new Error(`a failure of no file: ${name}`)
    // What holds a test that failed has failed because of it.
    if (/** @type {any} */ (details.error).failureType !== 'subtestsFailed') of.failed++
  })
  return stream
}

/** @param {Map<string, Counts>} counts */
function failedOf (counts) {
  return [...counts].filter(([, { failed }]) => failed > 0).map(([file]) => file)
}

module.exports = { runFiles }
