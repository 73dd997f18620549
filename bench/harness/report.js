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

What loopscope costs, measured beside bare processes and beside other packages in the same run. \`npm run bench\` measures it anew and
writes this page; budgets are promises, so a missed one stands here too. What a case is compared with was measured in the same run, in turns with it or side
by side; where the least that could do the same is known, it is one of the cases. Figures are medians with the smallest and the largest round in brackets,
where nothing else is said.
`

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

/** @param {Budget} budget */
function budgetLine ({ budget, measured, isMet }) {
  const verdict = isMet === null ? 'not decided by this run' : isMet ? 'met' : 'MISSED'
  return `${verdict}: ${budget}; measured ${measured}`
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

/**
 * @param {VersionRun[]} ordered  inOrder()
 * @param {string[]} names  of all benchmarks, in order
 */
function overheadPage (ordered, names) {
  const sections = names.flatMap(name => {
    const results = ordered.flatMap(({ results }) => results[name] ?? [])
    if (results.length === 0) return []
    const { question, method } = results[0]
    return [`## ${question}\n\n${method} (\`bench/${name}.js\`)\n\n${results.map(resultSection).join('\n')}`]
  })
  return [INTRODUCTION, toMarkdown(headlineTable(ordered, names)) + '\n', ...sections].join('\n')
}

/**
 * @param {VersionRun[]} runs
 * @param {string[]} names
 * @returns {Table}
 */
function headlineTable (runs, names) {
  const shown = runs.filter(({ version }) => HEADLINE_VERSIONS.includes(version))
  const cell = (/** @type {Headline | undefined} */ headline) => headline === undefined ? 'not measured' : headline.cost + (headline.beside && ` (${headline.beside})`)
  return {
    columns: ['in short', ...shown.map(({ version }) => `Node ${version}`)],
    rows: names.flatMap(name => {
      const headlines = shown.map(({ results }) => results[name]?.headline)
      const known = headlines.find(headline => headline !== undefined)
      return known === undefined ? [] : [[`[${known.what}](#${anchorOf(runs, name)})`, ...headlines.map(cell)]]
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
function resultSection ({ environment, table, details = [], budgets, notes = [] }) {
  const remarks = [...notes, ...budgets.map(budgetLine)].map(line => `* ${line}`)
  const tables = [toMarkdown(table), ...details.map(({ title, table }) => `${title}\n\n${toMarkdown(table)}`)]
  return `*${environment}*\n\n${tables.join('\n\n')}\n\n${remarks.join('\n')}\n`
}

module.exports = { budgetLine, resultAsText, overheadPage, inOrder, toMarkdown }
