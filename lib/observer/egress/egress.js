'use strict'

// Egress: each destination with its queue and its own periodic uploads; and artifacts for all of them. One per process. It continues while the main
// thread is blocked.

const { createHash, randomUUID } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const os = require('node:os')
const { createDestination } = require('./destination')
const { createPeriodicUpload } = require('./periodic-upload')
const { withoutSecrets } = require('./url-secrets')
const { ageMs } = require('../../base/local-time')
const { guarded } = require('../../base/guard')
const { LabelCounts } = require('../../base/label-counts')
const { fromEpochMs, toEpochMs } = require('../../base/monotonic')
const { sum } = require('../../base/sums')
const { clearInterval, setInterval } = require('../../base/timers')
const { warn } = require('../../base/warnings')
const { identityOfId, isKnownToRun, memberIdOf, ownIdentity } = require('../../shared/group/member-facts')
const { isAlive } = require('../../base/system/process-ids')
const { createFileName } = require('../../shared/store/file-name')
const { readRegularText } = require('../../base/regular-file')

/** @import { Logger } from '../../../types/diagnostics' */
/** @import { StoreLocation } from '../captures' */
/** @import { EgressTotals } from '../counts' */
/** @import { DestinationSettings, EgressOutcome } from './destination' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { EgressItem } from './backends' */

/** @typedef {{ destinations: DestinationSettings[], location: StoreLocation }} EgressOrder */

const SWEEP_MS = 30_000
// A process of another container is not visible, but touches its folder each time it sweeps.
const SILENT_MS = 4 * SWEEP_MS
const MAX_LAST_WINDOW_MS = 100
const MAX_LEAVING_MS = 1000 // limit for close(), which the caller awaits
const KEY_DIGITS = 12
const STUCK_WAIT = Object.freeze({ maxWaitMs: 250, maxPastWaitMs: 250 })

class Egress {
  #parts
  #items
  #identity = ownIdentity()
  #destinations
  #uploads
  /** @type {LabelCounts<{ to: DestinationSettings['to'], outcome: EgressOutcome }>} */
  #totals = new LabelCounts()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {object} parts
   * @param {EgressOrder} parts.order
   * @param {{ dir: string, metadata (name: string): Record<string, any> | null }} parts.store
   * @param {import('../recorder/recorder-client').RecorderClient} parts.recorder
   * @param {Pick<import('../../source-maps/source-maps').SourceMaps, 'profile'>} parts.sourceMaps
   * @param {ReturnType<typeof import('../stalls/stall-detection').createStallDetection>['lasting']} parts.lasting
   * @param {Pick<Logger, 'info' | 'warn'>} parts.log  the process's log
   */
  constructor (parts) {
    const { order: { destinations, location }, recorder, sourceMaps, lasting } = parts
    this.#parts = parts
    this.#items = createItems(location)
    this.#destinations = this.#makeDestinations(destinations)
    this.#uploads = this.#destinations.map(destination => createPeriodicUpload({
      destination,
      items: this.#items,
      views: recorder.views(),
      quickViews: recorder.views(STUCK_WAIT),
      lastViews: recorder.lastViews(MAX_LAST_WINDOW_MS),
      lasting,
      toOriginal: (profile, maxMs) => sourceMaps.profile(profile, { maxMs })
    }))
  }

  start () {
    if (this.#timer !== undefined) return
    for (const upload of this.#uploads) upload.start()
    const sweep = guarded(() => this.#sweep())
    this.#timer = setInterval(sweep, SWEEP_MS)
    sweep()
  }

  /**
   * Call it when the process ends: what was recorded and not sent yet is written to disk.
   * @param {number} toMicros
   * @param {boolean} [isUnsent]  the next process will send it
   */
  async keepLast (toMicros, isUnsent = true) {
    await Promise.all(this.#uploads.map(upload => upload.keepLast(toMicros, isUnsent)))
  }

  /** Closes egress: waits at most one second for queued items. @param {number} toMicros  0: nothing was recorded */
  async end (toMicros) {
    if (toMicros > 0) await this.keepLast(toMicros, false)
    await Promise.race([Promise.all(this.#destinations.map(destination => destination.drained())), sleep(MAX_LEAVING_MS)])
    this.stop()
  }

  stop () {
    clearInterval(this.#timer)
    this.#timer = undefined
    for (const part of [...this.#uploads, ...this.#destinations]) part.stop()
  }

  /**
   * Sends an artifact to all destinations that accept it. A heap snapshot only if it was redacted: an unredacted one leaves the machine only when a
   * person copies it.
   * @param {SentArtifact} artifact
   * @param {{ isUrgent?: boolean }} [how]
   * @returns {Promise<boolean>} false: it may not be sent
   */
  async push (artifact, how) {
    if (artifact.kind === 'heap-snapshot' && !this.#isRedacted(artifact.name)) return false
    const item = this.#items.artifact(await this.#withProfile(artifact))
    await Promise.all(this.#destinations.map(destination => destination.add(item, how)))
    return true
  }

  /**
   * Profile backends take the profile, not the file, which may have any format: it is cut out of what the recorder still holds.
   * @param {SentArtifact} artifact
   * @returns {Promise<SentArtifact>}
   */
  async #withProfile (artifact) {
    const { recorder, sourceMaps } = this.#parts
    if (artifact.kind !== 'cpu' || artifact.profile !== undefined || this.#destinations.every(({ wantsProfiles }) => !wantsProfiles)) return artifact
    const { profile } = await recorder.views(STUCK_WAIT).view({ fromMicros: Math.round(fromEpochMs(artifact.from)), toMicros: Math.round(fromEpochMs(artifact.to)) })
    return { ...artifact, profile: await sourceMaps.profile(profile) }
  }

  /** @param {string} name */
  #isRedacted (name) {
    const { mode = 'off' } = this.#parts.store.metadata(name)?.redaction ?? {}
    return mode !== 'off'
  }

  /** @param {DestinationSettings[]} destinations */
  #makeDestinations (destinations) {
    const { order: { location: { retention } }, store } = this.#parts
    const folders = queueFolders(store.dir, destinations)
    return destinations.map((settings, at) => createDestination({
      settings,
      dir: folders[at],
      owner: memberIdOf(this.#identity),
      minFreeBytes: retention.minFreeBytes,
      maxAgeMs: retention.maxAgeMs,
      count: outcome => this.#totals.add({ to: settings.to, outcome }),
      onState: state => this.#logState(state)
    }))
  }

  /** @returns {EgressTotals} */
  counts () {
    return { totals: this.#totals.list(), queueBytes: sum(this.#destinations, ({ queueBytes }) => queueBytes) }
  }

  /** @param {{ to: string, host: string, problem: string | null }} state  null: it works again */
  #logState ({ to, host, problem }) {
    const { log } = this.#parts
    if (problem !== null) return warn(log, 'LOOPSCOPE_WARN_EGRESS', to, host, problem)
    log.info({ egress: { to, host } }, `egress to ${host} works again`)
  }

  #sweep () {
    for (const destination of this.#destinations) destination.sweep((owner, folder) => this.#isGone(owner, folder))
  }

  /** @param {string} owner @param {string} folder */
  #isGone (owner, folder) {
    const identity = identityOfId(owner)
    if (identity.namespace !== this.#identity.namespace) return ageMs(touchedAt(folder), Date.now()) > SILENT_MS
    return identity.start === '0' ? !isAlive(identity.pid) : !isKnownToRun(identity)
  }
}

/** @param {string} folder */
function touchedAt (folder) {
  return fs.statSync(path.resolve(folder), { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
}

/**
 * The folder of each destination's queue, in the store of the application: the next process with the same destination finds the remaining items.
 * @param {string} storeDir
 * @param {readonly DestinationSettings[]} destinations
 * @returns {string[]} no two are the same
 */
function queueFolders (storeDir, destinations) {
  const keys = destinations.map(({ to, url }) => JSON.stringify([to, withoutSecrets(url)]))
  return keys.map((key, at) => {
    const number = keys.slice(0, at).filter(other => other === key).length
    return path.join(storeDir, 'egress', createHash('sha256').update(`${key}${number}`).digest('hex').slice(0, KEY_DIGITS))
  })
}

/** @typedef {{ kind: EgressItem['kind'], name: string, path: string, from: number, to: number } & Pick<EgressItem, 'profile' | 'heapProfile' | 'body'>} SentArtifact */

/** @param {Pick<StoreLocation, 'appName' | 'appRoot'>} application */
function createItems ({ appName, appRoot }) {
  const labels = { service: appName, pid: String(process.pid), host: os.hostname(), version: versionOf(appRoot) }
  let sequence = 0

  /** @param {'cpu' | 'stall'} kind @param {string} extension @param {number} at */
  const nameOf = (kind, extension, at) => createFileName({ kind, extension, at, appName, pid: process.pid, sequence: ++sequence })

  return {
    /**
     * @param {CpuProfile} profile
     * @param {Record<string, string>} [more]  labels
     * @param {EgressItem['trace']} [trace]
     * @returns {EgressItem}
     */
    profile (profile, more = {}, trace = null) {
      const fromMs = Math.round(toEpochMs(profile.startTime))
      const toMs = Math.round(toEpochMs(profile.endTime))
      return { id: randomUUID(), kind: 'cpu', fromMs, toMs, profile, fileName: nameOf('cpu', 'pb.gz', fromMs), labels: { ...labels, ...more }, trace, appRoot }
    },

    /**
     * @param {{ at: number, durationMs: number }} report
     * @param {string} [fileName]  of an earlier report of the same stall, which this one replaces
     * @returns {EgressItem}
     */
    stall (report, fileName = nameOf('stall', 'json', report.at)) {
      const { at, durationMs } = report
      const whole = { ...report, process: labels }
      return { id: randomUUID(), kind: 'stall', fromMs: at, toMs: at + durationMs, report: whole, fileName, labels, appRoot }
    },

    /** @param {SentArtifact} artifact @returns {EgressItem} */
    artifact ({ kind, name, path: file, from, to, profile, heapProfile, body }) {
      const time = { fromMs: Math.round(from), toMs: Math.round(to) }
      return { id: randomUUID(), kind, ...time, file, profile, heapProfile, body, fileName: name, labels, appRoot }
    }
  }
}

/** @param {string} appRoot @returns {string} '' if unknown */
function versionOf (appRoot) {
  try {
    const { version } = JSON.parse(readRegularText(path.join(appRoot, 'package.json')))
    return typeof version === 'string' ? version : ''
  } catch {
    return ''
  }
}

module.exports = { createItems, Egress }
