'use strict'

// The dependency that the application called, by which of its functions, and which of its own dependencies the time was spent in. Pure.

const { packageOf } = require('../../../shared/formats/profile/frame')
const { nameAt } = require('./call-in-source')
const { isSame } = require('./matching-stacks')

/** @import { Culprit } from '../../../../types/diagnostics' */
/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Frame } from '../../../shared/formats/profile/frame' */
/** @import { Position } from './call-in-source' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

const ENTERED_SHARE = 1 / 2

/** Not (anonymous), and not what a minifier left: then the name by which the application calls it says more. */
const TELLING = /^(?!(module\.)?exports$)[\w$.]{3,}/

/** What frameworks add to these objects of Node's is known by the names that everybody gives them. */
const RECEIVERS = new Map([['ServerResponse', 'res'], ['Http2ServerResponse', 'res'], ['IncomingMessage', 'req'], ['Http2ServerRequest', 'req']])

/**
 * @param {CallTree[]} path
 * @param {number} depth     of the culprit
 * @param {Match[]} matches  of the culprit
 * @param {Position} position  of the call in the culprit
 * @param {SourceLines} source
 * @returns {Culprit['via']}  of a culprit in a dependency only with what that went through: its own package is in its file
 */
function enteredPackage (path, depth, matches, position, source) {
  const { frame: caller } = path[depth]
  if (caller.origin === 'dependency') {
    const through = passedThrough(path, depth, depth, matches)
    return through && { package: packageOf(caller.file), function: nameOf(caller, matches), through }
  }
  if (caller.origin !== 'app') return null
  const entered = path.slice(depth + 1).find(({ frame }) => frame.origin === 'dependency')
  if (entered === undefined || entered.totalMicros < path[depth].totalMicros * ENTERED_SHARE) return null
  const { frame } = entered
  const written = TELLING.test(frame.name) ? null : nameAt(source.read(caller.file, position.line)[0] ?? '', position.column)
  const name = packageOf(frame.file)
  const entrance = written ?? nameOf(frame, matches)
  return {
    package: name,
    function: entrance.startsWith(`${name}.`) ? entrance.slice(name.length + 1) : entrance,
    through: passedThrough(path, depth, path.indexOf(entered), matches)
  }
}

/**
 * The innermost other package that has most of the time, and where it was entered: the dependency of a dependency.
 * @param {CallTree[]} path
 * @param {number} depth    of the culprit
 * @param {number} entered  where the package that the application called begins
 * @param {Match[]} matches
 * @returns {NonNullable<Culprit['via']>['through']}
 */
function passedThrough (path, depth, entered, matches) {
  const isOf = (/** @type {CallTree} */ { frame }, /** @type {string} */ name) => frame.origin === 'dependency' && packageOf(frame.file) === name
  const own = packageOf(path[entered].frame.file)
  const below = path.slice(entered + 1)
  const inner = below.findLast(tree => tree.frame.origin === 'dependency' && !isOf(tree, own) && tree.totalMicros >= path[depth].totalMicros * ENTERED_SHARE)
  if (inner === undefined) return null
  const name = packageOf(inner.frame.file)
  const at = below.indexOf(inner)
  const before = below.slice(0, at).findLastIndex(({ frame }) => frame.origin === 'dependency' && packageOf(frame.file) !== name)
  const entrance = /** @type {CallTree} */ (below.slice(before + 1).find(tree => isOf(tree, name)))
  return { package: name, function: nameOf(entrance.frame, matches) }
}

/**
 * @param {Frame} frame
 * @param {Match[]} matches
 */
function nameOf (frame, matches) {
  const call = matches.flatMap(({ inner }) => inner.findLast(one => isSame(frame, one)) ?? [])[0]
  const receiver = RECEIVERS.get(call?.receiver ?? '')
  // V8 names functions without a name after what they were assigned to, which minifiers leave without meaning.
  const name = frame.name.replace(/^((module\.)?exports|\w{1,2})\./, '')
  return receiver === undefined || name.includes('.') ? name : `${receiver}.${name}`
}

module.exports = { enteredPackage }
