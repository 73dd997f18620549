'use strict'

// Stacks that were read in the middle of a stall as a small CPU profile, a sample each, so that what reads samples reads them too. It
// knows no times: the samples are a microsecond each. Pure.

const { isBuiltin } = require('./blocked-stacks')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../../types/profile' */
/** @import { Stack, StackCall } from './blocked-stacks' */

const ROOT = Object.freeze({ functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })
const SOME_SCRIPT = '1' // code without a file is no native function, which V8 gives the script 0

/**
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

module.exports = { lookProfile }
