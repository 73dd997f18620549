'use strict'

// Shows that something goes on: a bar where its end is known, else the time that has passed. Off a terminal nobody looks: it is silent.

const { clearInterval, performance, setInterval } = require('../../shared/base/timers')
const { printableLines } = require('./printable')

const BAR_WIDTH = 30
const PERIOD_MS = 100
const CLEAR_LINE = '\r\u001b[K'

/** @typedef {{ note: (text: string) => void, end: () => void }} Progress */

/**
 * @param {object} parts
 * @param {string} parts.text
 * @param {number} [parts.seconds]  it will take
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
  const timer = setInterval(draw, PERIOD_MS)
  draw()
  return {
    note: more => { extra = more },
    end: () => {
      clearInterval(timer)
      stream.write(CLEAR_LINE)
    }
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

module.exports = { startProgress }
