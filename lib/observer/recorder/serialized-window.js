'use strict'

// Converts a window of the engine `builtin` to the form that the inspector would have written. Pure: text in, profile out.
//
// V8's own text has times cut to 32 bits, paths instead of URLs, script ids as numbers, and names that are not escaped.

const { pathToFileURL } = require('node:url')
const { idleIds, withIdle } = require('../../formats/profile/nodes')
const { inOrder } = require('./window')

/** @import { CpuProfile, ProfileNode } from '../../../types/profile' */
/** @import { SerializedWindow } from '../../probe/recorder/builtin-engine' */

const CUT_MICROS = 2 ** 32
const FRAME = /"functionName":"(.*?)","lineNumber":(-?\d+),"columnNumber":(-?\d+),"scriptId":(\d+),"url":"(.*?)"\}/gs
const ABSOLUTE = /^(?:\/|[a-z]:[\\/]|\\\\)/i

/**
 * @param {SerializedWindow} serialized
 * @param {number} intervalMicros  of the full sampling rate
 * @returns {CpuProfile}
 */
function readSerialized ({ json, openedMicros, isSlow }, intervalMicros) {
  const { nodes, startTime, endTime, samples, timeDeltas } = parse(json)
  const start = startTime + Math.round((openedMicros - startTime) / CUT_MICROS) * CUT_MICROS
  const passed = endTime - startTime
  const profile = {
    nodes: nodes.map(withUrl),
    startTime: start,
    endTime: start + (passed < 0 ? passed + CUT_MICROS : passed),
    samples,
    timeDeltas
  }
  return isSlow ? sparselySampled(inOrder(profile), intervalMicros) : profile
}

/** @param {string} json @returns {any} */
function parse (json) {
  if (json.includes('\\')) return JSON.parse(escaped(json))
  try {
    return JSON.parse(json)
  } catch {
    return JSON.parse(escaped(json))
  }
}

/** @param {string} json */
function escaped (json) {
  return json.replace(FRAME, (_, name, line, column, script, url) =>
    `"functionName":${JSON.stringify(name)},"lineNumber":${line},"columnNumber":${column},"scriptId":${script},"url":${JSON.stringify(url)}}`)
}

/** @param {any} node @returns {ProfileNode} */
function withUrl ({ callFrame, ...node }) {
  const { url } = callFrame
  return { ...node, callFrame: { ...callFrame, scriptId: String(callFrame.scriptId), url: ABSOLUTE.test(url) ? pathToFileURL(url).href : url } }
}

/**
 * A window with a sample every few seconds. If samples counted with their full gap, one that hit a millisecond of work would become seconds of
 * it. So a busy sample counts as long as one at the full rate, and for all of its gap only after another busy one. The last sample, which V8
 * takes when the next window begins, shows loopscope itself.
 * @param {CpuProfile} profile
 * @param {number} intervalMicros
 * @returns {CpuProfile}
 */
function sparselySampled (profile, intervalMicros) {
  const { nodes, id: idleId } = withIdle(profile.nodes)
  const idle = idleIds(nodes)
  /** @type {number[]} */
  const samples = []
  /** @type {number[]} */
  const timeDeltas = []
  const add = (/** @type {number} */ id, /** @type {number} */ micros) => {
    samples.push(id)
    timeDeltas.push(micros)
  }
  let wasBusy = false
  let restMicros = profile.endTime - profile.startTime
  profile.samples.forEach((id, index) => {
    const delta = Math.min(restMicros, profile.timeDeltas[index])
    restMicros -= delta
    const isBusy = !idle.has(id)
    const isOwn = isBusy && !wasBusy && (index === 0 || index === profile.samples.length - 1)
    if (isOwn || !isBusy) add(idleId, delta)
    else if (wasBusy) add(id, delta)
    else {
      add(idleId, Math.max(0, delta - intervalMicros))
      add(id, Math.min(delta, intervalMicros))
    }
    wasBusy = isBusy && !isOwn
  })
  if (restMicros > 0) add(idleId, restMicros)
  return { ...profile, nodes, samples, timeDeltas }
}

module.exports = { readSerialized }
