'use strict'

// Sampled allocations of several processes as one heap profile: the bytes of each stack added up, and beside them whose they are. Functions
// are the same as in a merged CPU profile. Pure.

const { ROOT, createMergedFrames } = require('./merged-frames')

/** @import { CallFrame } from '../../../../types/profile' */
/** @import { SampledNode, SamplingProfile } from '../profile/heap-tree' */

/** @typedef {{ node: SampledNode, below: Map<CallFrame, Merged> }} Merged */

/** One by one, for callers with other work in between. */
class HeapMerging {
  #nodes = 0
  #root = this.#create(ROOT)
  #frameOf = createMergedFrames()
  /** @type {SamplingProfile['samples']} */
  #samples = []

  /** @param {{ process: string, profile: SamplingProfile }} part  process: a name that only one of them has */
  add ({ process, profile: { head, samples } }) {
    const counts = countByNode(samples)
    /** @type {Map<number, number>} */
    const idOf = new Map()
    const waiting = [{ node: head, merged: this.#root }]
    for (const { node, merged } of waiting) {
      idOf.set(node.id, merged.node.id)
      if (node.selfSize > 0) addHeld(merged.node, { process, bytes: node.selfSize, samples: counts.get(node.id) ?? 0 })
      for (const child of node.children) waiting.push({ node: child, merged: this.#childOf(merged, child.callFrame) })
    }
    for (const sample of samples) {
      this.#samples.push({ ...sample, nodeId: idOf.get(sample.nodeId) ?? this.#root.node.id, ordinal: this.#samples.length + 1 })
    }
  }

  /** @returns {SamplingProfile} */
  result () {
    return { head: this.#root.node, samples: this.#samples }
  }

  /**
   * @param {Merged} above
   * @param {CallFrame} callFrame
   */
  #childOf ({ node, below }, callFrame) {
    const frame = this.#frameOf(callFrame)
    const known = below.get(frame)
    if (known !== undefined) return known
    const made = this.#create(frame)
    below.set(frame, made)
    node.children.push(made.node)
    return made
  }

  /**
   * @param {CallFrame} callFrame
   * @returns {Merged}
   */
  #create (callFrame) {
    return { node: { callFrame, selfSize: 0, id: ++this.#nodes, children: [] }, below: new Map() }
  }
}

/**
 * @param {SampledNode} node
 * @param {NonNullable<SampledNode['processes']>[number]} held
 */
function addHeld (node, held) {
  node.selfSize += held.bytes
  node.processes ??= []
  const known = node.processes.find(({ process }) => process === held.process)
  if (known === undefined) node.processes.push(held)
  else Object.assign(known, { bytes: known.bytes + held.bytes, samples: known.samples + held.samples })
}

/**
 * @param {SamplingProfile['samples']} samples
 * @returns {Map<number, number>}
 */
function countByNode (samples) {
  const counts = new Map()
  for (const { nodeId } of samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1)
  return counts
}

module.exports = { HeapMerging }
