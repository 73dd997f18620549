'use strict'

// Runs other people's tests without us and with us preloaded into every process, as we are by default and with the exact
// detector, and compares them test by test:
//
//   node test/suites/suites.js [--only pino]
//
// Exits with 1 when a test ends otherwise with us than without. Files where tests differ are run once more on either side: a
// test that does not say the same twice without us, or differs the first time only, is listed and left out. So is one whose
// difference has a reason in reasons.js, if it differs in the same way with that reason's control, which has nothing of ours.
//
// It installs what packages.js lists into a folder of its own under the temporary directory, and removes it.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { SUITES } = require('./packages')
const { REASONS } = require('./reasons')
const { compare } = require('./compare')
const { fetchSuite } = require('./fetch-suite')
const { runSuite, testFiles } = require('./run-suite')

/** @import { Suite } from './packages' */
/** @import { Result, Difference } from './compare' */

/** @typedef {(files: string[], env: Record<string, string>) => Promise<Result[]>} Run */

const preload = (/** @type {string} */ file) => ({ NODE_OPTIONS: `--require ${JSON.stringify(file)}` })
const REGISTER = preload(require.resolve('../../lib/register'))
const WITHOUT = {}
const CONTROL_RUNS = 5

/** @type {Record<string, Record<string, string>>} */
const MODES = { default: { ...REGISTER, LOOPSCOPE_START_AT_ONCE: 'true' }, exact: { ...REGISTER, LOOPSCOPE_SYNC_CALLS: 'true' } }

/**
 * @param {Suite} suite
 * @param {string} scratch
 */
async function check (suite, scratch) {
  const { folder, version } = fetchSuite(suite, scratch)
  const files = testFiles(suite, folder)
  /** @type {Run} */
  const run = (some, env) => runSuite(suite, folder, some, env)
  const title = `${suite.name} ${version}`
  const without = await timed(`${title} without us`, () => run(files, WITHOUT))
  const rows = []
  for (const [mode, env] of Object.entries(MODES)) {
    const withUs = await timed(`${title} with us, ${mode}`, () => run(files, env))
    const found = await judge(suite, run, env, compare(without, withUs))
    rows.push({
      row: {
        package: title,
        mode,
        tests: without.length,
        passed: count(without, 'pass'),
        'passed with us': count(withUs, 'pass'),
        differences: found.differences.length,
        explained: found.explained.length,
        flaky: found.flaky.length
      },
      ...found
    })
  }
  return rows
}

/**
 * @param {Suite} suite
 * @param {Run} run
 * @param {Record<string, string>} env
 * @param {Difference[]} suspects
 */
async function judge (suite, run, env, suspects) {
  const { steady, flaky } = await repeat(run, env, suspects)
  const explained = await explain(suite, run, steady)
  return { flaky, explained, differences: steady.filter(one => !explained.includes(one)) }
}

/**
 * @param {Run} run
 * @param {Record<string, string>} env
 * @param {Difference[]} suspects
 */
async function repeat (run, env, suspects) {
  const files = filesOf(suspects)
  if (files.length === 0) return { steady: suspects, flaky: [] }
  const again = compare(await run(files, WITHOUT), await run(files, env))
  const isSteady = (/** @type {Difference} */ suspect) => again.some(found => isSame(found, suspect) && found.without === suspect.without)
  return { steady: suspects.filter(isSteady), flaky: suspects.filter(suspect => !isSteady(suspect)) }
}

/**
 * @param {Suite} suite
 * @param {Run} run
 * @param {Difference[]} differences
 * @returns {Promise<Difference[]>} those that the control of a reason makes too
 */
async function explain (suite, run, differences) {
  const explained = []
  for (const { control, files } of REASONS.filter(({ suite: name }) => name === suite.name)) {
    const meant = differences.filter(({ file }) => files.includes(file))
    explained.push(...await madeBy(control, run, meant))
  }
  return explained
}

/**
 * Not each time: what a control does takes less time than what we do, and can be over before the test looks.
 * @param {string} control
 * @param {Run} run
 * @param {Difference[]} differences
 */
async function madeBy (control, run, differences) {
  let unmade = differences
  for (let time = 0; time < CONTROL_RUNS && unmade.length > 0; time++) {
    const files = filesOf(unmade)
    const found = compare(await run(files, WITHOUT), await run(files, preload(control)))
    unmade = unmade.filter(one => !found.some(other => isSame(one, other) && one.with === other.with))
  }
  return differences.filter(one => !unmade.includes(one))
}

/** @param {Difference[]} differences */
function filesOf (differences) {
  return [...new Set(differences.map(({ file }) => file))]
}

/**
 * @param {Difference} one
 * @param {Difference} other
 */
function isSame (one, other) {
  return one.file === other.file && one.name === other.name
}

/**
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 */
async function timed (title, work) {
  const from = Date.now()
  const result = await work()
  console.log(`${title}: ${Math.round((Date.now() - from) / 1e3)} s`)
  return result
}

/**
 * @param {Result[]} results
 * @param {string} wanted
 */
function count (results, wanted) {
  return results.filter(({ outcome }) => outcome === wanted).length
}

async function main () {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
  const suites = SUITES.filter(({ name }) => values.only?.includes(name) ?? true)
  if (suites.length === 0) throw new Error(`--only: ${SUITES.map(({ name }) => name).join(', ')}`)
  const scratch = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-suites-'))
  const reports = []
  console.log(`Node.js ${process.version}`)
  try {
    for (const suite of suites) reports.push(...await check(suite, scratch))
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
  console.table(reports.map(({ row }) => row))
  for (const { differences, explained, flaky, row } of reports) {
    const tell = (/** @type {string} */ what, /** @type {Difference} */ { file, name, without, with: withUs }) =>
      console.log(`${what}: ${row.package}, ${row.mode}: ${name === file ? '' : `${file}: `}${name} (${without}, with us ${withUs})`)
    for (const one of flaky) tell('flaky, left out', one)
    for (const one of explained) tell('explained', one)
    for (const one of differences) tell('DIFFERENT', one)
  }
  const isEmpty = reports.some(({ row }) => row.passed === 0)
  if (isEmpty) console.log('FAILED: a suite of which no test passes proves nothing')
  process.exitCode = isEmpty || reports.some(({ differences }) => differences.length > 0) ? 1 : 0
}

main()
