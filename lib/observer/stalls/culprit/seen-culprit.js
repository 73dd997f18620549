'use strict'

// The culprit as far as the looks of a stall show it, where next to no samples do: the one function of the application that all of them
// were in. A look is read at a moment that V8 chooses, and there are few of them: one that shows another function, and no culprit is named.
// Pure: looks in, plain data out.

const { isBuiltin } = require('./blocked-stacks')
const { findCulprit } = require('./find-culprit')
const { hasNotBegun } = require('./matching-stacks')

/** @import { Culprit } from '../../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../../types/profile' */
/** @import { Look, Stack, StackCall } from './blocked-stacks' */
/** @import { Findings } from './find-culprit' */
/** @import { SourceLines } from './source-lines' */

const MIN_LOOKS = 3
// What is asked for during one collection is answered when that ends, all at once: that is one moment, and says one thing. The period of
// the samples.
const MIN_APART_MICROS = 10e3

const ROOT = Object.freeze({ functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })
const SOME_SCRIPT = '1' // code without a file is no native function, which V8 gives the script 0

/**
 * @param {Look[]} looks  in order
 * @param {{ appRoot?: string, source?: SourceLines }} [context]
 * @returns {Findings | null} its share is that of the looks; null rather than a wrong one
 */
function seenCulprit (looks, context) {
  const apart = thoseApart(looks)
  if (apart.length < MIN_LOOKS) return null
  const found = find(apart, context)
  if (found.origin !== 'app' || found.culprit?.share !== 1) return null
  return looks.every(look => isSame(find([look], context).culprit, found.culprit)) ? found : null
}

/** @param {Look[]} looks */
function thoseApart (looks) {
  let lastMicros = -Infinity
  return looks.filter(({ atMicros }) => {
    if (atMicros - lastMicros < MIN_APART_MICROS) return false
    lastMicros = atMicros
    return true
  })
}

/**
 * @param {Look[]} looks
 * @param {Parameters<typeof findCulprit>[1]} context
 */
function find (looks, context) {
  const stacks = looks.map(({ stack }) => stack.slice(hasNotBegun(stack[0]) ? 1 : 0))
  return findCulprit(lookProfile(stacks), context, stacks)
}

/**
 * @param {Culprit | null} one
 * @param {Culprit | null} other
 */
function isSame (one, other) {
  return one?.function === other?.function && one?.file === other?.file && one?.functionLine === other?.functionLine
}

/**
 * Stacks as a small CPU profile, a sample each, so that what reads samples reads them too. It has no times: the samples are a microsecond
 * each.
 * @param {Stack[]} stacks
 * @returns {CpuProfile}
 */
function lookProfile (stacks) {
  /** @type {ProfileNode[]} */
  const nodes = [{ id: 1, callFrame: ROOT, children: [] }]
  const samples = stacks.map(stack => addStack(nodes, stack))
  return { nodes, startTime: 0, endTime: samples.length, samples, timeDeltas: samples.map(() => 1) }
}

/**
 * Nodes of its own for each: a call tree has one of those of the same function.
 * @param {ProfileNode[]} nodes  takes them
 * @param {Stack} stack
 * @returns {number} the innermost one
 */
function addStack (nodes, stack) {
  const calls = stack.filter(call => !isBuiltin(call)).reverse() // samples have no builtins either
  const innermost = calls.reduce((parent, call) => {
    const node = { id: nodes.length + 1, callFrame: toCallFrame(call), children: [] }
    nodes.push(node)
    parent.children?.push(node.id)
    return node
  }, nodes[0])
  const line = calls.at(-1)?.line ?? 0
  if (line > 0) innermost.positionTicks = [{ line, ticks: 1 }]
  return innermost.id
}

/**
 * @param {StackCall} call
 * @returns {CallFrame}
 */
function toCallFrame ({ name, file, functionLine, functionColumn }) {
  return { functionName: name, scriptId: SOME_SCRIPT, url: file, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
}

module.exports = { seenCulprit }
