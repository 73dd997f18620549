'use strict'

// Joins windows (rotated CPU profiles) and cuts views across them. Pure: profiles in, profiles out.
//
// In a .cpuprofile timeDeltas[i] is the time from sample i - 1 (or startTime) to sample i. Cutting keeps that true: a cut
// profile begins exactly at `from`, and its first delta is the rest of the gap that the cut fell into.

const { metaFrame } = require('../../formats/profile/nodes')

/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

/**
 * The same profile with its samples in order of time: V8 writes samples from its own thread and from the signal handler as they come, which
 * sometimes gives negative deltas.
 * @param {CpuProfile} profile
 * @returns {CpuProfile}
 */
function inOrder (profile) {
  if (profile.timeDeltas.every(delta => delta >= 0)) return profile
  let micros = profile.startTime
  const taken = profile.samples.map((id, index) => {
    micros += profile.timeDeltas[index]
    return { id, micros }
  })
  taken.sort((left, right) => left.micros - right.micros)
  let before = profile.startTime
  const timeDeltas = taken.map(({ micros }) => {
    const delta = Math.max(0, micros - before)
    before = Math.max(before, micros)
    return delta
  })
  return { ...profile, samples: taken.map(({ id }) => id), timeDeltas }
}

/**
 * The part of a profile between two moments. A sample belongs to the gap that it ends, so the gap across `to` is cut there, and its sample is
 * kept at `to`.
 * @param {CpuProfile} profile  in order
 * @param {number} fromMicros
 * @param {number} toMicros
 * @returns {CpuProfile}
 */
function slice (profile, fromMicros, toMicros) {
  const startTime = Math.max(fromMicros, profile.startTime)
  const endTime = Math.max(startTime, Math.min(toMicros, profile.endTime))
  const samples = []
  const timeDeltas = []
  let at = profile.startTime
  let lastKept = startTime
  for (let index = 0; index < profile.samples.length; index++) {
    at += profile.timeDeltas[index]
    if (at <= startTime) continue
    const cut = Math.min(at, endTime)
    samples.push(profile.samples[index])
    timeDeltas.push(cut - lastKept)
    lastKept = cut
    if (at >= endTime) break
  }
  return { nodes: profile.nodes, startTime, endTime, samples, timeDeltas }
}

/**
 * Joins consecutive profiles into one: node ids are remapped, and equal frames under equal parents become one node. A hole between two profiles
 * (the recorder was paused) counts as idle, since it has no samples. positionTicks remain those of the whole windows: V8 does not record which
 * sample was on which line.
 * @param {CpuProfile[]} profiles  in order of time, not overlapping; at least one
 * @returns {CpuProfile}
 */
function merge (profiles) {
  const tree = new MergedTree()
  const { startTime } = profiles[0]
  /** @type {number[]} */
  const samples = []
  /** @type {number[]} */
  const timeDeltas = []
  let at = startTime // time of the last sample
  let seenTo = startTime
  /** @type {(id: number, micros: number) => void} */
  const addSample = (id, micros) => {
    samples.push(id)
    timeDeltas.push(micros - at)
    at = micros
  }
  for (const profile of profiles) {
    const idOf = tree.add(profile)
    if (profile.startTime > seenTo) addSample(tree.idleId(), profile.startTime)
    let micros = profile.startTime
    profile.samples.forEach((sample, index) => {
      micros += profile.timeDeltas[index]
      addSample(idOf.get(sample) ?? tree.idleId(), micros)
    })
    seenTo = profile.endTime
  }
  return { nodes: tree.nodesWithHits(samples), startTime, endTime: seenTo, samples, timeDeltas }
}

/** A call tree that merges whole profiles and renumbers their nodes. */
class MergedTree {
  /** @type {ProfileNode[]} */
  #nodes = []
  /** For each node, its children by frame.
   * @type {Map<number, Map<string, number>>} */
  #childrenByFrame = new Map()

  /** @param {CpuProfile} profile @returns {Map<number, number>} the profile's node ids -> those of the merged tree */
  add (profile) {
    const byId = new Map(profile.nodes.map(node => [node.id, node]))
    const idOf = new Map()
    const [root] = profile.nodes
    if (root === undefined) return idOf
    const pending = [{ node: root, parent: 0 }]
    for (const { node, parent } of pending) {
      const id = this.#place(node, parent)
      idOf.set(node.id, id)
      for (const child of node.children ?? []) {
        const found = byId.get(child)
        if (found) pending.push({ node: found, parent: id })
      }
    }
    return idOf
  }

  /** The id of the (idle) node, for time in which nothing ran. */
  idleId () {
    const root = this.#nodes[0]?.id ?? this.#place({ id: 0, callFrame: metaFrame('(root)') }, 0)
    return this.#place({ id: 0, callFrame: metaFrame('(idle)') }, root)
  }

  /** @param {number[]} samples */
  nodesWithHits (samples) {
    for (const id of samples) this.#nodes[id - 1].hitCount = (this.#nodes[id - 1].hitCount ?? 0) + 1
    return this.#nodes
  }

  /** @param {ProfileNode} node @param {number} parent  0 for the root itself */
  #place (node, parent) {
    const siblings = this.#childrenByFrame.get(parent) ?? new Map()
    this.#childrenByFrame.set(parent, siblings)
    const key = keyOf(node.callFrame)
    const known = siblings.get(key)
    if (known !== undefined) {
      this.#nodes[known - 1].positionTicks = sumTicks(this.#nodes[known - 1].positionTicks, node.positionTicks)
      return known
    }
    const id = this.#nodes.length + 1
    this.#nodes.push({ id, callFrame: node.callFrame, hitCount: 0, children: [], positionTicks: node.positionTicks })
    siblings.set(key, id)
    if (parent !== 0) this.#nodes[parent - 1].children?.push(id)
    return id
  }
}

/** @param {CallFrame} frame */
function keyOf ({ functionName, scriptId, url, lineNumber, columnNumber }) {
  return `${scriptId}:${lineNumber}:${columnNumber}:${functionName}:${url}`
}

/** @param {ProfileNode['positionTicks']} [left] @param {ProfileNode['positionTicks']} [right] */
function sumTicks (left, right) {
  if (left === undefined || right === undefined) return left ?? right
  const byLine = new Map(left.map(({ line, ticks }) => [line, ticks]))
  for (const { line, ticks } of right) byLine.set(line, (byLine.get(line) ?? 0) + ticks)
  return [...byLine].map(([line, ticks]) => ({ line, ticks }))
}

module.exports = { inOrder, slice, merge }
