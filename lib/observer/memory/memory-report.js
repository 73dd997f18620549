'use strict'

// Writes the small report of a process whose memory is nearly full, into the store and to egress: who owns the memory, what grows, the sampled heap
// profile if one runs, requests in flight, findings. No snapshot: that needs memory which is not there. What it loads and asks for it does as far as
// possible before; what does not answer in time is left out. The next process reads it.

const { setTimeout: sleep } = require('node:timers/promises')
const { unattended } = require('../../base/guard')
const { monotonicMs } = require('../../base/monotonic')
const { isAlive, processStart } = require('../../base/system/process-ids')
const { sumByOwner } = require('./owners')
const { readRegularText } = require('../../base/regular-file')

/** @import { Findings } from '../../../types/findings' */
/** @import { AllocationSites, MemoryPoint, MemoryReport, PreviousMemoryReport } from '../../../types/memory' */
/** @import { RequestsInFlight } from '../../../types/requests' */
/** @import { HeapSampling } from '../../formats/profile/heap-tree' */
/** @import { SentArtifact } from '../egress/egress' */
/** @import { MemoryLimitOrder } from './limit-watch' */
/** @import { StoredArtifact } from '../store/artifact-files' */

const KIND = 'memory-report'
const MAX_BYTES = 256 * 1024
const MAX_REQUESTS = 20
const MAX_LINES = 30
const MAX_FINDINGS = 10
const MAX_TEXT = 300 // characters of one value
const FINDINGS_MS = 10 * 60_000 // not looked for again before
const EARLIER_MS = 60_000 // what the use is compared with is not older
const AGAIN_MS = 1000 // no question is repeated before
const PATIENT_MS = 2000 // until the limit: with less, only the main thread's figures are waited for
const HURRY_SHARE = 0.05 // of the time that is left
const MAX_WAIT_MS = 250 // for answers
const MAX_FINDINGS_MS = 3000
const CALM_MS = 60_000 // until the limit: there is time for findings
const MAX_AGE_MS = 12 * 3600_000 // there is one report per episode, and the last tenth may take a slow leak hours
const MAX_READ = 16 // of processes that run beside this one
const ASKED = /** @type {const} */ (['heapUsage', 'requests', 'heapProfile', 'sites'])

class MemoryReporter {
  #order
  #parts
  /** The last answers, by the name of the part. @type {{ requests?: RequestsInFlight, heapProfile?: HeapSampling | null, heapUsage?: { usedSize: number, totalSize: number } | null, sites?: AllocationSites, findings?: Findings }} */
  #answers = {}
  /** @type {Map<string, { atMs: number, answer: Promise<unknown> }>} */
  #asked = new Map()
  #isPrepared = false
  /** The owners when this limit came near. @type {MemoryPoint | null} */
  #earlier = null

  /**
   * @param {MemoryLimitOrder} order
   * @param {object} parts
   * @param {Pick<import('./memory-watch').MemoryWatch, 'readQuickly' | 'refresh' | 'snapshot'>} parts.memory
   * @param {ReturnType<typeof import('../store/store').createStore>} parts.store
   * @param {() => number} parts.blockedMs
   * @param {() => Promise<Findings> | undefined} parts.findings  undefined: there is no application to judge
   * @param {() => Promise<{ usedSize: number, totalSize: number } | null>} parts.heapUsage  the main thread may be blocked
   * @param {() => Promise<RequestsInFlight>} parts.requests
   * @param {() => Promise<HeapSampling | null>} parts.heapProfile  null: none is running
   * @param {() => Promise<AllocationSites | undefined>} [parts.sites]
   * @param {(artifact: SentArtifact) => unknown} parts.send
   * @param {(fields: object, message: string) => void} parts.logNow
   */
  constructor (order, parts) {
    this.#order = order
    this.#parts = parts
  }

  /**
   * Loads what the report needs, and asks ahead. Call it while a limit is near, also often.
   * @param {{ isFast: boolean }} how  isFast: there will be no time to ask
   */
  prepare = ({ isFast }) => {
    const { memory } = this.#parts
    if (!this.#isPrepared) {
      this.#isPrepared = true
      require('../../formats/profile/heap-tree')
      encode(this.#body({ of: 'container', usedBytes: 0, limitBytes: 1, bytesPerSecond: 0, basis: '' })) // the code is compiled
    }
    if (this.#earlier === null || Date.now() - this.#earlier.at > EARLIER_MS) {
      this.#earlier = { at: Date.now(), bytes: Object.fromEntries(sumByOwner(memory.snapshot().owners)) }
    }
    unattended(this.#ask('findings', FINDINGS_MS))
    if (!isFast) return
    unattended(memory.refresh())
    for (const name of ASKED) unattended(this.#ask(name))
  }

  /**
   * @param {typeof ASKED[number] | 'findings'} name
   * @param {number} [againMs]  it is not asked for again before
   * @returns {Promise<unknown>} never rejects
   */
  #ask (name, againMs = AGAIN_MS) {
    const last = this.#asked.get(name)
    if (last !== undefined && monotonicMs() - last.atMs < againMs) return last.answer
    const answer = (async () => { this.#answers[name] = /** @type {any} */ (await this.#parts[name]?.()) })().catch(() => {})
    this.#asked.set(name, { atMs: monotonicMs(), answer })
    return answer
  }

  /** @param {MemoryReport['limit']} limit */
  report = async limit => {
    try {
      await this.#write(limit)
    } catch (/** @type {any} */ error) {
      this.#parts.logNow({ memoryReport: { error: error.code } }, `memory is nearly full, and no report can be written: ${error.message}`)
    }
  }

  /** @param {MemoryReport['limit']} limit */
  async #write (limit) {
    const { memory, store, send, logNow } = this.#parts
    const leftMs = limit.bytesPerSecond === 0 ? Infinity : (limit.limitBytes - limit.usedBytes) / limit.bytesPerSecond * 1e3
    let read = null
    if (leftMs <= PATIENT_MS) await Promise.race([memory.refresh(), sleep(leftMs * HURRY_SHARE, undefined, { ref: false })])
    else {
      const owners = memory.readQuickly().then(answer => { read = answer }, () => {})
      await Promise.race([Promise.all([owners, ...ASKED.map(name => this.#ask(name))]), sleep(MAX_WAIT_MS, undefined, { ref: false })])
    }
    if (leftMs > CALM_MS) await Promise.race([this.#ask('findings', AGAIN_MS), sleep(MAX_FINDINGS_MS, undefined, { ref: false })])
    const bytes = encode(this.#body(limit, read ?? memory.snapshot(this.#answers.heapUsage)))
    this.#earlier = null
    const at = Date.now()
    const { name, path } = store.write({ kind: KIND, extension: 'json', at, appName: this.#order.location.appName, bytes })
    await send({ kind: KIND, name, path, from: at, to: at, body: bytes })
    const share = Math.round(limit.usedBytes / limit.limitBytes * 100)
    const subject = limit.of === 'container' ? "the container's memory" : 'the heap'
    logNow({ memoryReport: { path, limit } }, `${subject} is ${share} % full: ${path} says what fills it`)
  }

  /**
   * @param {MemoryReport['limit']} limit
   * @param {ReturnType<import('./memory-watch').MemoryWatch['snapshot']>} [memory]
   * @returns {MemoryReport}
   */
  #body (limit, { measuredAt, rssBytes, owners, growing, container, recent } = this.#parts.memory.snapshot()) {
    const { appName, appRoot } = this.#order.location
    const { findings, requests, heapProfile, sites } = this.#answers
    return {
      version: 1,
      pid: process.pid,
      start: processStart(process.pid),
      appName,
      appRoot,
      entry: this.#order.entry,
      nodeVersion: process.versions.node,
      uptimeSeconds: Math.round(process.uptime()),
      at: Date.now(),
      limit,
      measuredAt,
      rssBytes,
      owners,
      earlier: this.#earlier,
      growing,
      container,
      recent,
      blockedMs: Math.round(this.#parts.blockedMs()),
      findings: findings === undefined
        ? null
        : { at: findings.at, findings: findings.findings.slice(0, MAX_FINDINGS).map(({ id, severity, title, instead }) => ({ id, severity, title, instead })) },
      requests: requests === undefined ? null : { total: requests.total, at: requests.at, list: requests.requests.slice(0, MAX_REQUESTS) },
      heapProfile: heapProfile ? linesOf(heapProfile, appRoot) : null,
      ...(sites !== undefined && { sites })
    }
  }
}

/**
 * What is alive, by the innermost function of the application that allocated it, or that called what did.
 * @param {HeapSampling} sampling
 * @param {string} appRoot
 */
function linesOf (sampling, appRoot) {
  const { buildHeapTree } = require('../../formats/profile/heap-tree')
  const root = buildHeapTree(sampling, { appRoot })
  /** @type {Map<import('../../formats/profile/frame').Frame, number>} */
  const bytes = new Map()
  const open = [{ tree: root, owner: root.frame }]
  for (const { tree, owner } of open) {
    bytes.set(owner, (bytes.get(owner) ?? 0) + tree.selfBytes)
    for (const child of tree.children) open.push({ tree: child, owner: child.frame.origin === 'app' || owner.origin !== 'app' ? child.frame : owner })
  }
  const lines = [...bytes].filter(([, sum]) => sum > 0).sort((left, right) => right[1] - left[1]).slice(0, MAX_LINES)
  return { sampledBytes: root.totalBytes, lines: lines.map(([{ name, file, line }, sum]) => ({ function: name, file, line, bytes: sum })) }
}

/**
 * @param {MemoryReport} report
 * @returns {Buffer} of limited size: what the application names is cut, and the largest parts are left out if that is not enough
 */
function encode (report) {
  const toBytes = (/** @type {object} */ some) => Buffer.from(`${JSON.stringify(some, (_, value) => typeof value === 'string' ? value.slice(0, MAX_TEXT) : value, 1)}\n`)
  let bytes = toBytes(report)
  if (bytes.length > MAX_BYTES) bytes = toBytes({ ...report, sites: undefined, recent: [] })
  return bytes.length > MAX_BYTES ? toBytes({ ...report, sites: undefined, recent: [], requests: null, heapProfile: null }) : bytes
}

/**
 * The report that a process of this application left before this one started, and that no longer runs: it probably died of what is in it.
 * @param {{ list (): StoredArtifact[] }} store
 * @param {number} startedAt  of this process, milliseconds since the epoch
 * @param {string} entry  the file that was started: other processes of the same application are not this one again
 * @returns {PreviousMemoryReport | null}
 */
function readPreviousReport (store, startedAt, entry) {
  const found = store.list().filter(({ kind, at }) => kind === KIND && at < startedAt && startedAt - at <= MAX_AGE_MS) // newest first
  for (const { name, path } of found.slice(0, MAX_READ)) {
    const report = readReport(path)
    if (report !== null && isOf(report, entry) && !isRunning(report)) return { name, path, report }
  }
  return null
}

/** @param {string} path @returns {MemoryReport | null} */
function readReport (path) {
  try {
    const report = JSON.parse(readRegularText(path, { maxBytes: MAX_BYTES }))
    return isReport(report) ? report : null
  } catch {
    return null // gone, or not one
  }
}

/** @param {MemoryReport} report @param {string} entry */
function isOf (report, entry) {
  return report.entry === undefined || report.entry === entry.slice(0, MAX_TEXT)
}

/**
 * Other workers of a cluster write into the same store. A restarted container has the same process ids again, also this one's.
 * @param {MemoryReport} report
 */
function isRunning ({ pid, start }) {
  return pid !== process.pid && isAlive(pid) && processStart(pid) === start
}

/** @param {any} report @returns {report is MemoryReport} */
function isReport (report) {
  return report?.version === 1 && Number.isSafeInteger(report.pid) && report.pid > 0 && Array.isArray(report.owners) && Array.isArray(report.growing) && Number.isFinite(report.limit?.usedBytes) && Number.isFinite(report.limit?.limitBytes) &&
    (report.sites === undefined || Array.isArray(report.sites.sites))
}

module.exports = { MAX_BYTES, MemoryReporter, encode, readPreviousReport }
