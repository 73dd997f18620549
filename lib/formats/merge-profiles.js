'use strict'

// Merges profiles of several processes, or of the threads of one: CPU profiles, and sampled allocations. Pure.

const { countBy } = require('../base/sums')
const { assertCpuProfile } = require('./profile/assert-profile')
const { metaFrame } = require('./profile/nodes')

/** @import { CallFrame, CpuProfile, ProfileNode, SampleLabels } from '../../types/profile' */
/** @import { SampledNode, SamplingProfile } from './profile/heap-tree' */

/**
 * @typedef {object} MergedNode
 * @property {ProfileNode & { children: number[] }} node
 * @property {Map<CallFrame, MergedNode>} below
 * @property {Map<number, number>} ticks  by line
 *
 * @typedef {{ node: SampledNode, below: Map<CallFrame, Merged> }} Merged
 */

const NO_SCRIPT = '0' // V8's for native functions
const ROOT = metaFrame('(root)')

/**
 * The processes' times stand one after another, so that each sample keeps its own and the whole is the time of all of them; which process a sample
 * is of stands beside it.
 * @param {{ process: string, profile: CpuProfile }[]} parts  process: a name that only one of them has
 * @param {{ of?: 'process' | 'thread' }} [options]  what they are
 * @returns {CpuProfile}
 */
function mergeProfiles (parts, options) {
  const merging = new Merging(options)
  for (const part of parts) merging.add(part)
  return merging.result()
}

/** One by one, for callers with other work in between. */
class Merging {
  #of
  #frameOf = createMergedFrames()
  /** @type {MergedNode[]} */
  #nodes = []
  /** @type {MergedNode | undefined} */
  #root
  /** @type {number[]} */
  #samples = []
  /** @type {number[]} */
  #timeDeltas = []
  #routes = new Labels()
  #processes = new Labels()
  #hasRoutes = false
  #fromMicros = Infinity
  #toMicros = -Infinity

  /** @param {{ of?: 'process' | 'thread' }} [options] */
  constructor ({ of = 'process' } = {}) {
    this.#of = of
  }

  /** @param {{ process: string, profile: CpuProfile }} part @throws ERR_LOOPSCOPE_INVALID_PROFILE */
  add ({ process, profile }) {
    assertCpuProfile(profile)
    const idOf = this.#addNodes(profile.nodes)
    const { samples, routes } = profile
    this.#processes.nameAll([process])
    this.#routes.nameAll(routes?.names ?? [])
    this.#hasRoutes ||= routes !== undefined
    for (const { index, micros } of timedSamples(profile)) {
      this.#samples.push(/** @type {number} */ (idOf.get(samples[index])))
      this.#timeDeltas.push(micros)
      this.#processes.add(process)
      this.#routes.add(routes?.names[routes.samples[index]])
    }
    this.#fromMicros = Math.min(this.#fromMicros, profile.startTime)
    this.#toMicros = Math.max(this.#toMicros, profile.endTime)
  }

  /** @returns {CpuProfile} */
  result () {
    const isEmpty = this.#root === undefined
    if (isEmpty) this.#rootFor(ROOT)
    const startTime = isEmpty ? 0 : this.#fromMicros
    return {
      nodes: this.#nodes.map(({ node, ticks }) =>
        ticks.size === 0 ? node : { ...node, positionTicks: [...ticks].map(([line, count]) => ({ line, ticks: count })) }),
      startTime,
      endTime: this.#timeDeltas.reduce((sum, micros) => sum + micros, startTime),
      samples: this.#samples,
      timeDeltas: this.#timeDeltas,
      ...(this.#hasRoutes && { routes: this.#routes.list() }),
      processes: {
        ...this.#processes.list(),
        wallMicros: isEmpty ? 0 : this.#toMicros - this.#fromMicros,
        ...(this.#of === 'thread' && { of: this.#of })
      }
    }
  }

  /**
   * @param {ProfileNode[]} nodes  of one process
   * @returns {Map<number, number>} by their id that of the merged one
   */
  #addNodes (nodes) {
    const byId = new Map(nodes.map(node => [node.id, node]))
    const childIds = new Set(nodes.flatMap(({ children = [] }) => children))
    const root = /** @type {ProfileNode} */ (nodes.find(({ id }) => !childIds.has(id)))
    const idOf = new Map()
    const waiting = [{ node: root, merged: this.#rootFor(root.callFrame) }]
    for (const { node, merged } of waiting) {
      idOf.set(node.id, merged.node.id)
      addCounts(merged, node)
      for (const id of node.children ?? []) {
        const child = /** @type {ProfileNode} */ (byId.get(id))
        waiting.push({ node: child, merged: this.#childOf(merged, child.callFrame) })
      }
    }
    return idOf
  }

  /** @param {CallFrame} callFrame */
  #rootFor (callFrame) {
    this.#root ??= this.#create(this.#frameOf(callFrame))
    return this.#root
  }

  /** @param {MergedNode} above @param {CallFrame} callFrame */
  #childOf ({ node, below }, callFrame) {
    const frame = this.#frameOf(callFrame)
    const known = below.get(frame)
    if (known !== undefined) return known
    const made = this.#create(frame)
    below.set(frame, made)
    node.children.push(made.node.id)
    return made
  }

  /**
   * @param {CallFrame} callFrame  of #frameOf
   * @returns {MergedNode}
   */
  #create (callFrame) {
    const made = { node: { id: this.#nodes.length + 1, callFrame, hitCount: 0, children: [] }, below: new Map(), ticks: new Map() }
    this.#nodes.push(made)
    return made
  }
}

/** Names, each once, and for each sample the number of one. */
class Labels {
  /** @type {Map<string, number>} */
  #numbers = new Map()
  /** @type {number[]} */
  #samples = []

  /** @param {string[]} names */
  nameAll (names) {
    for (const name of names) if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size)
  }

  /** @param {string | undefined} name  of the next sample; one of those that were named, or none */
  add (name) {
    this.#samples.push(name === undefined ? -1 : this.#numbers.get(name) ?? -1)
  }

  /** @returns {SampleLabels} */
  list () {
    return { names: [...this.#numbers.keys()], samples: this.#samples }
  }
}

/** @param {MergedNode} merged @param {ProfileNode} added */
function addCounts ({ node, ticks: ticksOf }, { hitCount = 0, positionTicks = [] }) {
  node.hitCount = (node.hitCount ?? 0) + hitCount
  for (const { line, ticks } of positionTicks) ticksOf.set(line, (ticksOf.get(line) ?? 0) + ticks)
}

/**
 * The samples in the order of their times, each with its own, as a call tree weighs them: that from the last one to the end is the last one's.
 * @param {CpuProfile} profile
 * @returns {{ index: number, micros: number }[]}
 */
function timedSamples ({ samples, timeDeltas, startTime, endTime }) {
  let at = startTime
  const taken = samples.map((_, index) => {
    at += timeDeltas[index]
    return { index, at }
  })
  taken.sort((a, b) => a.at - b.at)
  let before = startTime
  return taken.map(({ index, at }, order) => {
    const until = order === taken.length - 1 ? Math.max(at, endTime) : at
    const micros = Math.max(0, until - before)
    before = Math.max(before, until)
    return { index, micros }
  })
}

/** The bytes of each stack added up, and beside them whose they are. One by one, as above. */
class HeapMerging {
  #nodes = 0
  #root = this.#create(ROOT)
  #frameOf = createMergedFrames()
  /** @type {SamplingProfile['samples']} */
  #samples = []

  /** @param {{ process: string, profile: SamplingProfile }} part  process: a name that only one of them has */
  add ({ process, profile: { head, samples } }) {
    const counts = countBy(samples, ({ nodeId }) => nodeId)
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

  /** @param {Merged} above @param {CallFrame} callFrame */
  #childOf ({ node, below }, callFrame) {
    const frame = this.#frameOf(callFrame)
    const known = below.get(frame)
    if (known !== undefined) return known
    const made = this.#create(frame)
    below.set(frame, made)
    node.children.push(made.node)
    return made
  }

  /** @param {CallFrame} callFrame @returns {Merged} */
  #create (callFrame) {
    return { node: { callFrame, selfSize: 0, id: ++this.#nodes, children: [] }, below: new Map() }
  }
}

/** @param {SampledNode} node @param {NonNullable<SampledNode['processes']>[number]} held */
function addHeld (node, held) {
  node.selfSize += held.bytes
  node.processes ??= []
  const known = node.processes.find(({ process }) => process === held.process)
  if (known === undefined) node.processes.push(held)
  else Object.assign(known, { bytes: known.bytes + held.bytes, samples: known.samples + held.samples })
}

/**
 * One object for each function of several processes. Functions are the same by name, file and position: the scripts of each process are numbered by
 * itself, so here they are numbered anew, by file.
 * @returns {(callFrame: CallFrame) => CallFrame}
 */
function createMergedFrames () {
  /** @type {Map<string, CallFrame>} */
  const frames = new Map()
  /** @type {Map<string, string>} */
  const scripts = new Map()
  return ({ functionName, scriptId, url, lineNumber, columnNumber }) => {
    const isNative = Number(scriptId) === Number(NO_SCRIPT)
    const key = `${functionName}\0${url}\0${lineNumber}:${columnNumber}:${isNative}`
    const known = frames.get(key)
    if (known !== undefined) return known
    if (!isNative && !scripts.has(url)) scripts.set(url, String(scripts.size + 1))
    const script = isNative ? NO_SCRIPT : /** @type {string} */ (scripts.get(url))
    const frame = { functionName, scriptId: script, url, lineNumber, columnNumber }
    frames.set(key, frame)
    return frame
  }
}

module.exports = { HeapMerging, mergeProfiles, Merging }
