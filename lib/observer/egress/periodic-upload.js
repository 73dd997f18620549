'use strict'

// The periodic uploads of one destination: a profile every few seconds, and evidence of stalls that are still going on.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { guarded, unattended } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')
const { clearInterval, clearTimeout, setInterval, setTimeout } = require('../../base/timers')
const { metaFrame } = require('../../formats/profile/nodes')

/** @import { EgressItem } from './backends' */
/** @import { createDestination } from './destination' */
/** @import { createItems } from './egress' */
/** @import { View } from '../recorder/views' */
/** @import { CallFrame, CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { BlockedCall } from '../../probe/blocked-stack' */
/** @import { createStallDetection } from '../stalls/stall-detection' */
/** @import { Stuck } from '../stalls/stall-watch' */
/** @import { Trace } from '../../../types/diagnostics' */

/** @typedef {{ view (wanted: { fromMicros: number, toMicros: number }): Promise<View> }} Views */
/** @typedef {{ isUrgent?: boolean, isUnsent?: boolean, maxMappingMs?: number }} How  how a profile is sent */

const PREPARE_MS = 1000 // the application has started by then
const MAX_MAPPING_WHILE_STUCK_MS = 500
const MAX_MAPPING_AT_END_MS = 50 // the process waits for it

/** @type {CpuProfile} */
const SMALLEST = Object.freeze({
  nodes: [{ id: 1, callFrame: metaFrame('(root)') }],
  startTime: 0,
  endTime: 1,
  samples: [1],
  timeDeltas: [1]
})
const FACTOR = 4 // between two pieces of evidence of one stall
const RECHECK_MS = 100
// If the timer is later than this, the whole process was suspended: its main thread could not continue either.
const MAX_LATE_MS = 500
/** The time that may be missing at the end of samples that V8 returned in the middle of a stall. */
const GRAIN_MICROS = 250e3
const NOTHING_SEEN = metaFrame('(native call, or not run)')

/**
 * @param {object} parts
 * @param {ReturnType<typeof createDestination>} parts.destination
 * @param {ReturnType<typeof createItems>} parts.items
 * @param {Views} parts.views
 * @param {Views} parts.quickViews  that do not wait for a blocked thread
 * @param {Views} parts.lastViews   that request nothing from the threads, which are ending
 * @param {Parameters<typeof createStuckEvidence>[0]['lasting']} parts.lasting
 * @param {(profile: CpuProfile, maxMs?: number) => Promise<CpuProfile>} parts.toOriginal  a profile with positions in the original source
 */
function createPeriodicUpload ({ destination, items, views, quickViews, lastViews, lasting, toOriginal }) {
  const { everySeconds, stallMs } = destination
  const continuous = everySeconds === false ? null : new Continuous({ everySeconds, views, onProfile: (profile, how) => send(profile, {}, how) })
  const stuckEvidence = createStuckEvidence({ stallMs, lasting, views: quickViews, onEvidence: evidence => unattended(tell(evidence)) })
  /** @type {NodeJS.Timeout | undefined} */
  let preparing
  let stuckAtMicros = 0
  /** @type {string | undefined} */
  let fileName

  /**
   * @param {CpuProfile} profile
   * @param {{ labels?: Record<string, string>, trace?: EgressItem['trace'] }} [of]
   * @param {How} [how]
   */
  async function send (profile, { labels, trace } = {}, { maxMappingMs, ...how } = {}) {
    await destination.add(items.profile(await toOriginal(profile, maxMappingMs), labels, trace), how)
  }

  /** @param {StuckEvidence} evidence */
  async function tell ({ stuck, report, profile, source }) {
    const isUrgent = true
    if (stuck.tickMicros !== stuckAtMicros) fileName = undefined
    stuckAtMicros = stuck.tickMicros
    const item = items.stall(report, fileName)
    fileName = item.fileName
    await destination.add(item, { isUrgent })
    await send(profile, { labels: { unfinished_stall: source }, trace: report.trace }, { isUrgent, maxMappingMs: MAX_MAPPING_WHILE_STUCK_MS })
    await continuous?.flush(profile.startTime, quickViews)
    // Samples from V8 count as sent; after an estimate, the recording is sent when the stall is over, if ever.
    if (source === 'sampled') continuous?.skip(profile.endTime)
  }

  return {
    start () {
      continuous?.start()
      stuckEvidence.start()
      if (continuous !== null) preparing = setTimeout(guarded(() => destination.prepare(items.profile(SMALLEST))), PREPARE_MS)
    },

    /**
     * Queues what was recorded up to the end and not sent yet.
     * @param {number} toMicros
     * @param {boolean} isUnsent  the next process will send it
     */
    async keepLast (toMicros, isUnsent) {
      await continuous?.flush(toMicros, lastViews, { isUnsent, maxMappingMs: MAX_MAPPING_AT_END_MS })
    },

    stop () {
      clearTimeout(preparing)
      continuous?.stop()
      stuckEvidence.stop()
    }
  }
}

/**
 * Sends the recording piece by piece: every few seconds the time since the last upload, cut from the windows that the recorder holds. No profile is
 * started for it.
 */
class Continuous {
  #parts
  #sentToMicros = 0
  /** One after the other, so that no time range is sent twice. */
  #sending = Promise.resolve()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {{ everySeconds: number, views: Views, onProfile: (profile: CpuProfile, how?: How) => Promise<void> }} parts
   */
  constructor (parts) {
    this.#parts = parts
  }

  start () {
    if (this.#timer !== undefined) return
    this.#sentToMicros = Math.round(monotonicMicros())
    this.#timer = setInterval(guarded(() => this.flush(Math.round(monotonicMicros()))), this.#parts.everySeconds * 1e3)
  }

  stop () {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /**
   * Sends the rest up to this time; resolves when it is queued.
   * @param {number} toMicros
   * @param {Views} [views]  others, which wait less for a blocked thread
   * @param {How} [how]
   */
  flush (toMicros, views = this.#parts.views, how = undefined) {
    const sent = this.#sending.then(() => this.#send(toMicros, views, how))
    this.#sending = sent.catch(() => {}) // a failure of this one does not stop the next
    return sent
  }

  /** Skips time that was already sent elsewhere. @param {number} toMicros */
  skip (toMicros) {
    this.#sentToMicros = Math.max(this.#sentToMicros, toMicros)
  }

  /** @param {number} toMicros @param {Views} views @param {How} [how] */
  async #send (toMicros, views, how) {
    const fromMicros = this.#sentToMicros
    if (toMicros <= fromMicros) return
    try {
      const view = await views.view({ fromMicros, toMicros })
      this.skip(view.toMicros)
      await this.#parts.onProfile(view.profile, how)
    } catch (error) {
      // Nothing is recorded: the recorder is off, or the thread is blocked and its window still open.
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      if (code !== 'ERR_LOOPSCOPE_EMPTY_VIEW' && code !== 'ERR_LOOPSCOPE_RECORDER_OFF') throw error
    }
  }
}

/**
 * Evidence of a stall that is sent while it lasts, because the process may be killed for it. The first is sent when the stall has lasted for stallMs,
 * each further one after four times as long.
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

  /** @param {Stuck} stuck @param {number} wantedMs @param {number} fromMicros */
  function recheck (stuck, wantedMs, fromMicros) {
    timer = setTimeout(guarded(() => { if (lasting.isStill(stuck)) plan(stuck, wantedMs, fromMicros) }), RECHECK_MS)
  }

  /** @param {Stuck} stuck @param {number} fromMicros @returns {Promise<number>} the time up to which it was reported */
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
      report: { ...described, lasting: true, evidence: { cpuMs, runQueueMs, throttledMs }, probes: probes.map(({ calls }) => calls.map(toPlace)) },
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
  const nodes = [{ id: 1, callFrame: metaFrame('(root)'), children: [] }]
  const stacks = probes.length === 0 ? [[NOTHING_SEEN]] : probes.map(({ calls }) => calls.map(toFrame).reverse())
  const samples = stacks.map(frames => frames.reduce((parent, frame) => childOf(nodes, parent, frame), 1))
  const times = probes.length === 0 ? [toMicros] : probes.map(({ atMicros }) => Math.round(atMicros))
  const timeDeltas = times.map((at, index) => at - (times[index - 1] ?? fromMicros))
  return { nodes, startTime: fromMicros, endTime: toMicros, samples, timeDeltas }
}

/** @param {ProfileNode[]} nodes @param {number} parent @param {CallFrame} callFrame @returns {number} */
function childOf (nodes, parent, callFrame) {
  const { children = [] } = nodes[parent - 1]
  const known = children.find(id => isSame(nodes[id - 1].callFrame, callFrame))
  if (known !== undefined) return known
  const id = nodes.length + 1
  nodes.push({ id, callFrame, children: [] })
  nodes[parent - 1].children = [...children, id]
  return id
}

/** @param {CallFrame} left @param {CallFrame} right */
function isSame (left, right) {
  return left.functionName === right.functionName && left.url === right.url &&
    left.lineNumber === right.lineNumber && left.columnNumber === right.columnNumber
}

/** @param {BlockedCall} call @returns {CallFrame} */
function toFrame ([name, , file, , , functionLine, functionColumn]) {
  const url = path.isAbsolute(file) ? pathToFileURL(file).href : file
  return { functionName: name, scriptId: '0', url, lineNumber: functionLine - 1, columnNumber: functionColumn - 1 }
}

module.exports = { createPeriodicUpload }
