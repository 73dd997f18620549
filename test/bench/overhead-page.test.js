'use strict'

// docs/overhead.md, as the benchmarks have it written.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const test = require('node:test')
const { inOrder, overheadPage } = require('../../bench/harness/report')
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
  const page = fs.readFileSync(PAGE, 'utf8')
  const sections = [...page.matchAll(/\(`bench\/([\w-]+)\.js`\)$/gm)].map(([, name]) => name)
  const runs = inOrder(readRuns())
  assert.deepEqual(new Set(sections), new Set(runs.flatMap(({ results }) => Object.keys(results))))
  assert.equal(overheadPage(runs, sections), page)
})

test('the page leads with ten lines at most', () => {
  const lines = linesInShort(fs.readFileSync(PAGE, 'utf8'))
  assert.ok(lines.length > 0 && lines.length <= MAX_LINES, `${lines.length} lines`)
  for (const line of lines) assert.match(line, /^\| \[.+\]\(#.+\) \| .+ \| .+ \|$/)
})
