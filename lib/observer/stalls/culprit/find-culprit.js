'use strict'

// Who held the loop: the user's own function with the largest share of a stretch of time, and the synchronous call below
// it. Pure: a profile and the stacks that were read meanwhile in, plain data out.
//
// (garbage collector), (program) and (idle) hang under V8's root and not under the code that caused them: they tell the
// cause and are left out here.

const { buildCallTree } = require('../../../shared/formats/profile/call-tree')
const { calledPackage, isPassingOn } = require('../../../shared/formats/profile/called-package')
const { packageOf } = require('../../../shared/formats/profile/frame')
const { hottestLine, positionOf } = require('./call-position')
const { calledApi } = require('./called-api')
const { enteredPackage } = require('./entered-package')
const { heaviestPath } = require('./heaviest-path')
const { withInlinedCalls } = require('./inlined-calls')
const { withoutInterruptNatives } = require('./interrupt-natives')
const { matchStacks } = require('./matching-stacks')
const { NO_SOURCE } = require('./source-lines')

/** @import { CodeFrame, Culprit } from '../../../../types/diagnostics' */
/** @import { CpuProfile } from '../../../../types/profile' */
/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */

/** @import { Stack } from './blocked-stacks' */
/** @import { Match } from './matching-stacks' */
/** @import { SourceLines } from './source-lines' */

/** @typedef {CallTree['frame']} Frame */

// A function that V8 inlined shares its time with its caller, so half of the time would miss it now and then
// (18 of 20 known culprits on Node 22); a third found 20 of 20 on Node 20 to 26.
const CULPRIT_SHARE = 1 / 3
const MAX_STACK = 50

const ENDING = /\.[^./\\]+$/
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|civet|coffee)(?:\?.*)?$/i

/**
 * @typedef {object} Findings
 * @property {Culprit | null} culprit
 * @property {CallTree['frame']['origin'] | null} origin  whose code the culprit is
 * @property {CodeFrame[]} stack  the heaviest one, innermost first
 * @property {number} codeMs      in JavaScript and native calls
 * @property {number} gcMs
 */

/**
 * @param {CpuProfile} profile  without frames of ours, as the recorder's windows are
 * @param {{ appRoot?: string, source?: SourceLines, culpritShare?: number }} [context]  culpritShare: that a function must have to be named
 * @param {Stack[]} [stacks]  read in this time
 * @returns {Findings}
 */
function findCulprit (profile, context = {}, stacks = []) {
  const { source = NO_SOURCE, culpritShare = CULPRIT_SHARE } = context
  const tree = withoutInterruptNatives(buildCallTree(profile, { ...context, names: 'bare' }))
  const root = withInlinedCalls(tree, stacks, source)
  const path = heaviestPath(root)
  const inclusive = inclusiveMicros(root)
  const gcMicros = root.children.find(({ frame }) => isMeta(frame, '(garbage collector)'))?.totalMicros ?? 0
  const codeMicros = root.children.reduce((sum, child) => child.frame.origin === 'meta' ? sum : sum + child.totalMicros, 0)
  const depth = culpritDepth(path, source, ({ frame }) => (inclusive.get(frame) ?? 0) >= codeMicros * culpritShare)
  const shareOf = (/** @type {CallTree} */ { frame }) => Math.round(Math.min(1, (inclusive.get(frame) ?? 0) / codeMicros) * 1e3) / 1e3
  return {
    culprit: depth === -1 ? null : { ...describe(path, depth, matchStacks(stacks, path, depth), source), share: shareOf(path[depth]) },
    origin: path[depth]?.frame.origin ?? null,
    stack: path.map(tree => toCodeFrame(tree, source)).reverse().slice(0, MAX_STACK),
    codeMs: codeMicros / 1e3,
    gcMs: gcMicros / 1e3
  }
}

/**
 * Time in a function and below it, over all the paths that lead to it, recursion counted once.
 * @param {CallTree} root
 * @returns {Map<Frame, number>}
 */
function inclusiveMicros (root) {
  const micros = new Map()
  const onPath = new Map()
  /** @type {{ tree: CallTree, leaving: boolean }[]} */
  const pending = [{ tree: root, leaving: false }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const { tree, leaving } = step
    const times = onPath.get(tree.frame) ?? 0
    onPath.set(tree.frame, leaving ? times - 1 : times + 1)
    if (leaving) continue
    if (times === 0) micros.set(tree.frame, (micros.get(tree.frame) ?? 0) + tree.totalMicros)
    pending.push({ tree, leaving: true })
    for (const child of tree.children) pending.push({ tree: child, leaving: false })
  }
  return micros
}

/**
 * The deepest heavy frame of the application; where that has none, of the package that it called, which answers for what that calls in
 * turn. An anonymous one (a comparator, a callback) says little: the nearest named one above it is taken, as long as the way up stays in
 * the same code.
 * @param {CallTree[]} path
 * @param {SourceLines} source
 * @param {(tree: CallTree) => boolean} isHeavy
 * @returns {number} -1 when there is none
 */
function culpritDepth (path, { dependsOn }, isHeavy) {
  const passedOn = path.findLastIndex(({ frame }) => isPassingOn(frame))
  const heavy = (/** @type {Frame['origin']} */ origin, /** @type {(frame: Frame) => boolean} */ isMeant) =>
    path.findLastIndex((tree, at) => tree.frame.origin === origin && isMeant(tree.frame) && isHeavy(tree) && (origin !== 'app' || at > passedOn))
  const frames = path.map(({ frame }) => frame)
  const called = calledPackage(frames.slice(passedOn + 1), dependsOn) ?? calledPackage(frames, dependsOn)
  const isCalled = (/** @type {Frame} */ frame) => isWritten(frame) && packageOf(frame.file) === called
  for (const [origin, isMeant] of /** @type {const} */ ([['app', isWritten], ['dependency', isCalled], ['dependency', isWritten], ['app', () => true], ['wasm', () => true]])) {
    const depth = heavy(origin, isMeant)
    if (depth !== -1) return nearestNamed(path, depth)
  }
  return -1
}

/**
 * Templates and what `new Function` made are nobody's file: who called them is meant, as with WebAssembly. What makes code of a template
 * often gives it the template's name, but not its lines.
 * @param {Frame} frame
 */
function isWritten ({ file }) {
  return file !== '' && (SCRIPT.test(file) || !ENDING.test(file))
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 */
function nearestNamed (path, depth) {
  const { origin, file } = path[depth].frame
  for (let up = depth; up >= 0; up--) {
    const { frame } = path[up]
    if (frame.origin === 'node' || frame.origin === 'native' || frame.origin === 'wasm') continue
    if (frame.origin !== origin || (origin === 'dependency' && packageOf(frame.file) !== packageOf(file))) break
    if (frame.name !== '(anonymous)') return up
  }
  return depth
}

/**
 * @param {CallTree[]} path
 * @param {number} depth
 * @param {Match[]} matches
 * @param {SourceLines} source
 * @returns {Omit<Culprit, 'share'>}
 */
function describe (path, depth, matches, source) {
  const { frame } = path[depth]
  const position = positionOf(path, depth, matches, source)
  return {
    function: frame.name,
    file: frame.file,
    ...position,
    functionLine: frame.line,
    call: calledApi(path, depth, matches, position, source),
    via: enteredPackage(path, depth, matches, position, source)
  }
}

/**
 * @param {CallTree} tree
 * @param {SourceLines} source
 * @returns {CodeFrame} with the hottest line where V8 told the lines, else the one on which the function begins
 */
function toCodeFrame (tree, source) {
  const { frame } = tree
  const line = hottestLine(tree, source)
  return { function: frame.name, file: frame.file, line: line ?? frame.line, column: line === null || line === frame.line ? frame.column : 0 }
}

/**
 * @param {Frame} frame
 * @param {string} name
 */
function isMeta (frame, name) {
  return frame.origin === 'meta' && frame.name === name
}

module.exports = { findCulprit }
