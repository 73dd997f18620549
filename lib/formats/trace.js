'use strict'

// Writes a stretch of time as a Chrome trace: samples, stalls, requests, garbage collections and marks on one time axis. The Performance panel of
// Chrome DevTools opens it, and so does Perfetto. What is not samples is in tracks of DevTools' extensibility API: user timings whose detail names
// their track.

const { sum } = require('../base/sums')
const { assertCpuProfile } = require('./profile/assert-profile')
const { parentsOf } = require('./profile/nodes')

/** @import { CpuProfile, EncodeContext, TraceEvents, TraceSpan } from '../../types/profile' */

const PID = 1 // of the trace; the title names the process
const MAIN = 1
const GROUP = 'loopscope'
const CHUNK = 1000 // samples of one event
const NO_EVENTS = Object.freeze({ stalls: [], requests: [], collections: [], marks: [] })

/** The tracks from top to bottom, and the color that DevTools gives each. */
const TRACKS = Object.freeze(/** @type {const} */ ({
  stalls: { title: 'Stalls', color: 'error' },
  requests: { title: 'Requests', color: 'primary' },
  collections: { title: 'Garbage collection', color: 'tertiary' }
}))

/**
 * @param {CpuProfile} profile
 * @param {Pick<EncodeContext, 'title' | 'startedAt' | 'events'>} [context]
 * @returns {Buffer}
 */
function encodeTrace (profile, { title = 'CPU profile', startedAt = 0, events } = {}) {
  assertCpuProfile(profile)
  const { startTime, endTime } = profile
  /** @type {TraceEvents} */
  const found = profile.processes === undefined ? events?.() ?? NO_EVENTS : NO_EVENTS // profiles of several processes have no common time
  const { marks, ...spans } = found
  const within = (/** @type {TraceSpan} */ { fromMicros, toMicros }) => toMicros > startTime && fromMicros < endTime
  let id = 0
  const traceEvents = [
    ...headOf(title, startTime),
    event('RunTask', { ph: 'X', ts: startTime, dur: endTime - startTime, cat: 'disabled-by-default-devtools.timeline', args: {} }),
    ...samplesOf(profile),
    ...Object.entries(TRACKS).flatMap(([name, track]) =>
      spans[/** @type {keyof typeof TRACKS} */ (name)].filter(within).flatMap(span => timing(span, track, ++id))),
    ...marks.filter(({ atMicros }) => atMicros >= startTime && atMicros <= endTime).map(markOf)
  ]
  const metadata = { source: 'DevTools', startTime: new Date(startedAt).toISOString(), dataOrigin: 'TraceEvents', title }
  return Buffer.from(JSON.stringify({ metadata, traceEvents }))
}

/** @param {string} title @param {number} startTime */
function headOf (title, startTime) {
  const frame = { frame: 'main', url: 'http://loopscope/', name: title, processId: PID }
  return [
    event('process_name', { ph: 'M', ts: 0, cat: '__metadata', args: { name: 'Renderer' } }), // DevTools finds its threads by these names
    event('process_labels', { ph: 'M', ts: 0, cat: '__metadata', args: { labels: title } }),
    event('thread_name', { ph: 'M', ts: 0, cat: '__metadata', args: { name: 'CrRendererMain' } }),
    event('TracingStartedInBrowser', { ph: 'I', s: 't', ts: startTime, cat: 'disabled-by-default-devtools.timeline', args: { data: { frameTreeNodeId: 1, persistentIds: true, frames: [frame] } } })
  ]
}

/**
 * The samples as V8 writes them into a trace: the tree of functions first, then the samples in pieces.
 * @param {CpuProfile} profile
 */
function samplesOf ({ nodes, samples, timeDeltas, startTime }) {
  const common = { ph: 'P', cat: 'disabled-by-default-v8.cpu_profiler', id: '0x1' }
  const chunks = [event('Profile', { ...common, ts: startTime, args: { data: { startTime } } })]
  /** @type {Map<number, number>} */
  const parents = parentsOf(nodes)
  const tree = nodes.map(({ id, callFrame }) => ({ id, callFrame: { ...callFrame, codeType: callFrame.url === '' ? 'other' : 'JS' }, ...(parents.has(id) && { parent: parents.get(id) }) }))
  let ts = startTime
  for (let from = 0; from === 0 || from < samples.length; from += CHUNK) {
    const deltas = timeDeltas.slice(from, from + CHUNK)
    ts += sum(deltas)
    const cpuProfile = { ...(from === 0 && { nodes: tree }), samples: samples.slice(from, from + CHUNK) }
    chunks.push(event('ProfileChunk', { ...common, ts, args: { data: { cpuProfile, timeDeltas: deltas } } }))
  }
  return chunks
}

/** @param {TraceSpan} span @param {{ title: string, color: string }} track @param {number} id */
function timing ({ name, fromMicros, toMicros, properties }, { title, color }, id) {
  const detail = JSON.stringify({ devtools: { dataType: 'track-entry', track: title, trackGroup: GROUP, color, properties, tooltipText: name } })
  const common = { cat: 'blink.user_timing', id2: { local: `0x${id.toString(16)}` } }
  return [
    event(name, { ...common, ph: 'b', ts: Math.round(fromMicros), args: { startTime: fromMicros / 1e3, detail } }),
    event(name, { ...common, ph: 'e', ts: Math.round(toMicros), args: {} })
  ]
}

/** @param {TraceEvents['marks'][number]} mark */
function markOf ({ name, atMicros }) {
  const detail = JSON.stringify({ devtools: { dataType: 'marker', color: 'secondary', tooltipText: name } })
  return event(name, { ph: 'I', s: 't', ts: Math.round(atMicros), cat: 'blink.user_timing', args: { data: { startTime: atMicros / 1e3, detail, navigationId: '1' } } })
}

/** @param {string} name @param {{ ph: string, ts: number, cat: string, args: object, [more: string]: unknown }} rest */
function event (name, rest) {
  return { name, pid: PID, tid: MAIN, ...rest }
}

module.exports = { encodeTrace }
