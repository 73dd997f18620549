'use strict'

// Runs the test suites of public packages twice, without us and with the exact detector preloaded into every process, and
// compares them test by test:
//
//   node test/suites/suites.js [--only pino]
//
// Exits with 1 when a test ends otherwise with us than without. Files where tests differ are run once more on either side: a
// test that does not say the same twice without us, or differs the first time only, is listed and left out.
//
// It installs the packages of packages.js into a folder of its own under the temporary directory, and removes it.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { SUITES } = require('./packages')
const { compare } = require('./compare')

/** @import { Suite } from './packages' */
/** @import { Result, Difference } from './compare' */

const REGISTER = require.resolve('../../lib/register')
const REPORTER = path.join(__dirname, 'names-reporter.js')
const RUN_LIMIT_MS = 240_000 // the slowest suite takes 90 s on two busy cores
const TEST_FILE = /\.test\.(js|mjs)$/

/**
 * @param {Suite} suite
 * @param {string} scratch
 * @returns {string} the folder of the package, with its dependencies
 */
function install ({ name, version, devDependencies }, scratch) {
  const packed = JSON.parse(npm(scratch, 'pack', `${name}@${version}`, '--json', '--silent'))
  const folder = path.join(scratch, name.replaceAll('/', '-'))
  fs.mkdirSync(folder)
  const { status } = spawnSync('tar', ['-xzf', path.join(scratch, packed[0].filename), '-C', folder, '--strip-components=1'], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${name}: tar failed`)
  const manifest = path.join(folder, 'package.json')
  const { scripts, ...rest } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
  fs.writeFileSync(manifest, JSON.stringify({ ...rest, devDependencies }, null, 2))
  npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent')
  return folder
}

/**
 * @param {string} cwd
 * @param {...string} args
 */
function npm (cwd, ...args) {
  const { status, stdout } = spawnSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed`)
  return stdout
}

/**
 * @param {Suite} suite
 * @param {string} folder
 * @returns {string[]} by name: `node --test` of Node.js 20 expands no patterns
 */
function testFiles ({ leftOut }, folder) {
  return fs.readdirSync(path.join(folder, 'test'), { recursive: true, encoding: 'utf8' })
    .map(file => path.join('test', file))
    .filter(file => TEST_FILE.test(file) && !leftOut.includes(file))
    .sort()
}

/**
 * @param {string} folder
 * @param {string[]} files
 * @param {{ isPreloaded: boolean }} options
 * @returns {Promise<Result[]>}
 */
async function run (folder, files, { isPreloaded }) {
  const results = path.join(folder, 'results.jsonl')
  fs.rmSync(results, { force: true })
  const child = spawn(process.execPath, ['--test', '--test-concurrency=2', `--test-reporter=${REPORTER}`, `--test-reporter-destination=${results}`, ...files], {
    cwd: folder,
    env: { ...cleanEnvironment(), ...(isPreloaded && { NODE_OPTIONS: `--require ${JSON.stringify(REGISTER)}`, LOOPSCOPE_SYNC_CALLS: 'true' }) },
    stdio: 'ignore',
    detached: process.platform !== 'win32' // so that the limit ends the tests too, and not only their runner
  })
  const isLate = await endsLate(child)
  if (isLate) throw new Error(`${path.basename(folder)}: not done after ${RUN_LIMIT_MS / 1e3} s ${isPreloaded ? 'with us' : 'without us'}`)
  return fs.readFileSync(results, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line))
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<boolean>}
 */
function endsLate (child) {
  return new Promise((resolve, reject) => {
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      if (process.platform === 'win32') child.kill()
      else process.kill(-Number(child.pid), 'SIGKILL')
    }, RUN_LIMIT_MS)
    child.once('error', reject).once('close', () => {
      clearTimeout(limit)
      resolve(isLate)
    })
  })
}

/** What belongs to us, or to a test runner around this script, must not reach the suites. */
function cleanEnvironment () {
  return Object.fromEntries(Object.entries(process.env)
    .filter(([name]) => !/^(LOOPSCOPE_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$)/.test(name)))
}

/**
 * @param {Suite} suite
 * @param {string} scratch
 */
async function check (suite, scratch) {
  const folder = install(suite, scratch)
  const files = testFiles(suite, folder)
  const from = Date.now()
  const without = await run(folder, files, { isPreloaded: false })
  const between = Date.now()
  const withUs = await run(folder, files, { isPreloaded: true })
  const row = {
    package: `${suite.name} ${suite.version}`,
    tests: without.length,
    passed: count(without, 'pass'),
    'passed with us': count(withUs, 'pass'),
    seconds: Math.round((between - from) / 1e3),
    'seconds with us': Math.round((Date.now() - between) / 1e3)
  }
  const { differences, flaky } = await confirm(folder, compare(without, withUs))
  return { row: { ...row, differences: differences.length, flaky: flaky.length }, differences, flaky }
}

/**
 * @param {string} folder
 * @param {Difference[]} suspects
 * @returns {Promise<{ differences: Difference[], flaky: Difference[] }>}
 */
async function confirm (folder, suspects) {
  if (suspects.length === 0) return { differences: [], flaky: [] }
  const files = [...new Set(suspects.map(({ file }) => file))].filter(file => fs.existsSync(path.join(folder, file)))
  const without = await run(folder, files, { isPreloaded: false })
  const again = new Map(compare(without, await run(folder, files, { isPreloaded: true })).map(found => [keyOf(found), found]))
  const isSteady = (/** @type {Difference} */ suspect) => {
    const found = again.get(keyOf(suspect))
    return found !== undefined && found.without === suspect.without
  }
  return { differences: suspects.filter(isSteady), flaky: suspects.filter(suspect => !isSteady(suspect)) }
}

/** @param {Difference} difference */
function keyOf ({ file, name }) {
  return JSON.stringify([file, name])
}

/**
 * @param {Result[]} results
 * @param {string} wanted
 */
function count (results, wanted) {
  return results.filter(({ outcome }) => outcome === wanted).length
}

async function main () {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  const suites = SUITES.filter(({ name }) => values.only === undefined || name === values.only)
  if (suites.length === 0) throw new Error(`--only: ${SUITES.map(({ name }) => name).join(', ')}`)
  const scratch = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'loopscope-suites-'))
  const reports = []
  try {
    for (const suite of suites) reports.push(await check(suite, scratch))
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
  console.log(`Node.js ${process.version}`)
  console.table(reports.map(({ row }) => row))
  for (const { differences, flaky, row } of reports) {
    for (const one of flaky) console.log(`flaky, left out: ${row.package} ${one.file}: ${one.name} (${one.without}, with us ${one.with}; not so the second time)`)
    for (const one of differences) console.log(`DIFFERENT: ${row.package} ${one.file}: ${one.name} (${one.without}, with us ${one.with})`)
  }
  const isEmpty = reports.some(({ row }) => row.passed === 0)
  if (isEmpty) console.log('FAILED: a suite of which no test passes proves nothing')
  process.exitCode = isEmpty || reports.some(({ differences }) => differences.length > 0) ? 1 : 0
}

main()
