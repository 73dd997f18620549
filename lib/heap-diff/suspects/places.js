'use strict'

// Code positions in a snapshot: where functions are defined, which nodes are loopscope's own, and where a variable is declared. A snapshot has lines
// and a script number; the name of the script is at a node that all its functions refer to.

const { fileURLToPath } = require('node:url')
const { attempt } = require('../../base/guard')
const { OWN_FOLDER } = require('../../base/own-files')
const { readRegularText } = require('../../base/regular-file')
const { NO_LOCATION } = require('../graph/graph')

/** @import { Graph } from '../graph/graph' */
/** @import { Place } from './retainer-path' */
/** @import { Suspect } from './suspects' */

const TO_SCRIPT = new Set(['script', 'script_or_debug_info']) // the name changed with V8 12
const INSTALLED = /[\\/]node_modules[\\/]loopscope[\\/]lib[\\/]/
const CALLBACK = '_onTimeout' // of a timer
const IDENTIFIER = /^#?[A-Za-z_$][\w$]*$/
const MAX_SOURCE_BYTES = 100 * 1024 * 1024

/** @param {Graph} graph @returns {Map<number, string>} by the script's number: file or URL */
function findScriptNames (graph) {
  const closure = graph.nodeType('closure')
  /** @type {Map<number, string>} */
  const names = new Map()
  for (let node = 0; node < graph.nodeCount; node++) {
    const location = graph.locations[graph.locationOf[node]]
    if (graph.type[node] !== closure || location === null || names.has(location.script)) continue
    const shared = follow(graph, node, name => name === 'shared')
    const script = shared === undefined ? undefined : follow(graph, shared, name => TO_SCRIPT.has(name))
    if (script !== undefined) names.set(location.script, graph.nameOf(script))
  }
  return names
}

/** @param {Graph} graph @param {number} node @param {(name: string) => boolean} isWanted */
function follow (graph, node, isWanted) {
  const internal = graph.edgeTypeOf('internal')
  for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
    if (graph.edgeType[edge] === internal && isWanted(graph.strings.get(graph.edgeName[edge]))) return graph.edgeTo[edge]
  }
}

/** @param {Graph} graph @param {Map<number, string>} scriptNames */
function createPlaceFinder (graph, scriptNames) {
  /** @param {number} node @returns {{ file: string, line: number } | null} line from 1 */
  return node => {
    const location = graph.locationOf[node] === NO_LOCATION ? null : graph.locations[graph.locationOf[node]]
    const file = location && scriptNames.get(location.script)
    return location && file ? { file, line: location.line + 1 } : null
  }
}

/**
 * The nodes of a snapshot that belong to loopscope: its functions, objects and timers. A path over them shows how the process is observed, not what
 * retains an object.
 * @param {Graph} graph
 * @param {(node: number) => Place | null} placeOf
 * @returns {Uint8Array} by node: 1 if it does
 */
function findOwnNodes (graph, placeOf) {
  const isOwn = new Uint8Array(graph.nodeCount)
  for (let node = 0; node < graph.nodeCount; node++) {
    const file = placeOf(node)?.file
    if (file !== undefined && isOwnFile(file)) isOwn[node] = 1
  }
  const property = graph.edgeTypeOf('property')
  const timers = []
  for (let node = 0; node < graph.nodeCount; node++) {
    for (let edge = graph.firstEdge[node]; edge < graph.firstEdge[node + 1]; edge++) {
      if (isOwn[graph.edgeTo[edge]] === 1 && graph.edgeType[edge] === property && graph.strings.get(graph.edgeName[edge]) === CALLBACK) timers.push(node)
    }
  }
  for (const timer of timers) isOwn[timer] = 1
  return isOwn
}

/** @param {string} file  path or URL */
function isOwnFile (file) {
  return INSTALLED.test(file) || file.replace(/^file:\/\//, '').startsWith(OWN_FOLDER)
}

/**
 * A snapshot knows where functions begin, not where a variable is declared. Where the source is at hand, that line is found in it. It is a guess by
 * name, near the function that the snapshot names.
 * @param {Suspect} suspect
 * @param {(file: string) => string | null} readSource
 * @returns {Suspect}
 */
function withDeclaration (suspect, readSource) {
  const { path, holds } = suspect
  // The path of a global variable has no function; the variable is often in the file of the object that it holds.
  const place = suspect.place ?? holds.find(holding => holding.place !== null)?.place ?? null
  const [name] = suspect.name.split(/\.on\(|: |\[Symbol\(/) // of what it is a part of
  const holder = path.findLast(step => step.name === name && (step.by === 'variable' || step.by === 'property'))
  if (place === null || holder === undefined || !IDENTIFIER.test(name)) return suspect
  const source = readSource(place.file)
  const line = source === null ? null : findLine(source, holder.by === 'variable' ? declares(holder.name) : assigns(holder.name), place)
  return line === null ? suspect : { ...suspect, place: { ...place, line } }
}

/**
 * The source code, if it is on this machine.
 * @param {string} file  path or URL, as in the snapshot
 * @returns {string | null}
 */
function readSource (file) {
  return attempt(() => readRegularText(file.startsWith('file:') ? fileURLToPath(file) : file, { maxBytes: MAX_SOURCE_BYTES }), null)
}

/** Matches the line that declares a name; a loop over it does not declare it. @param {string} name */
function declares (name) {
  return new RegExp(`\\b(?:const|let|var|class|function)\\b(?:(?!\\b(?:of|in)\\b)[^;=])*(?<![\\w$.])${escape(name)}(?![\\w$])`)
}

/** @param {string} name */
function assigns (name) {
  return new RegExp(`(?:\\.|^\\s*|\\bstatic\\s+)${escape(name)}\\s*=[^=]`)
}

/** @param {string} name */
function escape (name) {
  return name.replaceAll('$', '\\$')
}

/**
 * The nearest line to the place, of those that match.
 * @param {string} source
 * @param {RegExp} pattern
 * @param {Place} place
 */
function findLine (source, pattern, place) {
  const lines = source.split('\n').flatMap((text, at) => pattern.test(text) ? [at + 1] : [])
  if (lines.length === 0) return null
  return lines.reduce((best, line) => Math.abs(line - place.line) < Math.abs(best - place.line) ? line : best)
}

module.exports = { createPlaceFinder, findOwnNodes, findScriptNames, isOwnFile, readSource, withDeclaration }
