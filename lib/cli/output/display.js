'use strict'

// Durations, times and places as people read them. Pure.

const { showPosition } = require('../../shared/formats/profile/frame')

/** @param {number} ms */
function showDuration (ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`
}

/** @param {number} epochMs */
function showTime (epochMs) {
  return new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')
}

/** @param {{ function: string, file: string, line: number, column: number } | null} frame */
function showPlace (frame) {
  if (frame === null) return '-'
  return frame.file === '' ? frame.function : `${frame.function} ${showPosition(frame)}`
}

/** @param {{ function: string, file: string, line: number, column: number, call: string | null } | null} culprit */
function showCulprit (culprit) {
  if (culprit === null) return '-'
  return culprit.call === null ? showPlace(culprit) : `${culprit.call} in ${showPlace(culprit)}`
}

module.exports = { showCulprit, showDuration, showPlace, showTime }
