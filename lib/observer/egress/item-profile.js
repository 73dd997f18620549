'use strict'

// Converts an egress item to one pprof message, and determines its profile type: the same frames, stacks and values for every backend. Pure.

const { buildHeapPprof, buildPprof } = require('../../formats/pprof')

/** @import { Profile } from 'pprof-format' */
/** @import { Trace } from '../../../types/diagnostics' */
/** @import { CpuProfile, EncodeContext } from '../../../types/profile' */
/** @import { HeapProfile } from '../../formats/formats' */

/**
 * @typedef {object} EgressProfile
 * @property {'cpu' | 'heap'} kind
 * @property {Profile} message
 * @property {Trace | null} trace  the trace that all of it belongs to
 *
 * @typedef {object} ProfileItem  the part of an item that is read here
 * @property {number} fromMs
 * @property {Record<string, string>} labels
 * @property {CpuProfile} [profile]
 * @property {HeapProfile} [heapProfile]
 * @property {Trace | null} [trace]
 * @property {string} [file]
 * @property {string} [appRoot]
 */

/**
 * @param {ProfileItem} item
 * @param {{ everySeconds: number | false }} settings
 * @returns {EgressProfile | null} null: not a profile, or an empty one, or its time is sent anyway and would count twice
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
function readProfile ({ profile, heapProfile, trace = null, fromMs, labels: { service, pid }, appRoot }) {
  /** @type {EncodeContext} */
  const context = { appRoot, title: `${service} (pid ${pid})`, startedAt: fromMs }
  if (profile !== undefined) return { kind: 'cpu', message: buildPprof(profile, context), trace }
  if (heapProfile === undefined) return null
  const message = buildHeapPprof({ ...heapProfile, kind: heapProfile.mode === 'all' ? 'alloc' : 'inuse' }, context)
  return { kind: 'heap', message, trace }
}

module.exports = { profileOf }
