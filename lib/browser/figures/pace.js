'use strict'

// Requests a second, from how many were answered since start, told once a second.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

const WINDOW_MS = 5000 // one second alone jumps

/**
 * @param {readonly { at: number, answered: number }[]} known  the oldest first
 * @param {{ at: number, answered: number }} reading
 * @returns {{ at: number, answered: number }[]} what to keep
 */
function addReading (known, reading) {
  const last = known.at(-1)
  if (last === undefined || reading.answered < last.answered) return [reading] // another process answers
  if (reading.at <= last.at) return [...known]
  const kept = [...known, reading]
  return kept.filter(({ at }, index) => index === kept.length - 1 || reading.at - at <= WINDOW_MS)
}

/**
 * @param {readonly { at: number, answered: number }[]} known
 * @returns {number | null} null: it is not known yet
 */
function perSecond (known) {
  const [first] = known
  const last = known.at(-1)
  if (first === undefined || last.at === first.at) return null
  return (last.answered - first.answered) / ((last.at - first.at) / 1000)
}

module.exports = { addReading, perSecond }
