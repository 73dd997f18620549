'use strict'

// Results as text for a terminal and as docs/overhead.md. It judges nothing and measures nothing.

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
 * @property {import('../scale').Dimension[]} [scale]  what docs/scale.md is made of
 *
 * @typedef {Record<string, Result & { environment: string }>} Run  with one Node version, by name of the benchmark
 */

const INTRODUCTION = `# Overhead

What loopscope costs, measured beside bare processes and beside other packages in the same run. \`npm run bench\` measures it anew and
writes this page; budgets are promises, so a missed one stands here too. Figures are medians with the smallest and the largest round in
brackets; ratios are taken within a round, between processes that took turns or ran side by side.
`

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
 * @param {Run[]} runs  one a Node version
 * @param {string[]} names  of all benchmarks, in order
 */
function overheadPage (runs, names) {
  const sections = names.flatMap(name => {
    const results = runs.flatMap(run => run[name] ?? [])
    if (results.length === 0) return []
    const { question, method } = results[results.length - 1]
    return [`## ${question}\n\n${method} (\`bench/${name}.js\`)\n\n${results.map(resultSection).join('\n')}`]
  })
  return [INTRODUCTION, ...sections].join('\n')
}

/** @param {Run[string]} result */
function resultSection ({ environment, table, details = [], budgets, notes = [] }) {
  const remarks = [...notes, ...budgets.map(budgetLine)].map(line => `* ${line}`)
  const tables = [toMarkdown(table), ...details.map(({ title, table }) => `${title}\n\n${toMarkdown(table)}`)]
  return `*${environment}*\n\n${tables.join('\n\n')}\n\n${remarks.join('\n')}\n`
}

module.exports = { budgetLine, resultAsText, overheadPage, toMarkdown }
