'use strict'

// The dependency that the time was spent in, and by which of its functions the application's code went there. Pure.

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
 * @returns {Culprit['via']}
 */
function enteredPackage (path, depth, matches, position, source) {
  const { frame: caller } = path[depth]
  if (caller.origin !== 'app') return null
  const entered = path.slice(depth + 1).find(({ frame }) => frame.origin === 'dependency')
  if (entered === undefined || entered.totalMicros < path[depth].totalMicros * ENTERED_SHARE) return null
  const { frame } = entered
  const written = TELLING.test(frame.name) ? null : nameAt(source.read(caller.file, position.line)[0] ?? '', position.column)
  const name = packageOf(frame.file)
  const entrance = written ?? nameOf(frame, matches)
  return { package: name, function: entrance.startsWith(`${name}.`) ? entrance.slice(name.length + 1) : entrance }
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
