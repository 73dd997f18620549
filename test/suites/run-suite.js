'use strict'

// Runs a suite, or some files of it, once: what each of its tests said. Three runners: node:test, mocha, and programs of
// which each is a test, as Node.js's own are.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** @import { Suite } from './packages' */
/** @import { Result } from './compare' */

const REPORTER = path.join(__dirname, 'names-reporter.js')
const RUN_LIMIT_MS = 240_000 // the slowest suite takes 90 s on two busy cores
const PROGRAM_LIMIT_MS = 60_000
const AT_ONCE = 2

/** @type {Record<Suite['runner'], (suite: Suite, folder: string, files: string[], env: NodeJS.ProcessEnv) => Promise<Result[]>>} */
const RUNNERS = { 'node-test': runNodeTest, mocha: runMocha, programs: runPrograms }

/**
 * @param {Suite} suite
 * @param {string} folder
 * @param {string[]} files
 * @param {Record<string, string>} added  to the environment
 * @returns {Promise<Result[]>}
 */
function runSuite (suite, folder, files, added) {
  return RUNNERS[suite.runner](suite, folder, files, { ...cleanEnvironment(), ...added })
}

/**
 * @param {Suite} suite
 * @param {string} folder
 * @returns {string[]} by name: `node --test` of Node.js 20 expands no patterns
 */
function testFiles ({ files, leftOut }, folder) {
  const top = fs.existsSync(path.join(folder, 'test')) ? 'test' : '.'
  return fs.readdirSync(path.join(folder, top), { recursive: true, encoding: 'utf8' })
    .filter(file => files.test(file) && !leftOut.includes(path.join(top, file)))
    .map(file => path.join(top, file))
    .sort()
}

/** @type {RUNNERS[string]} */
async function runNodeTest (suite, folder, files, env) {
  const results = path.join(folder, 'results.jsonl')
  fs.rmSync(results, { force: true })
  const { isLate } = await run(['--test', `--test-concurrency=${AT_ONCE}`, `--test-reporter=${REPORTER}`, `--test-reporter-destination=${results}`, ...files], folder, env, RUN_LIMIT_MS)
  if (isLate) throw new Error(`${suite.name}: not done after ${RUN_LIMIT_MS / 1e3} s`)
  const lines = fs.readFileSync(results, 'utf8').split('\n').filter(Boolean)
  fs.rmSync(results)
  return lines.map(line => JSON.parse(line))
}

/** @type {RUNNERS[string]} */
async function runMocha (suite, folder, files, env) {
  const results = path.join(folder, 'results.json')
  fs.rmSync(results, { force: true })
  const mocha = path.join(folder, 'node_modules/mocha/bin/mocha.js')
  const { isLate } = await run([mocha, ...suite.mocha ?? [], '--reporter', 'json', '--reporter-option', `output=${results}`, ...files], folder, env, RUN_LIMIT_MS)
  if (isLate) throw new Error(`${suite.name}: not done after ${RUN_LIMIT_MS / 1e3} s`)
  const report = JSON.parse(fs.readFileSync(results, 'utf8'))
  const outcomes = { pass: report.passes, fail: report.failures, skip: report.pending }
  return Object.entries(outcomes).flatMap(([outcome, tests]) => tests.map((/** @type {{ file: string, fullTitle: string }} */ test) =>
    ({ file: path.relative(folder, test.file), name: test.fullTitle, outcome })))
}

/** @type {RUNNERS[string]} */
async function runPrograms (suite, folder, files, env) {
  const waiting = [...files]
  /** @type {Result[]} */
  const results = []
  const lane = async (/** @type {number} */ number) => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      results.push({ file, name: file, outcome: await runProgram(folder, file, { ...env, TEST_THREAD_ID: String(number), TEST_SERIAL_ID: String(number) }) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => lane(index + 1)))
  return results
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 */
async function runProgram (folder, file, env) {
  const [, flags = ''] = /^\/\/ Flags: (.*)$/m.exec(fs.readFileSync(path.join(folder, file), 'utf8')) ?? []
  const { isLate, code, signal, output } = await run([...flags.split(' ').filter(Boolean), file], folder, env, PROGRAM_LIMIT_MS)
  if (isLate) return 'late'
  if (/^1\.\.0 # Skipped/m.test(output)) return 'skip'
  return code === 0 ? 'pass' : `fail ${code ?? signal}`
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @param {number} limitMs
 * @returns {Promise<{ isLate: boolean, code: number | null, signal: string | null, output: string }>}
 */
function run (args, cwd, env, limitMs) {
  return new Promise((resolve, reject) => {
    // A group of its own where there are groups, so that the limit ends the tests too, and not only their runner.
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: process.platform !== 'win32' })
    let isLate = false
    let output = ''
    child.stdout.on('data', chunk => { if (output.length < 10_000) output += chunk })
    const limit = setTimeout(() => {
      isLate = true
      end(child)
    }, limitMs)
    child.once('error', reject).once('exit', (code, signal) => {
      clearTimeout(limit)
      if (!isLate) end(child) // what a test left running would disturb the next one
      resolve({ isLate, code, signal, output })
    })
  })
}

/** @param {import('node:child_process').ChildProcess} child */
function end (child) {
  try {
    if (process.platform === 'win32') child.kill()
    else process.kill(-Number(child.pid), 'SIGKILL')
  } catch {} // nobody is left
}

/** What belongs to us, or to a test runner around this script, must not reach the suites. */
function cleanEnvironment () {
  return Object.fromEntries(Object.entries(process.env)
    .filter(([name]) => !/^(LOOPSCOPE_|NODE_OPTIONS$|NODE_TEST_CONTEXT$|NODE_V8_COVERAGE$)/.test(name)))
}

module.exports = { runSuite, testFiles }
