'use strict'

// What option onNearHeapLimit does in the observer: takes in what dead processes left, and watches this one.

const fs = require('node:fs')
const { guarded } = require('../../shared/base/guard')
const { adoptOrphans, makePrivate } = require('./snapshot/orphaned-snapshots')
const { mark } = require('../../shared/heap/near-limit-mark')
const { createNearLimitWatch } = require('./near-limit-watch')

/** @import { StoreLocation } from '../captures/captures' */
/** @import { Adopted } from './snapshot/orphaned-snapshots' */

/**
 * @typedef {object} LimitOrder
 * @property {'profile' | 'snapshot'} mode
 * @property {string} folder      in which V8 leaves files
 * @property {number} limitBytes  of the old generation
 * @property {StoreLocation} location  of the store
 *
 * @param {LimitOrder} order
 * @param {object} parts
 * @param {ReturnType<typeof import('../store/store').createStore>} parts.store
 * @param {(method: string) => Promise<any>} parts.post
 * @param {ReturnType<typeof import('./sampler').createHeapSampler>} parts.sampler
 * @param {(fields: object, message: string) => void} parts.logNow
 * @param {(error: unknown) => void} parts.report
 * @param {(artifact: import('../egress/items').SentArtifact) => unknown} parts.onWritten  each time: the next one takes its place
 * @returns {Promise<Adopted[]>}
 */
async function watchLimit ({ mode, folder, limitBytes, location: { appName } }, { store, post, sampler, logNow, report, onWritten }) {
  store.prepare()
  const adopted = await adoptOrphans(store.dir, { store, appName })
  mark(store.dir, folder)
  if (mode === 'snapshot') {
    fs.watch(folder, { persistent: false }, guarded(() => ignoreFaults(() => makePrivate(folder, process.pid)))).on('error', report)
    return adopted
  }
  const onEvidence = (/** @type {{ path: string }} */ evidence) => {
    logNow({ nearHeapLimit: evidence }, `the heap is near its limit: ${evidence.path} says what fills it`)
  }
  await createNearLimitWatch({ post, sampler, store, appName, limitBytes, onEvidence, onWritten, onFault: report }).start()
  return adopted
}

/** @param {() => void} work  a file may be gone again */
function ignoreFaults (work) {
  try {
    work()
  } catch {}
}

module.exports = { watchLimit }
