'use strict'

// The part of a text report that says what stands out in the profile: the same rules, with the samples alone to judge by.

const { findFindings } = require('../../shared/findings/find-findings')
const { readActivity } = require('./activity')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Readings } from '../../shared/findings/readings' */
/** @import { SourceLines } from '../stalls/culprit/source-lines' */

const MAX_FINDINGS = 3
const THRESHOLD_MS = 100
/** A profile says nothing of these. */
const UNKNOWN = Object.freeze({
  at: 0,
  startedAt: -Infinity,
  thresholdMs: THRESHOLD_MS,
  blockedMs: 0,
  stalls: [],
  system: { ms: 0, cpuMs: null, runQueueMs: null, throttledMs: null, io: null },
  ownCpu: { ranShare: 1, observerMs: null },
  pool: { queued: 0, maxWaitMs: 0 },
  threads: null,
  process: null,
  pace: { ms: 0, routes: [] },
  isStale: false
})

/**
 * @param {CpuProfile} profile
 * @param {{ appRoot: string, source: SourceLines, pid: number }} context
 * @returns {{ title: string, lines: string[] } | null} null when nothing stands out
 */
function findingsSection (profile, { appRoot, source, pid }) {
  const activity = readActivity(profile, { fromMs: 0, startedAt: UNKNOWN.startedAt, stalls: [] }, { appRoot, source })
  /** @type {Readings} */
  const readings = { ...UNKNOWN, pid, activity }
  const found = findFindings(readings, { appName: '' }).findings.filter(({ severity }) => severity !== 'none').slice(0, MAX_FINDINGS)
  if (found.length === 0) return null
  const lines = found.flatMap(({ title, instead }, index) => [`${String(index + 1).padStart(3)}. ${title}`, `     instead: ${instead}`])
  return { title: '[Findings]: what stands out, and what to change', lines }
}

module.exports = { findingsSection }
