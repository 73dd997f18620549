'use strict'

// Runs the whole suite on every supported Node.js: `npm run test:nodes`, or `node test/nodes.js --only 22` for one of them.
// Each is fetched once, as the npm package that holds its binary, and kept in .nodes/.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline')
const { parseArgs } = require('node:util')

const MAJORS = ['20', '22', '24', '26']
const ROOT = path.resolve(__dirname, '..')
const CACHE = path.join(ROOT, '.nodes')
const PROGRESS_MS = 15_000

const isWindows = process.platform === 'win32'
const PACKAGE = `node-${isWindows ? 'win' : process.platform}-${process.arch}`

/**
 * @param {string} major
 * @returns {string} path of its binary
 */
function fetchNode (major) {
  const folder = path.join(CACHE, major)
  const binary = path.join(folder, 'node_modules', PACKAGE, 'bin', isWindows ? 'node.exe' : 'node')
  if (fs.existsSync(binary)) return binary
  console.log(`Node.js ${major}: fetching ${PACKAGE}@${major}`)
  fs.mkdirSync(folder, { recursive: true })
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${PACKAGE}@${major}`], { stdio: 'inherit', shell: isWindows })
  if (status !== 0 || !fs.existsSync(binary)) throw new Error(`npm could not install ${PACKAGE}@${major}`)
  return binary
}

/** The files by name: `node --test` of Node.js 20 expands no patterns. */
function testFiles () {
  const folders = fs.readdirSync(__dirname, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return folders.flatMap(({ name }) => fs.readdirSync(path.join(__dirname, name))
    .filter(file => file.endsWith('.test.js'))
    .map(file => path.join('test', name, file)))
}

/**
 * @param {string} major
 * @returns {Promise<{ version: string, pass: number, fail: number, skipped: number, seconds: number }>}
 */
async function runSuite (major) {
  const binary = fetchNode(major)
  const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim()
  const report = path.join(CACHE, `${major}.txt`)
  const from = Date.now()
  const child = spawn(binary, ['--test', '--test-concurrency=2', '--test-timeout=180000',
    '--test-reporter=spec', `--test-reporter-destination=${report}`,
    '--test-reporter=tap', '--test-reporter-destination=stdout',
    ...testFiles()
  ], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise(resolve => child.once('close', resolve))
  const totals = await follow(child.stdout, version)
  const status = await closed
  const seconds = Math.round((Date.now() - from) / 1000)
  // A run that was cut short has no totals; cancelled tests are counted apart from failed ones.
  const fail = (totals.fail ?? 0) + (totals.cancelled ?? 0) || (status === 0 ? 0 : 1)
  if (fail > 0) console.log(`${fs.readFileSync(report, 'utf8')}\nNode.js ${version}: the report above is in ${path.relative(ROOT, report)}`)
  return { version, pass: totals.pass ?? 0, fail, skipped: totals.skipped ?? 0, seconds }
}

/**
 * Prints a line now and then, and failures at once.
 * @param {import('node:stream').Readable} tap
 * @param {string} version
 * @returns {Promise<Record<string, number>>} the totals at the end of the output
 */
async function follow (tap, version) {
  /** @type {Record<string, number>} */
  const totals = {}
  let done = 0
  const progress = setInterval(() => console.log(`Node.js ${version}: ${done} tests done`), PROGRESS_MS)
  for await (const line of readline.createInterface({ input: tap })) {
    const [, failed, name] = /^\s*(not )?ok \d+ - (.*)/.exec(line) ?? []
    if (name !== undefined) done++
    if (failed !== undefined) console.log(`Node.js ${version}: FAILED ${name}`)
    const [, total, count] = /^# (pass|fail|cancelled|skipped) (\d+)$/.exec(line) ?? []
    if (total !== undefined) totals[total] = Number(count)
  }
  clearInterval(progress)
  return totals
}

async function main () {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
  const { only = MAJORS } = values
  const unknown = only.filter(major => !MAJORS.includes(major))
  if (unknown.length > 0) throw new Error(`--only takes ${MAJORS.join(', ')}, got ${unknown.join(', ')}`)
  const results = []
  for (const major of only) results.push(await runSuite(major))
  console.log()
  for (const { version, pass, fail, skipped, seconds } of results) {
    console.log(`Node.js ${version}: ${pass} passed, ${fail} failed, ${skipped} skipped, ${seconds} s`)
  }
  const sum = (/** @type {'pass' | 'fail'} */ what) => results.reduce((total, result) => total + result[what], 0)
  console.log(`${sum('pass')} passed, ${sum('fail')} failed`)
  process.exitCode = sum('fail') > 0 ? 1 : 0
}

main().catch(error => {
  console.error(error.message)
  process.exitCode = 1
})
