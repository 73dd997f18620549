'use strict'

// Which functions allocated more, from one heap profile to another. Pure.

const { buildHeapTree, bytesByFunction } = require('../profile/heap-tree')
const { placeOf } = require('../profile/frame')

/** @import { EncodeContext } from '../../../../types/profile' */
/** @import { SamplingProfile } from '../profile/heap-tree' */

/**
 * @typedef {object} HeapDiffRow  bytes
 * @property {string} name
 * @property {string} place
 * @property {number} selfBefore
 * @property {number} selfAfter
 * @property {number} selfChange
 * @property {number} totalChange
 */

/**
 * @param {SamplingProfile} before
 * @param {SamplingProfile} after
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {{ beforeBytes: number, afterBytes: number, rows: HeapDiffRow[] }} what grew most first
 */
function diffHeapProfiles (before, after, context = {}) {
  const [earlier, later] = [before, after].map(profile => measure(profile, context))
  const nothing = { selfBytes: 0, totalBytes: 0 }
  const rows = [...new Set([...earlier.functions.keys(), ...later.functions.keys()])].map(key => {
    const [a, b] = [earlier.functions.get(key) ?? nothing, later.functions.get(key) ?? nothing]
    const [name, place] = key.split('\0')
    const [selfChange, totalChange] = [b.selfBytes - a.selfBytes, b.totalBytes - a.totalBytes]
    return { name, place, selfBefore: a.selfBytes, selfAfter: b.selfBytes, selfChange, totalChange }
  }).filter(({ selfChange, totalChange }) => selfChange !== 0 || totalChange !== 0)
  rows.sort((a, b) => b.selfChange - a.selfChange || b.totalChange - a.totalChange)
  return { beforeBytes: earlier.totalBytes, afterBytes: later.totalBytes, rows }
}

/**
 * @param {SamplingProfile} profile
 * @param {Pick<EncodeContext, 'appRoot'>} context
 */
function measure (profile, context) {
  const root = buildHeapTree({ profile, before: null }, context)
  const entries = bytesByFunction(root).map(({ frame, ...bytes }) => /** @type {const} */ ([`${frame.name}\0${placeOf(frame)}`, bytes]))
  return { totalBytes: root.totalBytes, functions: new Map(entries) }
}

/**
 * @param {any} profile  of a file
 * @returns {profile is SamplingProfile}
 */
function isHeapProfile (profile) {
  const waiting = [profile?.head]
  for (const node of waiting) {
    const { callFrame, selfSize, children } = Object(node)
    if (typeof callFrame?.functionName !== 'string' || typeof callFrame.url !== 'string') return false
    if (!Number.isFinite(selfSize) || !Array.isArray(children)) return false
    for (const child of children) waiting.push(child)
  }
  return Array.isArray(profile.samples)
}

module.exports = { diffHeapProfiles, isHeapProfile }
