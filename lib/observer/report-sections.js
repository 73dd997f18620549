'use strict'

// Adds sections to a text report besides the functions of a profile: what stands out, and the synchronous calls.

const { findFindings } = require('./findings/find-findings')
const { toCodeFrame } = require('../formats/profile/frame')
const { createWorkLineOf } = require('../formats/profile/work-lines')
const { UNMEASURED } = require('../shared/findings/readings')
const { adviceOf } = require('../shared/sync-calls/advice')
const { readActivity } = require('./findings/activity')
const { createSourceLines } = require('./stalls/culprit/source-lines')
const { findSampledCalls } = require('./sync-calls/sampled-calls')

/** @import { CallFrame, CpuProfile, EncodeContext, WorkLine } from '../../types/profile' */
/** @import { Readings, HotSpot } from '../shared/findings/readings' */
/** @import { SourceLines } from './stalls/culprit/source-lines' */

const MAX_FINDINGS = 3
const MAX_CALLS = 10
// Calls with a smaller share of the busy time get no line.
const MIN_CALL_SHARE = 0.01

/** Readings that a profile does not contain. */
const UNKNOWN = Object.freeze({
  ...UNMEASURED,
  at: 0,
  startedAt: -Infinity,
  thresholdMs: 100,
  blockedMs: 0,
  stalls: [],
  ownCpu: { ranShare: 1, observerMs: null }
})

/**
 * @param {CpuProfile} profile
 * @param {string} appRoot
 * @param {readonly WorkLine[]} [known]
 * @returns {Required<Pick<EncodeContext, 'sections' | 'lines'>> & Pick<EncodeContext, 'events'>}
 */
function reportSections (profile, appRoot, known = []) {
  // A profile of several processes or threads has no single loop to judge.
  const findings = profile.processes !== undefined ? null : findingsSection(profile, { appRoot, source: createSourceLines({ appRoot }), pid: process.pid, known })
  const lines = findings?.lines ?? known
  const workLineOf = createWorkLineOf(lines)
  const syncCalls = syncCallSection(profile, frame => toCodeFrame(frame, appRoot, workLineOf))
  return { sections: [findings?.section ?? null, syncCalls].filter(section => section !== null), lines }
}

/**
 * What stands out in the profile: the detectors of findings, with the samples as the only reading.
 * @param {CpuProfile} profile
 * @param {{ appRoot: string, source: SourceLines, pid: number, known: readonly WorkLine[] }} context
 * @returns {{ section: { title: string, lines: string[] } | null, lines: WorkLine[] }} section: null when nothing stands out; lines: the lines passed in, and
 *   those found
 */
function findingsSection (profile, { appRoot, source, pid, known }) {
  const read = readActivity(profile, { fromMs: 0, startedAt: UNKNOWN.startedAt, stalls: [] }, { appRoot, source })
  const activity = { ...read, hotSpots: read.hotSpots.map(spot => atKnownLine(spot, known)) }
  const workLines = [...known, ...activity.hotSpots.map(({ culprit }) => culprit)]
  /** @type {Readings} */
  const readings = { ...UNKNOWN, pid, activity }
  const found = findFindings(readings, { appName: '' }).findings.filter(({ severity }) => severity !== 'none').slice(0, MAX_FINDINGS)
  if (found.length === 0) return { section: null, lines: workLines }
  const lines = found.flatMap(({ title, instead }, index) => [`${String(index + 1).padStart(3)}. ${title}`, `     fix: ${instead}`])
  return { section: { title: '[Findings]: what stands out, and what to change', lines }, lines: workLines }
}

/** @param {HotSpot} spot @param {readonly WorkLine[]} known @returns {HotSpot} */
function atKnownLine (spot, known) {
  const { culprit } = spot
  const work = createWorkLineOf(known)({ name: culprit.function, file: culprit.file, line: culprit.functionLine })
  return work === null ? spot : { ...spot, culprit: { ...culprit, line: work.line, column: work.column } }
}

/**
 * The synchronous calls, what they took and what to call instead.
 * @param {CpuProfile} profile
 * @param {(frame: CallFrame) => { function: string, file: string, line: number }} showFrame
 * @returns {{ title: string, lines: string[] } | null} null when there are no notable calls
 */
function syncCallSection (profile, showFrame) {
  const { calls, busyMicros } = findSampledCalls(profile)
  const heavy = calls.filter(({ micros }) => micros >= busyMicros * MIN_CALL_SHARE)
    .sort((left, right) => right.micros - left.micros).slice(0, MAX_CALLS)
  if (heavy.length === 0) return null
  const lines = heavy.flatMap(({ api, caller, micros }) => {
    const { function: name, file, line } = showFrame(caller)
    const share = `${(micros / busyMicros * 100).toFixed(1)}%`
    const ms = (micros / 1e3).toFixed(1)
    return [
      `${ms.padStart(11)} ${share.padStart(6)}  ${api} in ${name} ${file}:${line}`,
      `${' '.repeat(20)}fix: ${adviceOf(api).instead}`
    ]
  })
  return {
    title: '[Synchronous calls]: the loop waits while they run',
    lines: ['         ms   busy  call, and the function that makes it', ...lines]
  }
}

module.exports = { reportSections }
