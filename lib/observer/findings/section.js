'use strict'

// The part of a text report that says what stands out in the profile: the same rules, with the samples alone to judge by.

const { findFindings } = require('../../shared/findings/find-findings')
const { createWorkLineOf } = require('../../shared/formats/profile/work-lines')
const { readActivity } = require('./activity')

/** @import { CpuProfile, WorkLine } from '../../../types/profile' */
/** @import { Readings, Spot } from '../../shared/findings/readings' */
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
 * @param {{ appRoot: string, source: SourceLines, pid: number, known: readonly WorkLine[] }} context
 * @returns {{ section: { title: string, lines: string[] } | null, lines: WorkLine[] }} null when nothing stands out; lines: what is known, and
 *   what was found
 */
function findingsSection (profile, { appRoot, source, pid, known }) {
  const read = readActivity(profile, { fromMs: 0, startedAt: UNKNOWN.startedAt, stalls: [] }, { appRoot, source })
  const activity = { ...read, spots: read.spots.map(spot => atKnownLine(spot, known)) }
  const workLines = [...known, ...activity.spots.map(({ culprit }) => culprit)]
  /** @type {Readings} */
  const readings = { ...UNKNOWN, pid, activity }
  const found = findFindings(readings, { appName: '' }).findings.filter(({ severity }) => severity !== 'none').slice(0, MAX_FINDINGS)
  if (found.length === 0) return { section: null, lines: workLines }
  const lines = found.flatMap(({ title, instead }, index) => [`${String(index + 1).padStart(3)}. ${title}`, `     instead: ${instead}`])
  return { section: { title: '[Findings]: what stands out, and what to change', lines }, lines: workLines }
}

/**
 * @param {Spot} spot
 * @param {readonly WorkLine[]} known
 * @returns {Spot}
 */
function atKnownLine (spot, known) {
  const { culprit } = spot
  const work = createWorkLineOf(known)({ name: culprit.function, file: culprit.file, line: culprit.functionLine })
  return work === null ? spot : { ...spot, culprit: { ...culprit, line: work.line, column: work.column } }
}

module.exports = { findingsSection }
