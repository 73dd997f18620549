'use strict'

// What the command line writes: results to standard output, everything else to standard error; colour and motion only on a
// terminal.

const { styleText } = require('node:util')

/** @typedef {ReturnType<typeof createTerminal>} Terminal */

const BAR_WIDTH = 30
const PERIOD_MS = 100

/**
 * @param {object} [streams]
 * @param {NodeJS.WriteStream | import('node:stream').Writable} [streams.output]
 * @param {NodeJS.WriteStream | import('node:stream').Writable} [streams.notes]
 * @param {NodeJS.ProcessEnv} [streams.env]
 */
function createTerminal ({ output = process.stdout, notes = process.stderr, env = {} } = {}) {
  const isOutputTerminal = 'isTTY' in output && output.isTTY === true
  const isNotesTerminal = 'isTTY' in notes && notes.isTTY === true
  const hasColour = isOutputTerminal && !env.NO_COLOR

  /**
   * @param {Parameters<typeof styleText>[0]} style
   * @param {string} text
   */
  function paint (style, text) {
    return hasColour ? styleText(style, text) : text
  }

  /**
   * Shows that something goes on: a bar where the end is known, else the time. Off a terminal one line.
   * @param {string} text
   * @param {number} [seconds]  it will take
   * @returns {{ note: (text: string) => void, end: () => void }}
   */
  function progress (text, seconds) {
    const startMs = performance.now()
    let extra = ''
    if (!isNotesTerminal) {
      notes.write(`${text}\n`)
      return { note: () => {}, end: () => {} }
    }
    const draw = () => notes.write(`\r\u001b[K${text} ${barOf((performance.now() - startMs) / 1e3, seconds)} ${extra}`)
    const timer = setInterval(draw, PERIOD_MS)
    draw()
    return {
      note: (/** @type {string} */ more) => { extra = more },
      end: () => {
        clearInterval(timer)
        notes.write('\r\u001b[K')
      }
    }
  }

  return {
    isOutputTerminal,
    columns: () => ('columns' in output && output.columns) || 100,
    rows: () => ('rows' in output && output.rows) || 30,
    paint,
    progress,
    /** @param {string | Uint8Array} text */
    write: text => { output.write(text) },
    /** @param {string} text */
    line: text => { output.write(`${text}\n`) },
    /** @param {string} text */
    note: text => { notes.write(`${text}\n`) }
  }
}

/**
 * @param {number} passed
 * @param {number} [seconds]
 */
function barOf (passed, seconds) {
  if (seconds === undefined) return `${passed.toFixed(0)} s`
  const filled = Math.min(BAR_WIDTH, Math.round(passed / seconds * BAR_WIDTH))
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.min(passed, seconds).toFixed(0)} of ${seconds} s`
}

module.exports = { createTerminal }
