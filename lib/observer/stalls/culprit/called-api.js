'use strict'

// The synchronous API or builtin at the bottom of a stall, by the name that people call it: what Node has a function for is in the
// samples; V8's builtins have no frame there and are known from the stacks of the stall, or by what is written on the hottest line. Pure.

const { builtinOn, nameAt } = require('./call-in-source')
const { hottestLine } = require('./call-position')
const { isBuiltin } = require('./blocked-stacks')
const { mostFrequent } = require('./matching-stacks')

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Position } from './call-in-source' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

const CALL_SHARE = 1 / 2

// All of zlib's synchronous functions are one inside.
const ZLIB_SYNC = 'syncBufferWrapper'
// V8 gives expressions that it has compiled a frame of their own, named after them.
const EXPRESSION = 'RegExp: '
const ANY_EXPRESSION = 'RegExp.exec' // all the others do it by this one

// What V8 puts between JavaScript and WebAssembly; its names differ by version: js-to-wasm, GenericJSToWasmWrapper.
const WASM_WRAPPER = /js-?to-?wasm|wasm-?to-?js/i

// They work themselves while they call back; the others (map, forEach) only pass on.
const WORKING = new Set(['sort', 'toSorted', 'replace', 'replaceAll', 'parse', 'stringify'])
const PASSING_ON = new Set(['apply', 'call', 'every', 'filter', 'find', 'findIndex', 'flatMap', 'forEach', 'from', 'map', 'next', 'reduce', 'reduceRight', 'some', 'then'])

/**
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {Position} position  of the call in the culprit
 * @param {SourceLines} source
 * @returns {string | null} null when JavaScript took the time
 */
function calledApi (path, depth, matches, position, source) {
  const { frame, totalMicros } = path[depth]
  const below = path.slice(depth + 1).find(({ frame }) => frame.origin === 'node' || (frame.origin === 'native' && !WASM_WRAPPER.test(frame.name)))
  if (below === undefined || below.totalMicros < totalMicros * CALL_SHARE) return builtinIn(matches) ?? writtenBuiltin(path, depth, source)
  const { name } = below.frame
  if (name.startsWith(EXPRESSION)) return builtinIn(matches) ?? ANY_EXPRESSION
  if (name !== ZLIB_SYNC) return name
  const written = nameAt(source.read(frame.file, position.line)[0] ?? '', position.column)
  return written?.endsWith('Sync') ? written : 'zlib.*Sync'
}

/**
 * The builtin that at least every second stack was in.
 * @param {Match[]} matches
 */
function builtinIn (matches) {
  const names = matches.flatMap(({ inner }) => {
    const found = inner.findLast((call, at) => isBuiltin(call) && !PASSING_ON.has(call.name) && (at === 0 || WORKING.has(call.name)))
    return found === undefined ? [] : [found.receiver === 'Function' || found.receiver === '' ? found.name : `${found.receiver}.${found.name}`]
  })
  const most = mostFrequent(names, name => name)
  return most !== undefined && most.count >= matches.length / 2 ? most.value : null
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {SourceLines} source
 */
function writtenBuiltin (path, depth, source) {
  const leaf = path[path.length - 1]
  if (leaf.selfMicros < path[depth].totalMicros * CALL_SHARE) return null
  const line = hottestLine(leaf, source)
  return line === null ? null : builtinOn(source.read(leaf.frame.file, line)[0] ?? '')
}

module.exports = { calledApi }
