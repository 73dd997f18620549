'use strict'

// Durations, times and places as people read them. Pure.

const { showPosition } = require('../../shared/formats/profile/frame')
const { describeCulprit } = require('../../shared/stalls/stall-line')

/** @import { Culprit } from '../../../types/diagnostics' */

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

/** @param {Culprit | null} culprit */
function showCulprit (culprit) {
  return culprit === null ? '-' : describeCulprit(culprit)
}

module.exports = { showCulprit, showDuration, showPlace, showTime }
