'use strict'

// npm run bench: measures every question of the table below, prints a summary and then the details, and writes docs/overhead.md.
//   node bench/run.js [--only idle-cpu] [--quick] [--json] [--check]
// --quick is for trying the benchmarks themselves: a round or two each, nothing is written. --check is the gate of a release: nothing
// is written either, and the status is 1 where a budget is missed by more than what the same code differs by from itself. Else each
// benchmark's result is kept when it is there, the last one a major version of Node, so that the page shows them beside each other.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { BENCHMARKS, budgetLine, inOrder, overheadPage, resultAsText, summaryAsText } = require('./harness/report')
const { keep, readRuns } = require('./harness/results')
const { scalePage } = require('./harness/scale-page')

/** @import { Result, Run, VersionRun } from './harness/report' */

/** @typedef {{ measure (how: { quick: boolean, progress: (text: string) => void }): Promise<Result> }} Benchmark */

const DOCS = path.join(__dirname, '..', 'docs')
const PAGE = path.join(DOCS, 'overhead.md')

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...BENCHMARKS] },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false }
  }
})

function environment () {
  const [{ model }] = os.cpus()
  return `${model.trim()}, ${os.cpus().length} cores, ${os.type()}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`
}

/** @param {string} text */
function progress (text) {
  process.stderr.write(`  ${text}\n`)
}

/** @param {string} name */
async function measure (name) {
  const startMs = performance.now()
  progress(`${name} …`)
  const result = await /** @type {Benchmark} */ (require(`./${name}`)).measure({ quick: options.quick, progress })
  progress(`${name}: ${((performance.now() - startMs) / 1e3).toFixed(0)} s`)
  return { environment: environment(), ...result }
}

/** @param {Run} results */
async function write (results) {
  keep(results)
  const runs = inOrder(readRuns())
  fs.writeFileSync(PAGE, overheadPage(runs))
  if (results.scale !== undefined) await writeScale(runs)
  progress(`written: ${path.relative(process.cwd(), PAGE)}`)
}

/**
 * One version is enough for its plots: the first that has any.
 * @param {VersionRun[]} runs
 */
async function writeScale (runs) {
  const scale = runs.flatMap(({ results }) => results.scale ?? [])[0]
  const { page, images } = await scalePage(/** @type {any} */ (scale))
  fs.writeFileSync(path.join(DOCS, 'scale.md'), page)
  for (const [name, svg] of Object.entries(images)) fs.writeFileSync(path.join(DOCS, 'images', name), svg)
}

async function main () {
  const unknown = options.only.find(name => !BENCHMARKS.includes(name))
  if (unknown !== undefined) throw new RangeError(`--only must be one of ${BENCHMARKS.join(', ')}, got ${unknown}`)
  const isKept = !options.quick && !options.check
  progress(environment())
  /** @type {Run} */
  const results = {}
  for (const name of options.only) {
    try {
      results[name] = await measure(name)
      if (isKept) await write({ [name]: results[name] }) // at once: a run that is broken off after an hour has not been for nothing
    } catch (error) {
      console.error(error) // the other questions still have their answers
      process.exitCode = 1
    }
  }
  if (options.json) console.log(JSON.stringify(results, null, 2))
  else console.log([summaryAsText(results), ...Object.values(results).map(resultAsText)].join('\n'))
  if (options.check) check(results)
}

/** @param {Run} results */
function check (results) {
  const budgets = Object.entries(results).flatMap(([name, result]) => result.budgets.map(budget => ({ name, budget })))
  console.log('\nBudgets')
  for (const { name, budget } of budgets) console.log(`${name}: ${budgetLine(budget)}`)
  if (budgets.some(({ budget }) => budget.isMet === false)) process.exitCode = 1
}

main()
