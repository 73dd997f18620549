'use strict'

// What V8 compiled into its caller has no frame in the samples: its time is the caller's own, with lines of the callee's or with that of
// the call; below Node's own functions (process.nextTick, emit) an application may be missing altogether. The stacks of the stall have
// such calls. Where they tell of one, and the lines of the samples do not say otherwise, the time is given to it. Pure.

const { describeFrame } = require('../../../shared/formats/profile/frame')
const { lengthOf } = require('./call-in-source')
const { heaviestPath } = require('./heaviest-path')
const { isSame, matchStacks, mostFrequent } = require('./matching-stacks')

/** @import { CallTree } from '../../../shared/formats/profile/call-tree' */
/** @import { Stack, StackCall } from './blocked-stacks' */
/** @import { SourceLines } from './source-lines' */

/**
 * @typedef {object} Inlined
 * @property {StackCall} callee
 * @property {Set<number>} callLines  of the caller
 * @property {StackCall[]} insides    it and what it had called, as far as they were at work and not only about to begin
 */

const MAX_INLINED = 10 // one into the other
const MAX_INSIDES = 4 // of one stack
const MAX_FUNCTION_LINES = 2000
const SHARE = 1 / 2

/**
 * @param {CallTree} root  is changed
 * @param {Stack[]} stacks
 * @param {SourceLines} source
 * @returns {CallTree} the same
 */
function withInlinedCalls (root, stacks, source) {
  for (let left = MAX_INLINED; left > 0; left--) {
    const path = heaviestPath(root)
    const inlined = path.length === 0 ? null : inlinedCall(path, stacks)
    if (inlined === null || !giveTime(path, inlined, frameOf(root, inlined.callee), source)) break
  }
  return root
}

/**
 * @param {CallTree[]} path
 * @param {Stack[]} stacks
 * @returns {Inlined | null} what most stacks saw below the function that the samples end with
 */
function inlinedCall (path, stacks) {
  const matches = matchStacks(stacks, path, path.length - 1)
  const calls = matches.flatMap(({ call, inner }) => {
    const at = inner.findLastIndex(isOfSomebody)
    const insides = inner.slice(0, at + 1).filter((one, index) => isOfSomebody(one) && (index > 0 || one.line !== one.functionLine))
    return at === -1 ? [] : [{ line: call.line, callee: inner[at], insides: insides.slice(-MAX_INSIDES) }]
  })
  const most = mostFrequent(calls, ({ callee }) => keyOf(callee))
  if (most === undefined || most.count < matches.length * SHARE) return null
  const { callee } = most.value
  const same = calls.filter(call => keyOf(call.callee) === keyOf(callee))
  const insides = new Map(same.flatMap(({ insides }) => insides).map(one => [keyOf(one), one]))
  return { callee, callLines: new Set(same.map(({ line }) => line)), insides: [...insides.values()] }
}

/** @param {StackCall} call */
function keyOf ({ functionLine, functionColumn, file }) {
  return `${functionLine}:${functionColumn}:${file}`
}

/**
 * @param {CallTree[]} path
 * @param {Inlined} inlined
 * @param {CallTree['frame']} frame  of the callee
 * @param {SourceLines} source
 * @returns {boolean} whether it was the callee's
 */
function giveTime (path, inlined, frame, source) {
  const caller = path[path.length - 1]
  const lines = [...caller.lines].filter(([line]) => isOfCallee(line, caller.frame, inlined, source))
  const share = caller.frame.origin === 'node' || caller.lines.size === 0 ? 1 : sum(lines) / sum([...caller.lines])
  if (caller.selfMicros === 0 || share < SHARE) return false
  const callee = childOf(caller, frame)
  const micros = caller.selfMicros * share
  const selfSamples = Math.round(caller.selfSamples * share)
  for (const [line, micros] of lines) {
    caller.lines.delete(line)
    if (!inlined.callLines.has(line)) callee.lines.set(line, (callee.lines.get(line) ?? 0) + micros)
  }
  caller.selfMicros -= micros
  caller.selfSamples -= selfSamples
  callee.selfMicros += micros
  callee.totalMicros += micros
  callee.selfSamples += selfSamples
  return true
}

/**
 * A line of a profile has no file. One that both functions have may be where the caller made a native call, which no sample has a frame
 * of either and after which the stack was read: then the callee had only begun.
 * @param {number} line
 * @param {CallTree['frame']} caller
 * @param {Inlined} inlined
 * @param {SourceLines} source
 */
function isOfCallee (line, caller, { callee, callLines, insides }, source) {
  if (callLines.has(line) && insides.some(one => keyOf(one) === keyOf(callee))) return true
  if (insides.some(one => isWithin(line, one, source))) return true
  if (!isWithin(line, callee, source)) return false
  if (caller.file === callee.file && caller.line < callee.functionLine) return true
  return !isWithin(line, { file: caller.file, functionLine: caller.line }, source)
}

/**
 * @param {number} line
 * @param {Pick<StackCall, 'file' | 'functionLine'>} beginning  of a function
 * @param {SourceLines} source
 */
function isWithin (line, { file, functionLine }, source) {
  if (line < functionLine) return false
  const lines = source.read(file, functionLine, functionLine + MAX_FUNCTION_LINES)
  return lines.length === 0 || line < functionLine + lengthOf(lines)
}

/**
 * @param {CallTree} root
 * @param {StackCall} call
 * @returns {CallTree['frame']} the one that samples saw, if any did
 */
function frameOf (root, call) {
  const pending = [root]
  for (const tree of pending) {
    if (isSame(tree.frame, call)) return tree.frame
    pending.push(...tree.children)
  }
  const { name, file, functionLine, functionColumn } = call
  const callFrame = { functionName: name, scriptId: '', url: file, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
  return describeFrame(callFrame)
}

/**
 * @param {CallTree} parent
 * @param {CallTree['frame']} frame
 */
function childOf (parent, frame) {
  const known = parent.children.find(child => child.frame === frame)
  if (known !== undefined) return known
  const child = { frame, selfMicros: 0, totalMicros: 0, selfSamples: 0, children: [], lines: new Map(), routes: new Map(), processes: new Map() }
  parent.children.push(child)
  return child
}

/** @param {StackCall} call */
function isOfSomebody ({ file, functionLine }) {
  return file !== '' && !/^(?:node|wasm):/.test(file) && functionLine > 0
}

/** @param {[number, number][]} lines */
function sum (lines) {
  return lines.reduce((all, [, micros]) => all + micros, 0)
}

module.exports = { withInlinedCalls }
