'use strict'

// Evidence of a stall that is sent while it lasts, because the process may be killed for it. The first is sent when the stall has lasted for stallMs,
// each further one after four times as long.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { guarded } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @import { BlockedCall } from '../../probe/blocked-stack' */
/** @import { View } from '../recorder/views' */
/** @import { createStallDetection } from '../stalls/stall-detection' */
/** @import { Stuck } from '../stalls/stall-watch' */
/** @import { Trace } from '../../../types/diagnostics' */
/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */

const FACTOR = 4
const RECHECK_MS = 100
// If the timer is later than this, the whole process was suspended: its main thread could not continue either.
const MAX_LATE_MS = 500
/** The time that may be missing at the end of samples that V8 returned in the middle of a stall. */
const GRAIN_MICROS = 250e3

const NOTHING_SEEN = frameOf('(native call, or not run)', '', 0, 0)
const ROOT = frameOf('(root)', '', 0, 0)

/**
 * @typedef {object} StuckEvidence
 * @property {Stuck} stuck
 * @property {{ at: number, durationMs: number, trace: Trace | null } & Record<string, unknown>} report
 * @property {CpuProfile} profile  covers the time since the last evidence of this stall, or since its beginning
 * @property {'sampled' | 'estimated'} source
 *
 * @param {object} parts
 * @param {number} parts.stallMs
 * @param {ReturnType<typeof createStallDetection>['lasting']} parts.lasting
 * @param {{ view (wanted: { fromMicros: number, toMicros: number }): Promise<View> }} parts.views  that do not wait for long
 * @param {(evidence: StuckEvidence) => void} parts.onEvidence
 */
function createStuckEvidence ({ stallMs, lasting, views, onEvidence }) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  let unwatch = () => {}

  /**
   * @param {Stuck} stuck
   * @param {number} wantedMs  the stall's duration at that time
   * @param {number} fromMicros  start of what was not sent yet
   */
  function plan (stuck, wantedMs, fromMicros) {
    const dueMicros = stuck.tickMicros + wantedMs * 1e3
    const waitMs = Math.max(0, (dueMicros - monotonicMicros()) / 1e3)
    timer = setTimeout(guarded(async () => {
      if (!lasting.isStill(stuck)) return
      if (waitMs > RECHECK_MS && monotonicMicros() - dueMicros > MAX_LATE_MS * 1e3) return recheck(stuck, wantedMs, fromMicros)
      plan(stuck, wantedMs * FACTOR, await collect(stuck, fromMicros))
    }), waitMs)
  }

  /**
   * @param {Stuck} stuck
   * @param {number} wantedMs
   * @param {number} fromMicros
   */
  function recheck (stuck, wantedMs, fromMicros) {
    timer = setTimeout(guarded(() => { if (lasting.isStill(stuck)) plan(stuck, wantedMs, fromMicros) }), RECHECK_MS)
  }

  /**
   * @param {Stuck} stuck
   * @param {number} fromMicros
   * @returns {Promise<number>} the time up to which it was reported
   */
  async function collect (stuck, fromMicros) {
    const toMicros = Math.round(monotonicMicros())
    const described = await lasting.describe(stuck)
    if (described === null) return fromMicros
    const probes = lasting.probesBetween(fromMicros, toMicros)
    const sampled = await views.view({ fromMicros, toMicros }).catch(() => null) // nothing is recorded, or V8 does not respond
    const isSampled = sampled !== null && sampled.toMicros >= toMicros - GRAIN_MICROS
    const { cpuMs, runQueueMs, throttledMs } = lasting.evidenceSince(stuck.tickMicros)
    onEvidence({
      stuck,
      report: { ...described, lasting: true, evidence: { cpuMs, runQueueMs, throttledMs }, looks: probes.map(({ calls }) => calls.map(toPlace)) },
      profile: isSampled ? sampled.profile : stuckProfile(probes, fromMicros, toMicros),
      source: isSampled ? 'sampled' : 'estimated'
    })
    return toMicros
  }

  return {
    start () {
      unwatch = lasting.onStuck(guarded(stuck => plan(stuck, stallMs, Math.round(stuck.tickMicros))))
    },

    stop () {
      unwatch()
      clearTimeout(timer)
    }
  }
}

/** @param {import('../../probe/blocked-stack').BlockedCall} call */
function toPlace ([name, receiver, file, line, column]) {
  return { name, receiver, file, line, column } // file and line are '' and 0 for V8's builtins
}

/**
 * Builds a CPU profile from the stack probes of a blocked thread, for when V8 does not return its samples: each stack stands for the time since the
 * previous one. An estimate. Pure.
 * @param {{ atMicros: number, calls: BlockedCall[] }[]} probes  in order; calls innermost first
 * @param {number} fromMicros
 * @param {number} toMicros
 * @returns {CpuProfile}
 */
function stuckProfile (probes, fromMicros, toMicros) {
  /** @type {ProfileNode[]} */
  const nodes = [{ id: 1, callFrame: ROOT, children: [] }]
  const stacks = probes.length === 0 ? [[NOTHING_SEEN]] : probes.map(({ calls }) => calls.map(toFrame).reverse())
  const samples = stacks.map(frames => frames.reduce((parent, frame) => childOf(nodes, parent, frame), 1))
  const times = probes.length === 0 ? [toMicros] : probes.map(({ atMicros }) => Math.round(atMicros))
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

module.exports = { createStuckEvidence }
