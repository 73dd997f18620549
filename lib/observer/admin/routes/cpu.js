'use strict'

// CPU profiles for looking at now: pieces of what the recorder holds, or of what it records next. No file is written, and
// any number of readers is served from the one sampler.

const { encodeView, notesOf, VIEW_FORMATS } = require('../encode-view')
const { integer, numberAbove, oneOf } = require('../parameters')
const { SOURCES } = require('../../../shared/formats/formats')
const { refuse } = require('../../../shared/base/validate')

/** @import { Context, RouteRow } from '../router' */

const DEFAULT_LAST_SECONDS = 30
const MAX_SECONDS = 300
const MAX_LAST_SECONDS = 600
const MAX_EPOCH_MS = 8.64e15

const format = oneOf(VIEW_FORMATS)
const sources = oneOf(SOURCES)

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'cpu',
    path: '/cpu',
    title: 'a CPU profile: ?last=30, ?seconds=10, &format=',
    methods: {
      GET: {
        scope: 'profile',
        cost: 'window',
        parameters: {
          seconds: numberAbove(0, MAX_SECONDS),
          last: numberAbove(0, MAX_LAST_SECONDS),
          from: integer(0, MAX_EPOCH_MS),
          to: integer(0, MAX_EPOCH_MS),
          format,
          sources
        },
        handle: cpu
      }
    }
  },
  {
    name: 'stall-cpu',
    path: '/stalls/:id/cpu',
    methods: { GET: { scope: 'profile', cost: 'nothing', parameters: { format, sources }, handle: stallCpu } }
  }
]

/** @param {Context} context */
async function cpu ({ parameters, sources, signal }) {
  const wanted = timeOf(parameters, Date.now())
  const view = await sources.view(wanted, signal)
  return encodeView(sources, view.profile, {
    format: parameters.format ?? 'cpuprofile',
    sources: parameters.sources,
    name: fileName('cpu', view.fromMs),
    startedAt: view.fromMs,
    notes: notesOf(view, wanted.toMs - wanted.fromMs)
  })
}

/**
 * @param {Record<string, any>} parameters
 * @param {number} now
 */
function timeOf ({ seconds, last, from, to }, now) {
  if (from === undefined && to === undefined) {
    const lastSeconds = last ?? (seconds === undefined ? DEFAULT_LAST_SECONDS : 0)
    return { fromMs: now - lastSeconds * 1e3, toMs: now + (seconds ?? 0) * 1e3 }
  }
  if (from === undefined || to === undefined) refuse('parameters from and to', 'both, or none', { from, to })
  if (seconds !== undefined || last !== undefined) refuse('parameters', 'either from and to, or seconds and last', { seconds, last })
  if (!(from < to && to - now <= MAX_SECONDS * 1e3)) refuse('parameter to', `after from, and at most ${MAX_SECONDS} s ahead`, to)
  return { fromMs: from, toMs: to }
}

/** @param {Context} context */
function stallCpu ({ params: { id }, parameters, sources }) {
  const number = Number(id)
  const profile = Number.isSafeInteger(number) ? sources.stallProfile(number) : null
  const stall = sources.stalls().stalls.find(one => one.id === number)
  if (profile === null) {
    const remedy = 'Only the last stalls keep theirs; see /stalls for those.'
    return { status: 404, detail: `There is no profile of a stall ${id}.`, remedy }
  }
  return encodeView(sources, profile, {
    format: parameters.format ?? 'cpuprofile',
    sources: parameters.sources,
    name: `stall-${number}`,
    startedAt: stall?.at ?? 0
  })
}

/**
 * @param {string} kind
 * @param {number} ms
 */
function fileName (kind, ms) {
  return `${kind}-${new Date(ms).toISOString().replace(/[-:.]/g, '').toLowerCase()}`
}

module.exports = { routes }
