'use strict'

// One worker thread while it is watched: its windows become figures, and its stalls are explained, one window at a time.

const { describeFile } = require('../../shared/formats/profile/frame')
const { withoutOwnFrames } = require('../../shared/formats/profile/own-frames')
const { guarded, unattended } = require('../../shared/base/guard')
const { inOrder } = require('../recorder/window')
const { findCulprit } = require('../stalls/culprit/find-culprit')
const { busyStretches } = require('./busy-stretches')
const { explainStretch } = require('./explain-stretch')
const { withIdleWaits } = require('./idle-waits')
const { microsOf } = require('./stretch-joiner')
const { createThreadRecord } = require('./thread-record')
const { createThreadSampler } = require('./thread-sampler')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */
/** @import { WholeStretch } from './stretch-joiner' */
/** @import { ThreadSession } from './thread-sessions' */
/** @import { ThreadStall } from './thread-watch' */

// Of a window; the others are only counted. A pool that is busy has dozens in five seconds.
const MAX_EXPLAINED = 3
const MIN_NAMED_MICROS = 50e3 // of less, what ran is chance

/**
 * @typedef {object} Watching
 * @property {number} thresholdMs
 * @property {{ appRoot: string, source: SourceLines }} context
 * @property {(profile: CpuProfile) => Promise<CpuProfile>} toWritten
 * @property {(kind: string, had: { busyMs: number, stalls: number }) => void} onTime
 * @property {(stall: ThreadStall) => void} onStall
 */

/**
 * @param {ThreadSession} session
 * @param {Watching} watching
 */
function createWatchedThread (session, watching) {
  return new WatchedThread(session, watching)
}

class WatchedThread {
  #session
  #watching
  #record
  #sampler
  /** Windows are read in turn. @type {Promise<void>} */
  #turn = Promise.resolve()

  /**
   * @param {ThreadSession} session
   * @param {Watching} watching
   */
  constructor (session, watching) {
    this.#session = session
    this.#watching = watching
    this.#record = createThreadRecord(watching)
    this.#sampler = createThreadSampler(session, guarded(window => this.#add(window)))
  }

  get hasEnded () { return this.#session.hasEnded }
  get openedMs () { return this.#sampler.openedMs }

  start () {
    return this.#sampler.start()
  }

  /** @returns {Promise<void>} resolves when what happened until now is read, where the thread answers */
  async rotate () {
    await this.#sampler.rotate()
    await this.#turn
  }

  stop () {
    this.#sampler.stop()
    this.#inTurn(() => this.#explain(this.#record.end()))
  }

  read () {
    const { id, name, url } = this.#session
    return { id, name, file: describeFile(url, this.#watching.context), problem: this.#sampler.problem, ...this.#record.read() }
  }

  /** @param {CpuProfile} window */
  #add (window) {
    this.#inTurn(async () => {
      const clean = withIdleWaits(withoutOwnFrames(inOrder(window)), this.#watching.context.source)
      const time = busyStretches(clean)
      const isNamed = time.busyMicros >= MIN_NAMED_MICROS
      const culprit = isNamed ? findCulprit(await this.#watching.toWritten(clean), this.#watching.context).culprit : null
      const stalls = this.#record.add(clean, time, culprit)
      this.#watching.onTime(this.#session.kind, { busyMs: time.busyMicros / 1e3, stalls: stalls.length })
      await this.#explain(stalls)
    })
  }

  /** @param {WholeStretch[]} stalls */
  async #explain (stalls) {
    const longest = [...stalls].sort((left, right) => microsOf(right) - microsOf(left)).slice(0, MAX_EXPLAINED)
    for (const stretch of stalls.filter(stall => longest.includes(stall))) {
      const { id, name } = this.#session
      this.#watching.onStall({ thread: { id, name }, ...await explainStretch(stretch, this.#watching) })
    }
  }

  /** @param {() => Promise<void>} work */
  #inTurn (work) {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    unattended(done)
  }
}

module.exports = { createWatchedThread }
