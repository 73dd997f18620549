'use strict'

// Captures requested over the admin surface, as jobs that clients can query: running, succeeded, failed, cancelled. The last hundred are kept.

const { createHash, randomUUID } = require('node:crypto')
const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')
const { toProblem } = require('../../shared/admin/responses')
const { openRegularFile } = require('../../base/regular-file')
const { clearTimeout, setTimeout } = require('../../base/timers')

/** @import { ArtifactFacts, CaptureOptions, Trigger } from '../../../types/diagnostics' */
/** @import { Sources } from './router' */

/**
 * @typedef {'succeeded' | 'failed' | 'cancelled'} EndState
 * @typedef {'running' | 'stopping' | EndState} JobState
 *
 * @typedef {Omit<ArtifactFacts, 'kind' | 'trigger' | 'path'> & { sha256: string }} JobArtifact
 *
 * @typedef {object} Job  as shown to clients
 * @property {string} id
 * @property {string} kind
 * @property {JobState} state
 * @property {string | null} label
 * @property {string} actor         the endpoint and the peer
 * @property {number} startedAt     milliseconds since the epoch
 * @property {number | null} endedAt
 * @property {{ stage: string, bytes?: number } | null} progress
 * @property {JobArtifact | null} artifact
 * @property {{ status: number, code?: string, detail: string, remedy?: string } | null} problem
 *
 * @typedef {Pick<Job, 'kind' | 'label' | 'actor'>} JobNames
 * @typedef {JobNames & { options: CaptureOptions, trigger: Trigger, onEnd: (state: EndState) => void }} JobOrder
 */

const MAX_JOBS = 100

class CaptureJobs {
  /** Oldest first. @type {Map<string, { job: Job, cancel: AbortController, stop: AbortController, done: Promise<void> }>} */
  #jobs = new Map()

  /** @param {JobOrder} order @param {Sources} sources @returns {Job} */
  start (order, sources) {
    const { kind, label, actor } = order
    /** @type {Job} */
    const job = {
      id: randomUUID(),
      kind,
      state: 'running',
      label,
      actor,
      startedAt: Date.now(),
      endedAt: null,
      progress: null,
      artifact: null,
      problem: null
    }
    const cancel = new AbortController()
    const stop = new AbortController()
    this.#jobs.set(job.id, { job, cancel, stop, done: this.#run(job, order, sources, { cancel, stop }) })
    this.#forget()
    return job
  }

  /** Newest first. */
  list () {
    return [...this.#jobs.values()].map(({ job }) => job).reverse()
  }

  /** @param {string} id */
  get (id) {
    return this.#jobs.get(id)?.job ?? null
  }

  /** @param {string} kind */
  underWay (kind) {
    return this.list().find(job => job.kind === kind && job.endedAt === null) ?? null
  }

  /** Resolves when the job has ended, or after maxMs. @param {string} id @param {number} maxMs */
  async wait (id, maxMs) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const tooLong = new Promise(resolve => { timer = setTimeout(resolve, maxMs) })
    await Promise.race([this.#jobs.get(id)?.done, tooLong])
    clearTimeout(timer)
  }

  /** @param {string} id @param {string} reason */
  cancel (id, reason) {
    this.#jobs.get(id)?.cancel.abort(reason)
  }

  /** Ends the recording early; what was recorded becomes the artifact. @param {string} id */
  stop (id) {
    const entry = this.#jobs.get(id)
    if (entry === undefined || entry.job.endedAt !== null) return
    entry.job.state = 'stopping'
    entry.stop.abort()
  }

  /**
   * @param {Job} job
   * @param {JobOrder} order
   * @param {Sources} sources
   * @param {{ cancel: AbortController, stop: AbortController }} controllers
   */
  async #run (job, { kind, options, trigger, onEnd }, sources, { cancel, stop }) {
    /** @type {EndState} */
    let end = 'succeeded'
    try {
      const facts = await sources.capture({ kind, options, trigger }, {
        signal: cancel.signal,
        stop: stop.signal,
        onProgress: progress => { job.progress = progress }
      })
      const { name, format, bytes, contentType, from, to, shortened, marks } = facts
      job.artifact = { name, format, bytes, contentType, from, to, shortened, marks, sha256: await sha256Of(facts.path) }
    } catch (error) {
      const { status, code, detail, remedy } = toProblem(error)
      job.problem = { status, code, detail, remedy }
      end = cancel.signal.aborted ? 'cancelled' : 'failed'
    }
    job.state = end
    onEnd(end)
    job.endedAt = Date.now()
    this.#audit(job, sources)
  }

  /** Logs one line per capture, whatever its outcome. @param {Job} job @param {Sources} sources */
  #audit ({ id, kind, state, label, actor, startedAt, endedAt, artifact, problem }, sources) {
    const { name = null, sha256 = null } = artifact ?? {}
    const audit = { id, kind, state, label, actor, startedAt, endedAt, artifact: name, sha256, problem: problem?.detail ?? null }
    const outcome = artifact === null ? `${state}: ${problem?.detail}` : artifact.name
    sources.log.info({ audit }, `audit: ${kind} capture for ${actor}, ${outcome}`)
  }

  #forget () {
    for (const [id, { job }] of this.#jobs) {
      if (this.#jobs.size <= MAX_JOBS) return
      if (job.endedAt !== null) this.#jobs.delete(id)
    }
  }
}

/** @param {string} path */
async function sha256Of (path) {
  const hash = createHash('sha256')
  await pipeline(fs.createReadStream(path, { fd: openRegularFile(path).fd }), hash)
  return hash.digest('hex')
}

module.exports = { CaptureJobs }
