'use strict'

// One question answered: places of scripts as they run in, places as they were written out. It reads files, and keeps nothing.

const fs = require('node:fs')
const { Problem, findMap, scriptFile } = require('./find-map')
const { toWrittenName } = require('./function-name')
const { locate, parseMap } = require('./source-map')
const { toSourceFile } = require('./source-url')

/** @import { FoundMap } from './find-map' */
/** @import { Segment } from './source-map' */

/**
 * @typedef {object} Place  of a script
 * @property {number} line    from 0
 * @property {number | null} column  from 0; null for the line as a whole
 * @property {string} name    of the function that begins there, as V8 has it; '' where none does
 *
 * @typedef {object} WrittenPlace
 * @property {string} file    a path, or a name
 * @property {number} line    from 0
 * @property {number} column
 * @property {string} name
 *
 * @typedef {{ url: string, places: Place[] }} Script
 * @typedef {{ scripts: Script[], appRoot: string, mayBytes: number }} Question  mayBytes: memory that may be taken
 *
 * @typedef {object} Answer  about one script
 * @property {boolean} hasMap
 * @property {string | null} problem  why its map cannot be used
 * @property {(WrittenPlace | null)[]} places
 */

/**
 * @param {Question} question
 * @returns {Answer[]}
 */
function answerQuestion ({ scripts, appRoot, mayBytes }) {
  return scripts.map(script => {
    try {
      return answerScript(script, appRoot, mayBytes)
    } catch (error) {
      // Of other faults only the fact: a message may hold what a file said that is no map.
      const problem = error instanceof Problem ? error.message : `the map of ${scriptFile(script.url)} is broken`
      return { hasMap: false, problem, places: script.places.map(() => null) }
    }
  })
}

/**
 * @param {Script} script
 * @param {string} appRoot
 * @param {number} mayBytes
 * @returns {Answer}
 */
function answerScript ({ url, places }, appRoot, mayBytes) {
  const file = scriptFile(url)
  const found = file === null ? null : findMap(file, mayBytes)
  if (file === null || found === null) return { hasMap: false, problem: null, places: places.map(() => null) }
  const map = parseMap(found.text)
  const lineOf = createLines(file)
  /** @type {(segment: Segment, index: number) => WrittenPlace | null} */
  const toWritten = ({ source, line, column, namesBefore }, index) => {
    const original = toSourceFile(source, { folder: found.folder, script: file, appRoot })
    const { name, line: generatedLine } = places[index]
    if (original === null) return null
    return { file: original, line, column, name: name && toWrittenName(name, lineOf(generatedLine), namesBefore) }
  }
  return {
    hasMap: true,
    problem: null,
    places: places.map((place, index) => {
      const segment = locate(map, place)
      return segment === null ? null : toWritten(segment, index)
    })
  }
}

/**
 * @param {string} file
 * @returns {(line: number) => string} of the generated code, from 0
 */
function createLines (file) {
  /** @type {string[] | undefined} */
  let lines
  return line => {
    lines ??= fs.readFileSync(file, 'utf8').split('\n')
    return lines[line] ?? ''
  }
}

module.exports = { answerQuestion }
