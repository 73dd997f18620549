'use strict'

// Finds the culprit from the stack probes of a stall that has next to no samples: the one application function that is in all of them. V8
// chooses the moment of a probe, and there are few: if one shows another function, no culprit is named. Pure: takes probes, returns plain data.

const { isBuiltin } = require('./blocked-stacks')
const { findCulprit } = require('./find-culprit')
const { hasNotBegun } = require('./matching-stacks')

/** @import { Culprit } from '../../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../../types/profile' */
/** @import { StackProbe, Stack, StackCall } from './blocked-stacks' */
/** @import { Findings } from './find-culprit' */
/** @import { SourceLines } from './source-lines' */

const MIN_PROBES = 3
// Probes requested during one collection are all answered at once when it ends: together they are one observation. The value is the
// period of the samples.
const MIN_APART_MICROS = 10e3

const ROOT = Object.freeze({ functionName: '(root)', scriptId: '0', url: '', lineNumber: -1, columnNumber: -1 })
const SOME_SCRIPT = '1' // any script other than 0, which V8 gives to native functions

/**
 * @param {StackProbe[]} probes  in order
 * @param {{ appRoot?: string, source?: SourceLines }} [context]
 * @returns {Findings | null} its share is that of the probes; null rather than a wrong culprit
 */
function culpritFromStacks (probes, context) {
  const independent = independentProbes(probes)
  if (independent.length < MIN_PROBES) return null
  const found = find(independent, context)
  if (found.origin !== 'app' || found.culprit?.share !== 1) return null
  return probes.every(probe => isSame(find([probe], context).culprit, found.culprit)) ? found : null
}

/**
 * @param {StackProbe} probe
 * @param {Parameters<typeof findCulprit>[1]} context
 * @returns {Culprit | null} what ran at that moment
 */
function culpritAt (probe, context) {
  return find([probe], context).culprit
}

/** @param {StackProbe[]} probes */
function independentProbes (probes) {
  let lastMicros = -Infinity
  return probes.filter(({ atMicros }) => {
    if (atMicros - lastMicros < MIN_APART_MICROS) return false
    lastMicros = atMicros
    return true
  })
}

/** @param {StackProbe[]} probes @param {Parameters<typeof findCulprit>[1]} context */
function find (probes, context) {
  const stacks = probes.map(({ stack }) => stack.slice(hasNotBegun(stack[0]) ? 1 : 0))
  return findCulprit(profileOfProbes(stacks), context, stacks)
}

/** @param {Culprit | null} one @param {Culprit | null} other */
function isSame (one, other) {
  return one?.function === other?.function && one?.file === other?.file && one?.functionLine === other?.functionLine
}

/**
 * Stacks as a small CPU profile with one sample per stack, so that code that reads samples can read them. It has no durations: each sample
 * lasts a microsecond.
 * @param {Stack[]} stacks
 * @returns {CpuProfile}
 */
function profileOfProbes (stacks) {
  /** @type {ProfileNode[]} */
  const nodes = [{ id: 1, callFrame: ROOT, children: [] }]
  const samples = stacks.map(stack => addStack(nodes, stack))
  return { nodes, startTime: 0, endTime: samples.length, samples, timeDeltas: samples.map(() => 1) }
}

/**
 * Adds separate nodes for each stack: a call tree merges those of the same function.
 * @param {ProfileNode[]} nodes  the nodes are added here
 * @param {Stack} stack
 * @returns {number} the innermost node
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

/** @param {StackCall} call @returns {CallFrame} */
function toCallFrame ({ name, file, functionLine, functionColumn }) {
  return { functionName: name, scriptId: SOME_SCRIPT, url: file, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
}

module.exports = { culpritAt, culpritFromStacks }
