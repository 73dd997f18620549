'use strict'

// Runs the tests on every supported Node.js: `npm run test:nodes`, or `node test/runner/nodes.js --only 22` for one of them.
// Each is fetched once, as the npm package that holds its binary, and kept in .nodes/. On each runs what depends on the version; on the
// newest LTS also what takes long, of all areas, and without --others what says the same everywhere. --all asks for all of it on all;
// of areas that are named, everything runs. --others leaves out the one that runs this, where `npm test` has run what says the same
// everywhere. --areas, --again and --required are those of run.js.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { parseArgs } = require('node:util')

const ROOT = path.resolve(__dirname, '../..')
const CACHE = path.join(ROOT, '.nodes')

const MAJORS = ['24', '26', '22', '20']
const WHOLE = '24'

/** What says the same on every Node.js that runs it at all. */
const SAME_EVERYWHERE = {
  formats: 'data in, bytes out',
  metrics: 'tables, and text for Prometheus',
  options: 'a table',
  types: 'read by the compiler',
  internal: 'tables, documents, rules about the source',
  store: 'files',
  examples: 'what the other areas test, in one piece',
  interop: 'other programs read what was written',
  frameworks: 'run apart, on the Node.js that most people run',
  truth: 'run apart, on the Node.js that most people run, and on 20 for a release',
  cli: 'a client: what depends on the version is in the process that it asks',
  deploy: 'files for other programs',
  page: 'code for browsers',
  marks: 'a list in memory',
  runner: 'of these scripts',
  suites: 'of these scripts',
  bench: 'numbers in, a verdict out',
  findings: 'rules over plain data, and the answers of whole processes'
}

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

/**
 * @param {string} major
 * @param {string[]} args  for run.js
 * @returns {Promise<{ status: number | null, last: string }>} and the line with the totals
 */
async function runTests (major, args) {
  const binary = fetchNode(major)
  const report = path.join(CACHE, `${major}${args.includes('--slow') ? '-slow' : ''}.txt`)
  fs.rmSync(report, { force: true })
  const child = spawn(binary, [path.join(__dirname, 'run.js'), '--report', report, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = new Promise(resolve => child.once('close', resolve))
  let last = `Node.js ${major}: no totals`
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line)
    last = line || last
  }
  const status = await closed
  if (status !== 0 && fs.existsSync(report)) console.log(`${fs.readFileSync(report, 'utf8')}\nNode.js ${major}: the report above is in ${path.relative(ROOT, report)}`)
  return { status, last }
}

async function main () {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      others: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      areas: { type: 'string' },
      again: { type: 'string', default: '0' },
      required: { type: 'string' }
    }
  })
  const { only = MAJORS.filter(major => !values.others || major !== process.versions.node.split('.')[0]) } = values
  const unknown = only.filter(major => !MAJORS.includes(major))
  if (unknown.length > 0) throw new Error(`--only takes ${MAJORS.join(', ')}, got ${unknown.join(', ')}`)
  const results = []
  for (const major of only) {
    const isWhole = values.all || major === WHOLE
    const areas = values.areas ?? (values.all || (isWhole && !values.others) ? '-' : `-${Object.keys(SAME_EVERYWHERE).join(',')}`)
    const args = ['--again', values.again, ...values.required === undefined ? [] : ['--required', values.required]]
    results.push(await runTests(major, [`--areas=${areas}`, ...args]))
    if (values.areas !== undefined || isWhole) results.push(await runTests(major, [`--areas=${values.areas ?? '-'}`, ...args, '--slow']))
  }
  console.log('\nAll of them:')
  for (const { last } of results) console.log(`  ${last}`)
  process.exitCode = results.every(({ status }) => status === 0) ? 0 : 1
}

main().catch(error => {
  console.error(error.message)
  process.exitCode = 1
})
