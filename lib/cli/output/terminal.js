'use strict'

// All output of the command line: results go to standard output, everything else to standard error; colors and progress only to a
// terminal. Text from other processes and files is made printable: the only control sequences that reach a terminal are those
// in this file.

const fs = require('node:fs')
const readline = require('node:readline/promises')
const { pipeline } = require('node:stream/promises')
const { styleText } = require('node:util')
const { tableOf } = require('./table')
const { attempt } = require('../../base/guard')
const { printableJson, printableLines } = require('../../base/printable')
const { clearInterval, performance, setInterval } = require('../../base/timers')

const CLEAR_SCREEN = '\u001b[H\u001b[J'
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l' // the alternate screen, without a cursor
const LEAVE_SCREEN = '\u001b[?25h\u001b[?1049l'
const PROSE_COLUMNS = 80 // without a terminal and COLUMNS; tables are not cut there
const DEFAULT_ROWS = 24
const CLEAR_LINE = '\r\u001b[K'
const BAR_WIDTH = 30
const PROGRESS_MS = 100

/**
 * @typedef {ReturnType<typeof createTerminal>} Terminal
 * @typedef {{ style: Parameters<typeof styleText>[0], text: string }} Painted
 * @typedef {string | Painted} Part  of a line
 * @typedef {{ note: (text: string) => void, end: () => void }} Progress
 */

/**
 * @param {object} [streams]
 * @param {NodeJS.WriteStream | import('node:stream').Writable} [streams.output]
 * @param {NodeJS.WriteStream | import('node:stream').Writable} [streams.notes]
 * @param {NodeJS.ProcessEnv} [streams.env]
 * @param {boolean} [streams.isWide]  nothing is cut
 */
function createTerminal ({ output = process.stdout, notes = process.stderr, env = {}, isWide = false } = {}) {
  const isOutputTerminal = 'isTTY' in output && output.isTTY === true
  const isNotesTerminal = 'isTTY' in notes && notes.isTTY === true
  const hasColor = isOutputTerminal && !env.NO_COLOR

  /** @param {Part} part */
  function show (part) {
    if (typeof part === 'string') return printableLines(part)
    const text = printableLines(part.text)
    return hasColor ? styleText(part.style, text, { validateStream: false }) : text // hasColor is the check of the stream
  }

  /** @param {Part | Part[]} line */
  const showLine = line => [line].flat().map(show).join('')

  /** @param {Part | Part[]} line */
  const writeLine = line => { output.write(`${showLine(line)}\n`) }
  const tableColumns = () => isWide ? Infinity : Number(env.COLUMNS) || ('columns' in output && output.columns) || Infinity
  const columns = () => isWide || tableColumns() < Infinity ? tableColumns() : PROSE_COLUMNS

  return {
    isOutputTerminal,
    /** A copy with these changes. @type {(changes: { output?: import('node:stream').Writable, isWide?: boolean }) => any} */
    changed: changes => createTerminal({ output, notes, env, isWide, ...changes }),
    /** The width to which prose is wrapped. */
    columns,
    tableColumns,
    rows: () => ('rows' in output && output.rows) || DEFAULT_ROWS,
    /** The name of the file that standard output is redirected to; '' where there is none. */
    outputFile: () => 'fd' in output ? attempt(() => fs.readlinkSync(`/proc/self/fd/${output.fd}`), '') : '', // no /proc
    /** @type {(style: Painted['style'], text: string) => Painted} */
    paint: (style, text) => ({ style, text }),
    /** @type {(text: string, seconds?: number) => Progress} */
    progress: (text, seconds) => startProgress({ text, seconds, stream: notes, isTerminal: isNotesTerminal }),
    /** @param {string | Uint8Array} text  with line ends */
    text: text => { output.write(show(textOf(text))) },
    line: writeLine,
    /** Rows that fit the width, below their titles. @type {(columns: readonly import('./table').Column[], rows: readonly any[]) => void} */
    table: (shown, rows) => {
      const { titles, lines } = tableOf(shown, rows, tableColumns())
      for (const text of titles) writeLine({ style: 'bold', text })
      for (const text of lines) writeLine(text)
    },
    /** @param {unknown} value */
    json: value => { output.write(`${printableJson(value)}\n`) },
    /** A file for another program, unchanged; on a terminal as text. @param {Uint8Array} bytes */
    file: bytes => { output.write(isOutputTerminal ? show(textOf(bytes)) : bytes) },
    /** The same for a stream. @param {import('node:stream').Readable} content */
    stream: content => pipeline(content, output, { end: false }),
    /** @param {string} text */
    note: text => { notes.write(`${show(text)}\n`) },
    /** null: there is no terminal to ask on. @type {(question: string, signal: AbortSignal) => Promise<string | null>} */
    ask: async (question, signal) => isNotesTerminal && process.stdin.isTTY ? askUser(notes, question, signal) : null,
    openScreen: () => { if (isOutputTerminal) output.write(ENTER_SCREEN) },
    /** @param {(Part | Part[])[]} lines */
    drawScreen: lines => { output.write(CLEAR_SCREEN + lines.map(showLine).join('\n')) },
    /** Calls the listener with typed keys until the returned function is called. @param {(typed: string) => void} listener */
    onKeys: listener => listenForKeys(listener),
    closeScreen: () => { if (isOutputTerminal) output.write(LEAVE_SCREEN) }
  }
}

/** @param {string | Uint8Array} text */
function textOf (text) {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString()
}

/** @param {(typed: string) => void} listener @returns {() => void} */
function listenForKeys (listener) {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  stdin.setRawMode(true).setEncoding('utf8').on('data', listener).resume()
  return () => { stdin.off('data', listener).setRawMode(false).pause() }
}

/**
 * Asks a question on the terminal.
 * @param {NodeJS.WritableStream} notes
 * @param {string} question
 * @param {AbortSignal} signal
 */
async function askUser (notes, question, signal) {
  const questions = readline.createInterface({ input: process.stdin, output: notes })
  try {
    return await questions.question(printableLines(question), { signal })
  } finally {
    questions.close()
  }
}

/**
 * Shows progress on a terminal: a bar where the duration is known, else the elapsed time. Elsewhere it prints nothing.
 * @param {object} parts
 * @param {string} parts.text
 * @param {number} [parts.seconds]  expected duration
 * @param {Pick<NodeJS.WritableStream, 'write'>} parts.stream
 * @param {boolean} parts.isTerminal
 * @returns {Progress}
 */
function startProgress ({ text, seconds, stream, isTerminal }) {
  if (!isTerminal) return { note: () => {}, end: () => {} }
  const startMs = performance.now()
  let extra = ''
  const draw = () => {
    const passed = (performance.now() - startMs) / 1e3
    stream.write(CLEAR_LINE + printableLines(`${text} ${barOf(passed, seconds)} ${extra}`))
  }
  const timer = setInterval(draw, PROGRESS_MS)
  draw()
  return {
    note: more => { extra = more },
    end: () => {
      clearInterval(timer)
      stream.write(CLEAR_LINE)
    }
  }
}

/** @param {number} passed @param {number} [seconds] */
function barOf (passed, seconds) {
  if (seconds === undefined) return `${passed.toFixed(0)} s`
  const filled = Math.min(BAR_WIDTH, Math.round(passed / seconds * BAR_WIDTH))
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.min(passed, seconds).toFixed(0)} of ${seconds} s`
}

module.exports = { createTerminal }
