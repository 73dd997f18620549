'use strict'

// Results as text for a terminal and as docs/overhead.md. It judges nothing and measures nothing.

/**
 * A line for who wants to know no more.
 * @typedef {object} Headline
 * @property {string} what
 * @property {string} cost    as measured
 * @property {string} beside  what else costs, measured in the same run; '' for nothing
 */

/**
 * @typedef {object} Table
 * @property {string[]} columns
 * @property {(string | number)[][]} rows
 *
 * @typedef {object} Budget
 * @property {string} budget    what was promised
 * @property {string} measured
 * @property {boolean | null} isMet  null: the spread of this run does not tell
 *
 * @typedef {object} Result
 * @property {string} question
 * @property {string} method
 * @property {Table} table
 * @property {{ title: string, table: Table }[]} [details]
 * @property {Budget[]} budgets
 * @property {string[]} [notes]
 * @property {Headline} [headline]
 * @property {import('../scale').Dimension[]} [scale]  what docs/scale.md is made of
 *
 * @typedef {Record<string, Result & { environment: string }>} Run  with one Node version, by name of the benchmark
 *
 * @typedef {{ version: number, results: Run }} VersionRun  version: of Node.js, the first number
 */

const INTRODUCTION = `# Overhead

What loopscope costs, measured beside bare processes and beside other packages in the same run, in turns or side by side. \`npm run bench\` measures it anew and
writes this page; \`node bench/run.js --only <benchmark>\` prints the details of one. Figures are medians with the smallest and the largest round in brackets,
where nothing else is said.
`

const BUDGETS = `## Budgets

Budgets are promises, so a missed one stands here too.
`

// In the order of the page.
const BENCHMARKS = Object.freeze(['agents', 'idle-cpu', 'threads', 'express-hello', 'egress', 'rules', 'request-path', 'dependency-calls', 'waits', 'admin-mount', 'capture-stall', 'heartbeat',
  'start-up', 'whole-process', 'detection', 'sync-calls', 'labels', 'source-maps', 'findings', 'what-if', 'clock', 'heap-sampling', 'allocation-sites', 'heap-histogram', 'heap-comparison', 'group', 'scale'])

// The questions that the page answers with a table: what it takes to be there, and to take a profile.
const ASKED = Object.freeze(['agents', 'idle-cpu', 'start-up', 'whole-process', 'capture-stall'])

// What most people run, and what they will run next, come first.
const HEADLINE_VERSIONS = Object.freeze([24, 26])

/** @param {Table} table */
function toMarkdown ({ columns, rows }) {
  const line = (/** @type {(string | number)[]} */ cells) => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map((_, index) => index === 0 ? '---' : '--:')), ...rows.map(line)].join('\n')
}

/** @param {Table} table */
function toText ({ columns, rows }) {
  const lines = [columns, ...rows].map(cells => cells.map(String))
  const widths = columns.map((_, index) => Math.max(...lines.map(cells => cells[index].length)))
  return lines.map(cells => cells.map((cell, index) => index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index])).join('  ')).join('\n')
}

/** @param {boolean | null} isMet */
function verdictOf (isMet) {
  return isMet === null ? 'not decided by this run' : isMet ? 'met' : 'MISSED'
}

/** @param {Budget} budget */
function budgetLine ({ budget, measured, isMet }) {
  return `${verdictOf(isMet)}: ${budget}; measured ${measured}`
}

/** @param {Result} result */
function resultAsText ({ question, table, details = [], budgets, notes = [] }) {
  const tables = details.map(({ title, table }) => `\n${title}\n${toText(table)}\n`)
  return [`\n${question}`, toText(table), ...tables, ...notes, ...budgets.map(budgetLine)].join('\n')
}

/**
 * As they are shown, the page's headline versions first.
 * @param {VersionRun[]} runs
 */
function inOrder (runs) {
  const rank = (/** @type {VersionRun} */ { version }) => HEADLINE_VERSIONS.includes(version) ? HEADLINE_VERSIONS.indexOf(version) : HEADLINE_VERSIONS.length + version
  return runs.toSorted((left, right) => rank(left) - rank(right))
}

/** @param {VersionRun[]} ordered  inOrder() */
function overheadPage (ordered) {
  const shown = ordered.filter(({ version }) => HEADLINE_VERSIONS.includes(version))
  const sections = ASKED.flatMap(name => {
    const results = shown.flatMap(({ results }) => results[name] ?? [])
    if (results.length === 0) return []
    const { question, method } = results[0]
    return [`## ${question}\n\n${method} (\`bench/${name}.js\`)\n\n${results.map(resultSection).join('\n')}`]
  })
  return [INTRODUCTION, toMarkdown(headlineTable(shown)) + '\n', BUDGETS, toMarkdown(budgetTable(shown)) + '\n', ...sections].join('\n')
}

/**
 * One row for each budget: a missed one stands here too.
 * @param {VersionRun[]} shown
 * @returns {Table}
 */
function budgetTable (shown) {
  const rowsOf = (/** @type {string} */ name) => {
    const budgets = new Set(shown.flatMap(({ results }) => results[name]?.budgets.map(({ budget }) => budget) ?? []))
    return [...budgets].map(budget => [budget, `\`${name}\``, ...shown.map(({ results }) => {
      const found = results[name]?.budgets.find(one => one.budget === budget)
      return found === undefined ? 'not measured' : `${verdictOf(found.isMet)}: ${found.measured}`
    })])
  }
  return { columns: ['budget', 'benchmark', ...shown.map(({ version }) => `Node ${version}`)], rows: BENCHMARKS.flatMap(rowsOf) }
}

/**
 * What all benchmarks of one run found, a line for each headline and each budget.
 * @param {Run} results
 */
function summaryAsText (results) {
  const rows = Object.entries(results).flatMap(([name, { headline, budgets }]) => [
    ...headline === undefined ? [] : [['', name, `${headline.what}: ${headline.cost}${headline.beside && ` (${headline.beside})`}`]],
    ...budgets.map(({ budget, measured, isMet }) => [verdictOf(isMet), name, `${budget}: ${measured}`])
  ])
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column].length)))
  return rows.map(([verdict, name, text]) => `${verdict.padEnd(widths[0])}  ${name.padEnd(widths[1])}  ${text}`).join('\n')
}

/**
 * @param {VersionRun[]} shown
 * @returns {Table}
 */
function headlineTable (shown) {
  const cell = (/** @type {Headline | undefined} */ headline) => headline === undefined ? 'not measured' : headline.cost + (headline.beside && ` (${headline.beside})`)
  return {
    columns: ['in short', ...shown.map(({ version }) => `Node ${version}`)],
    rows: BENCHMARKS.flatMap(name => {
      const headlines = shown.map(({ results }) => results[name]?.headline)
      const known = headlines.find(headline => headline !== undefined)
      if (known === undefined) return []
      return [[ASKED.includes(name) ? `[${known.what}](#${anchorOf(shown, name)})` : known.what, ...headlines.map(cell)]]
    })
  }
}

/**
 * As GitHub makes them of headings.
 * @param {VersionRun[]} runs
 * @param {string} name
 */
function anchorOf (runs, name) {
  const { question } = /** @type {VersionRun} */ (runs.find(({ results }) => results[name] !== undefined)).results[name]
  return question.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '').replaceAll(' ', '-')
}

/** @param {Run[string]} result */
function resultSection ({ environment, table, notes = [] }) {
  const remarks = notes.length === 0 ? '' : `\n${notes.map(line => `* ${line}`).join('\n')}\n`
  return `*${environment}*\n\n${toMarkdown(table)}\n${remarks}`
}

module.exports = { BENCHMARKS, budgetLine, resultAsText, summaryAsText, overheadPage, inOrder, toMarkdown }
