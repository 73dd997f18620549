'use strict'

// How the demo looks: sections, aligned tables, a line of progress. Colors and moving lines only on a terminal.

const { styleText } = require('node:util')

const BAR_WIDTH = 30
const REDRAW_MS = 250

function createPage (stream = process.stdout) {
  const isLive = stream.isTTY === true
  const hasColors = isLive && stream.hasColors() // says no to NO_COLOR and to TERM=dumb
  const style = (format, text) => hasColors ? styleText(format, text) : text
  const line = (text = '') => stream.write(`${text}\n`)

  function section (title) {
    line()
    line(style('bold', title))
    line(style('dim', '─'.repeat(title.length)))
  }

  /** The first row is the header. Columns of figures are set to the right. */
  function table (rows) {
    const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
    const isFigure = rows[0].map((_, column) => rows.slice(1).every(row => /^[-<≤\d]/.test(row[column])))
    rows.forEach((row, index) => {
      const cells = row.map((cell, column) => isFigure[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))
      const text = `  ${cells.join('   ').trimEnd()}`
      line(index === 0 ? style('dim', text) : text)
    })
  }

  /** Shows how far work of a known length is. */
  async function progress (label, seconds, work) {
    if (!isLive) line(`  ${label}, ${seconds} s ...`)
    const from = Date.now()
    const draw = () => {
      const done = Math.min(1, (Date.now() - from) / (seconds * 1e3))
      const bar = '█'.repeat(Math.round(done * BAR_WIDTH)).padEnd(BAR_WIDTH, '░')
      stream.write(`\r  ${label} ${style('cyan', bar)} ${Math.round(done * seconds)}/${seconds} s `)
    }
    const timer = isLive ? setInterval(draw, REDRAW_MS) : undefined
    try {
      return await work()
    } finally {
      clearInterval(timer)
      if (isLive) stream.write('\r\u001b[K')
    }
  }

  return { line, style, section, table, progress }
}

module.exports = { createPage }
