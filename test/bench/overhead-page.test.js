'use strict'

// docs/overhead.md, as the benchmarks have it written.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { BENCHMARKS, inOrder, overheadPage } = require('../../bench/harness/report')
const { readRuns } = require('../../bench/harness/results')

const PAGE = path.join(__dirname, '../../docs/overhead.md')
const MAX_LINES = 10

/** @param {string} page */
function linesInShort (page) {
  const lines = page.split('\n')
  const first = lines.findIndex(line => line.startsWith('| in short'))
  return lines.slice(first + 2, lines.findIndex((line, at) => at > first && !line.startsWith('|')))
}

test('what is kept of the runs makes the page: no figure stands there that no benchmark printed', () => {
  const runs = inOrder(readRuns())
  assert.equal(overheadPage(runs), fs.readFileSync(PAGE, 'utf8'))
  assert.deepEqual(runs.flatMap(({ results }) => Object.keys(results)).filter(name => !BENCHMARKS.includes(name)), [])
})

test('the page leads with ten lines at most, and has at most five tables beside them and the budgets', () => {
  const page = fs.readFileSync(PAGE, 'utf8')
  const lines = linesInShort(page)
  assert.ok(lines.length > 0 && lines.length <= MAX_LINES, `${lines.length} lines`)
  for (const line of lines) assert.match(line, /^\| .+ \| .+ \| .+ \|$/)
  assert.ok([...page.matchAll(/\(`bench\/[\w-]+\.js`\)$/gm)].length <= 5)
})

test('every budget of a kept result has its row on the page', () => {
  const page = fs.readFileSync(PAGE, 'utf8')
  for (const { version, results } of readRuns().filter(({ version }) => version >= 24)) {
    for (const [name, { budgets }] of Object.entries(results)) {
      for (const { budget } of budgets) assert.ok(page.includes(`| ${budget} | \`${name}\` |`), `Node ${version}, ${name}: ${budget}`)
    }
  }
})
