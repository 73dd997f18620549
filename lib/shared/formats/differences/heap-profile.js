'use strict'

// Which functions allocated more, from one heap profile to another. Pure.

const { buildHeapTree, bytesByFunction } = require('../profile/heap-tree')
const { placeOf } = require('../profile/frame')

/** @import { EncodeContext } from '../../../../types/profile' */
/** @import { SamplingProfile } from '../profile/heap-tree' */

/**
 * @typedef {{ name: string, place: string, selfBefore: number, selfAfter: number, selfChange: number, totalChange: number }} HeapDiffRow  bytes
 */

/**
 * @param {SamplingProfile} before
 * @param {SamplingProfile} after
 * @param {Pick<EncodeContext, 'appRoot'>} [context]
 * @returns {{ beforeBytes: number, afterBytes: number, rows: HeapDiffRow[] }} what grew most first
 */
function diffHeapProfiles (before, after, context = {}) {
  const [was, is] = [before, after].map(profile => measure(profile, context))
  const nothing = { selfBytes: 0, totalBytes: 0 }
  const rows = [...new Set([...was.functions.keys(), ...is.functions.keys()])].map(key => {
    const [a, b] = [was.functions.get(key) ?? nothing, is.functions.get(key) ?? nothing]
    const [name, place] = key.split('\0')
    return { name, place, selfBefore: a.selfBytes, selfAfter: b.selfBytes, selfChange: b.selfBytes - a.selfBytes, totalChange: b.totalBytes - a.totalBytes }
  }).filter(({ selfChange, totalChange }) => selfChange !== 0 || totalChange !== 0)
  rows.sort((a, b) => b.selfChange - a.selfChange || b.totalChange - a.totalChange)
  return { beforeBytes: was.totalBytes, afterBytes: is.totalBytes, rows }
}

/**
 * @param {SamplingProfile} profile
 * @param {Pick<EncodeContext, 'appRoot'>} context
 */
function measure (profile, context) {
  const root = buildHeapTree({ profile, before: null }, context)
  return { totalBytes: root.totalBytes, functions: new Map(bytesByFunction(root).map(({ frame, ...bytes }) => [`${frame.name}\0${placeOf(frame)}`, bytes])) }
}

/**
 * @param {any} profile  of a file
 * @returns {profile is SamplingProfile}
 */
function isHeapProfile (profile) {
  const waiting = [profile?.head]
  for (const node of waiting) {
    const { callFrame, selfSize, children } = Object(node)
    if (typeof callFrame?.functionName !== 'string' || typeof callFrame.url !== 'string' || !Number.isFinite(selfSize) || !Array.isArray(children)) return false
    waiting.push(...children)
  }
  return Array.isArray(profile.samples)
}

module.exports = { diffHeapProfiles, isHeapProfile }
