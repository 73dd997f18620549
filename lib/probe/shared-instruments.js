'use strict'

// Shares the process's instruments between handles: the first handle creates and starts them, with its options; the last one to release them stops
// them.

const { isDeepStrictEqual } = require('node:util')
const { warnOnce } = require('../base/warnings')
const { Instruments } = require('./instruments')
const { WAITING_PRELOAD, hold, peek, release } = require('./process/process-wide')

/** @import { Logger } from '../../types/diagnostics' */
/** @import { StoreLocation } from '../observer/captures' */
/** @import { Adopted } from '../observer/heap/snapshot/orphaned-snapshots' */
/** @import { WarningCode } from '../base/warnings' */
/** @import { ResolvedOptions } from '../api/options/resolve-options' */

// Copies of this package in one process share the instruments: the name carries the version of their interface.
const SHARED_NAME = 'instruments.9'

// Options of the shared instruments; the first handle's apply.
const SHARED_OPTIONS = /** @type {const} */ (['stallThresholdMs', 'heartbeatMs', 'recorder', 'syncCalls', 'sourceMaps', 'threads', 'dependencyCalls', 'waits', 'onNearHeapLimit', 'memoryReport'])

// The error codes of everything that needs the observer when there is none.
const WITHOUT_OBSERVER = ['ERR_LOOPSCOPE_OBSERVER_LOST', 'ERR_LOOPSCOPE_BUNDLED']

/**
 * @param {object} handle  the handle
 * @param {ResolvedOptions} handle.options
 * @param {Logger} handle.logger
 * @param {StoreLocation} handle.location  store of its artifacts
 * @param {() => boolean} handle.isRunning
 * @returns {Instruments}
 */
function holdInstruments ({ options, logger, location, isRunning }) {
  // A lost observer is reported elsewhere, and a closed handle needs no report.
  const warnUnlessLost = (/** @type {WarningCode} */ code) => (/** @type {Error & { code?: string }} */ error) => {
    if (isRunning() && !WITHOUT_OBSERVER.includes(error.code ?? '')) warnOnce(logger, code, error)
  }
  /** @type {{ begin (): unknown } | undefined} */ (peek(WAITING_PRELOAD))?.begin()
  const { value: instruments, isFirst } = hold(SHARED_NAME, () => new Instruments({ options, logger, appRoot: location.appRoot }))
  if (isFirst) {
    instruments.start()
    watchHeapLimit(instruments, { options, logger, location }).catch(warnUnlessLost('LOOPSCOPE_WARN_NEAR_LIMIT'))
    reportBeforeLimit(instruments, { options, location }).catch(warnUnlessLost('LOOPSCOPE_WARN_INTERNAL'))
  } else warnOfOtherOptions(instruments, options, logger)
  instruments.egress.open({ option: options.egress, location, logger }).catch(warnUnlessLost('LOOPSCOPE_WARN_EGRESS_OFF'))
  instruments.observer.askWhenReady('prepareStore', { location }).catch(warnUnlessLost('LOOPSCOPE_WARN_STORE'))
  return instruments
}

async function releaseInstruments () {
  /** @type {Promise<void> | undefined} */
  let stopped
  release(SHARED_NAME, (/** @type {Instruments} */ instruments) => { stopped = instruments.stop() })
  await stopped
}

/** @returns {Instruments | undefined} the process's instruments, while a handle runs */
function sharedInstruments () {
  return /** @type {Instruments | undefined} */ (peek(SHARED_NAME))
}

/**
 * @param {Instruments} instruments
 * @param {{ options: ResolvedOptions, logger: Logger, location: StoreLocation }} handle
 */
async function watchHeapLimit (instruments, { options: { onNearHeapLimit }, logger, location }) {
  if (onNearHeapLimit === 'off') return
  await instruments.heap.watchLimit({ onNearHeapLimit, location }, adopted => logAdopted(adopted, logger))
}

/** @param {Instruments} instruments @param {{ options: ResolvedOptions, location: StoreLocation }} handle */
async function reportBeforeLimit (instruments, { options: { memoryReport }, location }) {
  if (memoryReport !== false) await instruments.heap.reportBeforeLimit({ share: memoryReport, location })
}

/** @param {Adopted[]} adopted @param {Logger} logger */
function logAdopted (adopted, logger) {
  for (const leftover of adopted) {
    if ('path' in leftover) logger.warn({ leftover }, `a former process ran out of heap: ${leftover.path} says what filled it`)
    else logger.warn({ leftover }, `a former process ran out of heap, and ${leftover.file} cannot be read: ${leftover.problem}`)
  }
}

/** @param {Instruments} instruments @param {ResolvedOptions} wanted @param {Logger} logger */
function warnOfOtherOptions ({ options }, wanted, logger) {
  const other = SHARED_OPTIONS.filter(name => !isDeepStrictEqual(options[name], wanted[name]))
  const kept = other.map(name => `${name} ${JSON.stringify(options[name])}`)
  if (kept.length > 0) warnOnce(logger, 'LOOPSCOPE_WARN_SHARED_OPTIONS', kept.join(', '))
}

module.exports = { holdInstruments, releaseInstruments, sharedInstruments }
