'use strict'

// Rows as columns of text. Names come from the other process: none may break a line. Pure.

const { printable } = require('./printable')

/**
 * @typedef {{ title: string, isNumber?: boolean, cell: (row: any) => string }} Column
 *
 * @param {readonly Column[]} columns
 * @param {readonly any[]} rows
 * @param {number} [width]  of the terminal: the last column is cut to fit
 * @returns {string[]} lines, the first with the titles
 */
function tableLines (columns, rows, width = Infinity) {
  const texts = [columns.map(({ title }) => title), ...rows.map(row => columns.map(({ cell }) => printable(cell(row))))]
  const widths = columns.map((_, index) => Math.max(...texts.map(cells => cells[index].length)))
  return texts.map(cells => {
    const padded = cells.map((cell, index) => columns[index].isNumber ? cell.padStart(widths[index]) : cell.padEnd(widths[index]))
    const line = padded.join('  ').trimEnd()
    return line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line
  })
}

module.exports = { tableLines }
