'use strict'

// Runs test files with Node's own runner, and those that failed once more, each alone: a test of a machine that others kept busy
// is told from a test that fails.

const path = require('node:path')
const { run } = require('node:test')

/** @typedef {{ passed: number, failed: number, skipped: { name: string, why: string }[] }} Counts  of one file */

// On a machine that is too busy, not on one that hangs: a file whose tests all wait in vain.
const TIMEOUT_MS = 180_000

/**
 * @param {string[]} files
 * @param {object} options
 * @param {number} options.concurrency  files at a time
 * @param {number} options.again  how often a file that failed is run once more, alone
 * @param {(stream: import('node:stream').Readable, title: string) => Promise<void>} options.report  shows what a run says
 */
async function runFiles (files, { concurrency, again, report }) {
  const counts = await runOnce(files, concurrency, stream => report(stream, ''))
  /** @type {{ file: string, runs: number }[]} */
  const flaky = []
  for (const file of failedOf(counts)) {
    for (let repeated = 1; repeated <= again && counts.get(file)?.failed !== 0; repeated++) {
      const alone = await runOnce([file], 1, stream => report(stream, `again, alone (${repeated} of ${again}): ${path.relative('', file)}`))
      counts.set(file, alone.get(file) ?? { passed: 0, failed: 1, skipped: [] })
      if (alone.get(file)?.failed === 0) flaky.push({ file, runs: repeated + 1 })
    }
  }
  return { counts, flaky, failed: failedOf(counts) }
}

/**
 * @param {string[]} files
 * @param {number} concurrency
 * @param {(stream: import('node:stream').Readable) => Promise<void>} report
 */
async function runOnce (files, concurrency, report) {
  /** @type {Map<string, Counts>} */
  const counts = new Map(files.map(file => [file, { passed: 0, failed: 0, skipped: [] }]))
  if (files.length === 0) return counts // none would be all that Node.js finds by itself
  const stream = run({ files, concurrency, timeout: TIMEOUT_MS })
  stream.on('test:pass', ({ file, name, skip, details }) => {
    const of = counts.get(file ?? '')
    if (of === undefined || details.type === 'suite') return
    if (skip === undefined) of.passed++
    else of.skipped.push({ name, why: String(skip) })
  })
  stream.on('test:fail', ({ file, name }) => {
    const of = counts.get(file ?? '') ?? counts.get(name)
    if (of === undefined) throw new Error(`a failure of no file: ${name}`)
    of.failed++
  })
  await report(stream)
  return counts
}

/** @param {Map<string, Counts>} counts */
function failedOf (counts) {
  return [...counts].filter(([, { failed }]) => failed > 0).map(([file]) => file)
}

module.exports = { runFiles }
