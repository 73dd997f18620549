'use strict'

// The rounds of a figure as dots on a line that begins at 0, before above after. Pure.

const { showSpread } = require('../figures')

/** @import { FigureChange } from '../compare' */
/** @import { Spread } from '../figures' */

const [FIRST, LAST] = [1, 98] // percent of the width, so that no dot is cut
const ROWS = Object.freeze({ before: 10, after: 25 })
const MIDDLE_HEIGHT = 7

/** @param {FigureChange} change */
function chartSvg ({ before, after, valuesBefore, valuesAfter }) {
  const most = Math.max(before.max, after.max)
  const place = (/** @type {number} */ value) => `${(FIRST + (LAST - FIRST) * value / most).toFixed(2)}%`
  const words = `before ${showSpread(before)}, after ${showSpread(after)}`
  return `<svg role="img" aria-label="${words}"><line class="axis" x1="${FIRST}%" x2="${FIRST}%" y1="2" y2="33"/>` +
    `${rowSvg('before', before, valuesBefore, place)}${rowSvg('after', after, valuesAfter, place)}</svg>`
}

/**
 * @param {keyof typeof ROWS} side
 * @param {Spread} spread
 * @param {readonly number[]} values
 * @param {(value: number) => string} place
 */
function rowSvg (side, { min, median, max }, values, place) {
  const y = ROWS[side]
  const dots = values.map(value => `<circle cx="${place(value)}" cy="${y}" r="3.5"/>`).join('')
  return `<g class="${side}"><line class="range" x1="${place(min)}" x2="${place(max)}" y1="${y}" y2="${y}"/>${dots}` +
    `<line class="middle" x1="${place(median)}" x2="${place(median)}" y1="${y - MIDDLE_HEIGHT}" y2="${y + MIDDLE_HEIGHT}"/></g>`
}

module.exports = { chartSvg }
