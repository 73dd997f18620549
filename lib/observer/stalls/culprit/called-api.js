'use strict'

// The synchronous API or builtin at the bottom of a stall, by the name that people call it: what Node has a function for is in the
// samples; V8's builtins have no frame there and are known from the stacks of the stall, or by what is written on the hottest line. Pure.

const { builtinOn, nameAt } = require('./call-in-source')
const { hottestLine } = require('./call-position')
const { isBuiltin } = require('./blocked-stacks')
const { isSame, mostFrequent } = require('./matching-stacks')

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Position } from './call-in-source' */
/** @import { StackCall } from './blocked-stacks' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

const CALL_SHARE = 1 / 2

// All of zlib's synchronous functions are one inside.
const ZLIB_SYNC = 'syncBufferWrapper'
// V8 gives expressions that it has compiled a frame of their own, named after them.
const EXPRESSION = 'RegExp: '
const ANY_EXPRESSION = 'RegExp.exec' // all the others do it by this one

// They work themselves while they call back; the others (map, forEach) only pass on.
const WORKING = new Set(['sort', 'toSorted', 'replace', 'replaceAll', 'parse', 'stringify'])
// The same little work each time: the loop around it is what takes long.
const LITTLE_FUNCTION = /^(?:Object|Number|Boolean|String|Symbol|isArray|(?:Math|Reflect|Number|Boolean|Symbol)\..*)$/
const LITTLE_METHOD = /\.(?:at|charAt|charCodeAt|codePointAt|entries|hasOwnProperty|keys|next|pop|push|values|\[Symbol\.iterator\])$/
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
  const below = path.slice(depth + 1).find(({ frame }) => frame.origin === 'node' || frame.origin === 'native')
  if (below === undefined || below.totalMicros < totalMicros * CALL_SHARE) return builtinIn(path, depth, matches, source) ?? writtenBuiltin(path, depth, source)
  const { name } = below.frame
  if (name.startsWith(EXPRESSION)) return builtinIn(path, depth, matches, source) ?? ANY_EXPRESSION
  if (name !== ZLIB_SYNC) return name
  const written = nameAt(source.read(frame.file, position.line)[0] ?? '', position.column)
  return written?.endsWith('Sync') ? written : 'zlib.*Sync'
}

/**
 * The builtin that at least every second stack was in.
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {Match[]} matches
 * @param {SourceLines} source
 */
function builtinIn (path, depth, matches, source) {
  const names = matches.flatMap(({ call, inner }) => {
    const at = inner.findLastIndex((call, at) => isBuiltin(call) && !PASSING_ON.has(call.name) && (at === 0 || WORKING.has(call.name)))
    if (at === -1 || !tookTime(path, depth, { caller: inner[at + 1] ?? call, isInnermost: at === 0 }, source)) return []
    const { name, receiver } = inner[at]
    const shown = receiver === 'Function' || receiver === '' ? name : `${receiver}.${name}`
    return LITTLE_FUNCTION.test(shown) || LITTLE_METHOD.test(shown) ? [] : [shown]
  })
  const most = mostFrequent(names, name => name)
  return most !== undefined && most.count >= matches.length / 2 ? most.value : null
}

/**
 * Samples have a builtin's time under the function that called it, on the line of the call; what it calls back is below that. A stack may
 * be read in a builtin that V8 came to after another one, which it does not interrupt.
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {{ caller: StackCall, isInnermost: boolean }} seen
 * @param {SourceLines} source
 */
function tookTime (path, depth, { caller, isInnermost }, source) {
  const tree = path.slice(depth).findLast(({ frame }) => isSame(frame, caller))
  // A builtin that was called by another one, or by Node.
  if (tree === undefined) return caller.line === 0
  const line = hottestLine(tree, source)
  if (isInnermost && line !== null && line !== caller.line) return false
  const expressions = tree.children.filter(({ frame }) => frame.name.startsWith(EXPRESSION))
  const ownMicros = expressions.reduce((sum, { totalMicros }) => sum + totalMicros, tree.selfMicros)
  return (isInnermost ? ownMicros : tree.totalMicros) >= path[depth].totalMicros * CALL_SHARE
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
