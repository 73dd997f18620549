'use strict'

// A CPU profile made of what was seen of a stuck thread, for when V8 does not give up its samples: each stack that was read stands for the
// time since the one before. An estimate. Pure.

const path = require('node:path')
const { pathToFileURL } = require('node:url')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { BlockedCall } from '../../main/stalls/blocked-stack' */

const NOTHING_SEEN = frameOf('(native call, or not run)', '', 0, 0)
const ROOT = frameOf('(root)', '', 0, 0)

/**
 * @param {{ atMicros: number, calls: BlockedCall[] }[]} looks  in order; calls innermost first
 * @param {number} fromMicros
 * @param {number} toMicros
 * @returns {CpuProfile}
 */
function stuckProfile (looks, fromMicros, toMicros) {
  /** @type {ProfileNode[]} */
  const nodes = [{ id: 1, callFrame: ROOT, children: [] }]
  const stacks = looks.length === 0 ? [[NOTHING_SEEN]] : looks.map(({ calls }) => calls.map(toFrame).reverse())
  const samples = stacks.map(frames => frames.reduce((parent, frame) => childOf(nodes, parent, frame), 1))
  const times = looks.length === 0 ? [toMicros] : looks.map(({ atMicros }) => Math.round(atMicros))
  const timeDeltas = times.map((at, index) => at - (times[index - 1] ?? fromMicros))
  return { nodes, startTime: fromMicros, endTime: toMicros, samples, timeDeltas }
}

/**
 * @param {ProfileNode[]} nodes
 * @param {number} parent
 * @param {CallFrame} callFrame
 * @returns {number}
 */
function childOf (nodes, parent, callFrame) {
  const { children = [] } = nodes[parent - 1]
  const known = children.find(id => isSame(nodes[id - 1].callFrame, callFrame))
  if (known !== undefined) return known
  const id = nodes.length + 1
  nodes.push({ id, callFrame, children: [] })
  nodes[parent - 1].children = [...children, id]
  return id
}

/**
 * @param {CallFrame} left
 * @param {CallFrame} right
 */
function isSame (left, right) {
  return left.functionName === right.functionName && left.url === right.url &&
    left.lineNumber === right.lineNumber && left.columnNumber === right.columnNumber
}

/** @param {BlockedCall} call */
function toFrame ([name, , file, , , functionLine, functionColumn]) {
  return frameOf(name, path.isAbsolute(file) ? pathToFileURL(file).href : file, functionLine, functionColumn)
}

/**
 * @param {string} functionName
 * @param {string} url
 * @param {number} line    from 1
 * @param {number} column
 * @returns {CallFrame}
 */
function frameOf (functionName, url, line, column) {
  return { functionName, scriptId: '0', url, lineNumber: line - 1, columnNumber: column - 1 }
}

module.exports = { stuckProfile }
