'use strict'

// The line at which a function is shown, the same in every report: that of the call or loop that took the time, if a stall or finding has it,
// otherwise the first line of the function. Pure.

const path = require('node:path')

/** @import { Stall } from '../../../types/diagnostics' */
/** @import { EncodeContext, WorkLine } from '../../../types/profile' */

const MAX_KEPT = 100

/**
 * @param {readonly WorkLine[]} [lines]
 * @returns {(begins: { name: string, file: string, line: number }) => WorkLine | null}
 */
function createWorkLineOf (lines = []) {
  const known = byFunction(lines)
  return ({ name, file, line }) => known.get(keyOf(name, file, line)) ?? null
}

/** @param {readonly WorkLine[]} lines  the first of a function counts @returns {Map<string, WorkLine>} */
function byFunction (lines) {
  /** @type {Map<string, WorkLine>} */
  const known = new Map()
  for (const line of lines) {
    const key = keyOf(line.function, line.file, line.functionLine)
    if (line.file !== '' && line.line > 0 && !known.has(key)) known.set(key, line)
  }
  return known
}

/** @param {readonly Stall[]} stalls @returns {WorkLine[]} of the longest ones first */
function workLinesOf (stalls) {
  return stalls.toSorted((left, right) => right.durationMs - left.durationMs).flatMap(({ culprit }) => culprit ?? [])
}

/**
 * As a file of a profile keeps them: who reads it may show paths relative to another folder.
 * @param {Pick<EncodeContext, 'appRoot' | 'lines'>} context
 * @returns {WorkLine[]} each function once
 */
function wholePaths ({ appRoot, lines = [] }) {
  if (appRoot === undefined) return []
  return [...byFunction(lines).values()].filter(({ file }) => !file.startsWith('node:')).slice(0, MAX_KEPT)
    .map(({ function: name, file, functionLine, line, column }) => ({ function: name, file: path.resolve(appRoot, file), functionLine, line, column }))
}

/** @param {string} name @param {string} file @param {number} functionLine */
function keyOf (name, file, functionLine) {
  return `${file}:${functionLine} ${name}`
}

module.exports = { createWorkLineOf, wholePaths, workLinesOf }
