'use strict'

// What an item holds as one pprof message, and which kind of profile that is: the same frames, stacks and values for every backend. Pure.

const { buildPprof } = require('../formats/pprof')
const { buildBlockProfile } = require('../formats/pprof/block')
const { buildHeapPprof } = require('../formats/pprof/heap')

/** @import { Profile } from 'pprof-format' */
/** @import { Stall, Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { HeapProfile } from '../formats/heap-profile' */

/**
 * @typedef {'cpu' | 'heap' | 'block'} ProfileKind
 *
 * @typedef {object} EgressProfile
 * @property {ProfileKind} kind
 * @property {Profile} message
 * @property {Trace | null} trace  whose all of it is
 *
 * @typedef {object} ProfileItem  the part of an item that is read here
 * @property {number} fromMs
 * @property {number} toMs
 * @property {Record<string, string>} labels
 * @property {object} [report]
 * @property {CpuProfile} [profile]
 * @property {HeapProfile} [heapProfile]
 * @property {string} [file]
 * @property {string} [appRoot]
 */

/**
 * @param {ProfileItem} item
 * @param {{ everySeconds: number | false }} settings
 * @returns {EgressProfile | null} null: it is no profile, or nothing is in it, or its time is sent anyway and would count twice
 */
function profileOf (item, { everySeconds }) {
  if (item.profile !== undefined && item.file !== undefined && everySeconds !== false) return null
  const found = readProfile(item)
  return found === null || found.message.sample.length === 0 ? null : found
}

/**
 * @param {ProfileItem} item
 * @returns {EgressProfile | null}
 */
function readProfile ({ profile, heapProfile, report, fromMs, toMs, labels: { service, pid }, appRoot }) {
  /** @type {EncodeContext} */
  const context = { appRoot, title: `${service} (pid ${pid})`, startedAt: fromMs }
  if (profile !== undefined) return { kind: 'cpu', message: buildPprof(profile, context), trace: null }
  if (heapProfile !== undefined) {
    const message = buildHeapPprof({ ...heapProfile, kind: heapProfile.mode === 'all' ? 'alloc' : 'inuse' }, context)
    return { kind: 'heap', message, trace: null }
  }
  if (!isStall(report)) return null
  return { kind: 'block', message: buildBlockProfile({ stalls: [report], syncCalls: [], fromMs, toMs }), trace: report.trace }
}

/**
 * One that lasts has no cause yet; it is reported again when it is over, and would count twice.
 * @param {any} report
 * @returns {report is Stall}
 */
function isStall (report) {
  return report?.lasting !== true && typeof report?.cause === 'string' && Array.isArray(report.stack)
}

module.exports = { profileOf }
