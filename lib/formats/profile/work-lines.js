'use strict'

// The line at which a function is shown, the same in every report: that of the call or loop that took the time, if a stall or finding has it,
// otherwise the first line of the function. Pure.

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { WorkLine } from '../../../types/profile' */

/**
 * @param {readonly WorkLine[]} [lines]  the first of a function counts
 * @returns {(begins: { name: string, file: string, line: number }) => WorkLine | null}
 */
function createWorkLineOf (lines = []) {
  /** @type {Map<string, WorkLine>} */
  const known = new Map()
  for (const line of lines) {
    const key = keyOf(line.function, line.file, line.functionLine)
    if (line.file !== '' && line.line > 0 && !known.has(key)) known.set(key, line)
  }
  return ({ name, file, line }) => known.get(keyOf(name, file, line)) ?? null
}

/**
 * @param {readonly Stall[]} stalls
 * @returns {WorkLine[]} of the longest ones first
 */
function workLinesOf (stalls) {
  return stalls.toSorted((left, right) => right.durationMs - left.durationMs).flatMap(({ culprit }) => culprit ?? [])
}

/**
 * @param {string} name
 * @param {string} file
 * @param {number} functionLine
 */
function keyOf (name, file, functionLine) {
  return `${file}:${functionLine} ${name}`
}

module.exports = { createWorkLineOf, workLinesOf }
