'use strict'

// The tests of this project, on the Node.js that runs this:
//
//   node test/runner/run.js                  what `npm test` runs
//   node test/runner/run.js --slow           what takes long, is destructive, or talks to other programs
//   node test/runner/run.js <file…>          these
//
//   --limit seconds        a file that takes longer is ended with all that it started, and has failed
//   --areas=a,b            only folders of test/ with these names; with a minus before the first, all but these
//   --again n              a file that failed is run again, alone, at most n times: one that passes then is called flaky
//   --required text        a test that is skipped for a reason that holds this text has failed
//   --report file          the full report goes there; printed are progress, failures and the totals

const fs = require('node:fs')
const path = require('node:path')
const { PassThrough } = require('node:stream')
const { pipeline } = require('node:stream/promises')
const { spec } = require('node:test/reporters')
const { parseArgs } = require('node:util')
const { testFiles } = require('./files')
const { runFiles } = require('./run-files')

// Two at a time keep two processors busy for 70 % of the time: tests wait for processes to start, and for what they watch.
const CONCURRENCY = 3
const PROGRESS_MS = 15_000
// Seconds. Many times what a file takes, for machines that are short of processors; some of the slow ones build a framework.
const LIMIT = '300'
const SLOW_LIMIT = '600'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    slow: { type: 'boolean', default: false },
    limit: { type: 'string' },
    areas: { type: 'string', default: '-' },
    again: { type: 'string', default: '0' },
    required: { type: 'string' },
    report: { type: 'string' }
  }
})

/** @param {string} areas */
function toWants (areas) {
  const names = areas.replace(/^-/, '').split(',')
  return (/** @type {string} */ area) => names.includes(area) !== areas.startsWith('-')
}

/**
 * @param {import('node:stream').Readable} stream
 * @param {string} title
 */
async function print (stream, title) {
  if (title !== '') console.log(`\n${title}`)
  if (values.report === undefined) return pipeline(stream, new spec(), new PassThrough().on('data', text => process.stdout.write(text))) // eslint-disable-line new-cap
  let done = 0
  stream.on('test:pass', () => done++)
  stream.on('test:fail', ({ name, file }) => console.log(`FAILED ${name} (${path.relative('', file ?? '')})`))
  const progress = setInterval(() => console.log(`${done} tests done`), PROGRESS_MS)
  try {
    await pipeline(stream, new spec(), fs.createWriteStream(values.report, { flags: title === '' ? 'w' : 'a' })) // eslint-disable-line new-cap
  } finally {
    clearInterval(progress)
  }
}

async function main () {
  const files = positionals.length > 0 ? positionals.map(file => path.resolve(file)) : testFiles({ slow: values.slow, wants: toWants(values.areas) })
  const { limit = values.slow || positionals.length > 0 ? SLOW_LIMIT : LIMIT } = values
  const { counts, flaky, failed } = await runFiles(files, { concurrency: CONCURRENCY, limitMs: Number(limit) * 1000, again: Number(values.again), report: print })
  const all = [...counts.values()]
  const missing = all.flatMap(({ skipped }) => skipped).filter(({ why }) => values.required !== undefined && why.includes(values.required))
  const sum = (/** @type {(of: typeof all[0]) => number} */ of) => all.reduce((total, counts) => total + of(counts), 0)
  console.log()
  for (const { name, why } of missing) console.log(`skipped, and must not be: ${name}: ${why}`)
  for (const file of failed) console.log(`failed: ${path.relative('', file)}`)
  for (const { file, runs } of flaky) console.log(`flaky: ${path.relative('', file)} passed in run ${runs} only`)
  console.log(`${process.version}: ${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed) + missing.length} failed, ` +
    `${sum(({ skipped }) => skipped.length)} skipped, ${flaky.length} flaky`)
  process.exitCode = failed.length + missing.length > 0 ? 1 : 0
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
