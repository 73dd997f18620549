'use strict'

// One destination: turns items into requests, queues them on disk and sends them. It has two senders, so that evidence does not wait behind profiles.

const { gzipSync } = require('node:zlib')
const { BACKENDS } = require('./backends')
const { Queue } = require('./queue')
const { Sender } = require('./sender')
const { withoutSecrets } = require('./url-secrets')
const { monotonicMs } = require('../../base/monotonic')
const { DESTINATIONS } = require('../../shared/egress/destinations')
const { addressOf } = require('../../shared/egress/addresses')

/** @import { EgressItem, EgressSettings } from './backends' */

/**
 * @typedef {'sent' | 'retried' | 'refused' | 'dropped' | 'unreadable'} EgressOutcome  of an item; retried: it failed, and will be retried;
 *   unreadable: the file on disk is not an item of this destination, and was set aside
 *
 * @typedef {EgressSettings & { headers: Readonly<Record<string, string>>, stallMs: number, maxQueueBytes: number }} DestinationSettings
 *   from the option, completed with defaults
 */

const GZIP_MAGIC = 0x1f8b
const MIN_OUTAGE_MS = 30_000 // a server that restarts is back by then

/**
 * @param {object} parts
 * @param {DestinationSettings} parts.settings
 * @param {string} parts.dir  folder of its queue
 * @param {string} parts.owner  id of this process
 * @param {number} parts.minFreeBytes
 * @param {number} parts.maxAgeMs
 * @param {(outcome: EgressOutcome) => void} parts.count
 * @param {(state: { to: string, host: string, problem: string | null }) => void} parts.onState
 */
function createDestination ({ settings, dir, owner, minFreeBytes, maxAgeMs, count, onState }) {
  const { to, labels, everySeconds, stallMs, maxQueueBytes } = settings
  const publicSettings = { to, url: withoutSecrets(settings.url), everySeconds, labels }
  const outage = createOutageNotifier(problem => onState({ to, host: new URL(publicSettings.url).host, problem }))
  const onDropped = (/** @type {number} */ dropped) => { for (let at = 0; at < dropped; at++) count('dropped') }
  const queue = new Queue({ dir, owner, maxBytes: maxQueueBytes, minFreeBytes, maxAgeMs, onDropped, onAside: () => count('unreadable') })
  const senders = [true, false].map(isUrgent => new Sender({ queue, isUrgent, settings, addressOf: url => addressOf(publicSettings, url), onOutcome }))

  /** @param {EgressOutcome} outcome @param {string | null} problem */
  function onOutcome (outcome, problem) {
    count(outcome)
    outage.note(outcome, problem)
  }

  /** @param {{ isNew?: boolean }} [how] */
  function wake (how) {
    for (const sender of senders) sender.wake(how)
  }

  return {
    to,
    wantsProfiles: DESTINATIONS[to].takesProfiles && everySeconds === false, // profiles of artifacts; otherwise their time is sent anyway
    everySeconds,
    stallMs,
    get queueBytes () { return queue.bytes },

    /**
     * Queues an item and starts sending. For a file it resolves once it is queued; any other item is queued when this returns.
     * @param {EgressItem} item
     * @param {{ isUrgent?: boolean, isUnsent?: boolean }} [how]  isUnsent: it is only queued, since an item sent while the process ends may
     *   arrive and be sent again by the next process
     */
    async add (item, { isUrgent = false, isUnsent = false } = {}) {
      const withLabels = { ...item, labels: { ...item.labels, ...labels } }
      const request = BACKENDS[to](withLabels, publicSettings)
      if (request === null) return
      const { method, url, headers, body } = request
      const facts = { atMs: Date.now(), method, url, headers }
      const isQueued = body === null
        ? await queue.putFile({ ...facts, headers: { ...headers, 'content-encoding': 'gzip' } }, String(item.file), { isUrgent })
        : queue.put(...packed(facts, body, DESTINATIONS[to].takesGzip), { isUrgent })
      if (!isQueued) count('dropped')
      if (!isUnsent) wake({ isNew: true })
    },

    /**
     * Loads the encoders: at the end of the process there is no time for that.
     * @param {EgressItem} item  any item of the kind
     */
    prepare (item) {
      BACKENDS[to](item, publicSettings)
    },

    /** @param {(owner: string, folder: string) => boolean} isGone */
    sweep (isGone) {
      queue.sweep(isGone)
      wake()
    },

    /** Resolves when the queue is empty, or sending fails. */
    async drained () {
      await Promise.all(senders.map(sender => sender.drained()))
    },

    stop () {
      for (const sender of senders) sender.stop()
    }
  }
}

/**
 * @param {import('./queue').EntryFacts} facts
 * @param {Uint8Array} body
 * @param {boolean} takesGzip
 * @returns {[import('./queue').EntryFacts, Uint8Array]}
 */
function packed (facts, body, takesGzip) {
  const isPacked = body.length > 1 && (body[0] << 8 | body[1]) === GZIP_MAGIC
  if (isPacked || !takesGzip) return [facts, body]
  return [{ ...facts, headers: { ...facts.headers, 'content-encoding': 'gzip' } }, gzipSync(body)]
}

/**
 * Reports outages: once when one begins, and once when it is over.
 * @param {(problem: string | null) => void} onChange
 */
function createOutageNotifier (onChange) {
  let sinceMs = Infinity
  let isTold = false

  return {
    /** @param {EgressOutcome} outcome @param {string | null} problem */
    note (outcome, problem) {
      if (outcome === 'sent') {
        sinceMs = Infinity
        if (isTold) onChange(null)
        isTold = false
        return
      }
      const nowMs = monotonicMs()
      sinceMs = Math.min(sinceMs, nowMs)
      // A refused request is refused next time, too: the URL or the credentials are wrong.
      if (isTold || (outcome !== 'refused' && nowMs - sinceMs < MIN_OUTAGE_MS)) return
      isTold = true
      onChange(problem)
    }
  }
}

module.exports = { createDestination }
