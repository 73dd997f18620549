'use strict'

// One destination: items become requests, wait on disk and are sent. Two senders, so that evidence does not wait behind profiles.

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
 * @typedef {'sent' | 'retried' | 'refused' | 'dropped' | 'unreadable'} EgressOutcome  of an item; retried: it failed, and is tried again; unreadable: what
 *   was on disk is no item of this destination, and was set aside
 *
 * @typedef {EgressSettings & { headers: Readonly<Record<string, string>>, stallMs: number, maxQueueBytes: number }} DestinationSettings
 *   as the option has them, complete
 */

const GZIP_MAGIC = 0x1f8b
const MIN_OUTAGE_MS = 30_000 // a server that restarts is back by then

/**
 * @param {object} parts
 * @param {DestinationSettings} parts.settings
 * @param {string} parts.dir  of its queue
 * @param {string} parts.owner  this process
 * @param {number} parts.minFreeBytes
 * @param {number} parts.maxAgeMs
 * @param {(outcome: EgressOutcome) => void} parts.count
 * @param {(state: { to: string, host: string, problem: string | null }) => void} parts.onState
 */
function createDestination ({ settings, dir, owner, minFreeBytes, maxAgeMs, count, onState }) {
  const { to, labels, everySeconds, stallMs, maxQueueBytes } = settings
  const publicSettings = { to, url: withoutSecrets(settings.url), everySeconds, labels }
  const trouble = createTrouble({ onChange: problem => onState({ to, host: new URL(publicSettings.url).host, problem }) })
  const onDropped = (/** @type {number} */ dropped) => { for (let at = 0; at < dropped; at++) count('dropped') }
  const queue = new Queue({ dir, owner, maxBytes: maxQueueBytes, minFreeBytes, maxAgeMs, onDropped, onAside: () => count('unreadable') })
  const senders = [true, false].map(isUrgent => new Sender({ queue, isUrgent, settings, addressOf: url => addressOf(publicSettings, url), onOutcome }))

  /**
   * @param {EgressOutcome} outcome
   * @param {string | null} problem
   */
  function onOutcome (outcome, problem) {
    count(outcome)
    trouble.note(outcome, problem)
  }

  /** @param {{ isNew?: boolean }} [how] */
  function wake (how) {
    for (const sender of senders) sender.wake(how)
  }

  return {
    to,
    wantsProfiles: DESTINATIONS[to].takesProfiles && everySeconds === false, // of artifacts; else their time is sent anyway
    everySeconds,
    stallMs,
    get queueBytes () { return queue.bytes },

    /**
     * Queues it, and has it sent. Of a file it resolves when it is queued; of everything else it is when this returns.
     * @param {EgressItem} item
     * @param {{ isUrgent?: boolean, isUnsent?: boolean }} [how]  isUnsent: it only waits, since what is sent while the process ends may
     *   arrive and be sent again by the next one
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
     * Has what encodes loaded: at the end of the process there is no time for that.
     * @param {EgressItem} item  any of the kind
     */
    prepare (item) {
      BACKENDS[to](item, publicSettings)
    },

    /** @param {(owner: string, folder: string) => boolean} isGone */
    sweep (isGone) {
      queue.sweep(isGone)
      wake()
    },

    /** Resolves when nothing waits, or nothing gets through. */
    async drained () {
      await Promise.all(senders.map(sender => sender.drained()))
    },

    stop () {
      for (const sender of senders) sender.stop()
    }
  }
}

/**
 * @param {import('./queue-entry').EntryFacts} facts
 * @param {Uint8Array} body
 * @param {boolean} takesGzip
 * @returns {[import('./queue-entry').EntryFacts, Uint8Array]}
 */
function packed (facts, body, takesGzip) {
  const isPacked = body.length > 1 && (body[0] << 8 | body[1]) === GZIP_MAGIC
  if (isPacked || !takesGzip) return [facts, body]
  return [{ ...facts, headers: { ...facts.headers, 'content-encoding': 'gzip' } }, gzipSync(body)]
}

/**
 * Reports that nothing arrives: once an outage, and once when it is over.
 * @param {object} parts
 * @param {(problem: string | null) => void} parts.onChange
 * @param {() => number} [parts.now]
 */
function createTrouble ({ onChange, now = monotonicMs }) {
  let sinceMs = Infinity
  let isTold = false

  return {
    /**
     * @param {EgressOutcome} outcome
     * @param {string | null} problem
     */
    note (outcome, problem) {
      if (outcome === 'sent') {
        sinceMs = Infinity
        if (isTold) onChange(null)
        isTold = false
        return
      }
      sinceMs = Math.min(sinceMs, now())
      // What is refused is refused next time too: the URL, or who asks, is wrong.
      if (isTold || (outcome !== 'refused' && now() - sinceMs < MIN_OUTAGE_MS)) return
      isTold = true
      onChange(problem)
    }
  }
}

module.exports = { createDestination }
