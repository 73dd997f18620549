'use strict'

// What the command line writes: results to standard output, everything else to standard error; colour and motion only on a
// terminal. All output of all commands passes here, and what others could have put into it is made printable: the only
// sequences that reach a terminal are written in this file and in progress.js.

const { styleText } = require('node:util')
const { printableJson, printableLines } = require('./printable')
const { startProgress } = require('./progress')

/**
 * @typedef {ReturnType<typeof createTerminal>} Terminal
 * @typedef {{ style: Parameters<typeof styleText>[0], text: string }} Painted
 * @typedef {string | Painted} Part  of a line
 */

const CLEAR_SCREEN = '\u001b[H\u001b[J'
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l' // the other screen, and no cursor
const LEAVE_SCREEN = '\u001b[?25h\u001b[?1049l'

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

  /** @param {Part} part */
  function show (part) {
    if (typeof part === 'string') return printableLines(part)
    const text = printableLines(part.text)
    return hasColour ? styleText(part.style, text, { validateStream: false }) : text // which stream it is for was looked at
  }

  /** @param {Part | Part[]} line */
  const showLine = line => [line].flat().map(show).join('')

  return {
    isOutputTerminal,
    columns: () => ('columns' in output && output.columns) || 100,
    rows: () => ('rows' in output && output.rows) || 30,
    /** @type {(style: Painted['style'], text: string) => Painted} */
    paint: (style, text) => ({ style, text }),
    /** @type {(text: string, seconds?: number) => import('./progress').Progress} */
    progress: (text, seconds) => startProgress({ text, seconds, stream: notes, isTerminal: isNotesTerminal }),
    /** @param {string | Uint8Array} text  with its own ends of lines */
    text: text => { output.write(show(textOf(text))) },
    /** @param {Part | Part[]} line */
    line: line => { output.write(`${showLine(line)}\n`) },
    /** @param {unknown} value */
    json: value => { output.write(`${printableJson(value)}\n`) },
    /** A file for another program, as it is; to a terminal as text. @param {Uint8Array} bytes */
    file: bytes => { output.write(isOutputTerminal ? show(textOf(bytes)) : bytes) },
    /** @param {string} text */
    note: text => { notes.write(`${show(text)}\n`) },
    openScreen: () => { if (isOutputTerminal) output.write(ENTER_SCREEN) },
    /** @param {(Part | Part[])[]} lines */
    drawScreen: lines => { output.write(CLEAR_SCREEN + lines.map(showLine).join('\n')) },
    closeScreen: () => { if (isOutputTerminal) output.write(LEAVE_SCREEN) }
  }
}

/** @param {string | Uint8Array} text */
function textOf (text) {
  return typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString()
}

module.exports = { createTerminal }
