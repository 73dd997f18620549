'use strict'

// Profiles to view now, without a file: time ranges of what the recorder holds or records next, from one sampler for any number of readers, and
// sampled allocations.

const { flag } = require('../parameters')
const { refuse } = require('../../../base/validate')
const { assertThreads } = require('../../../shared/captures/kinds')
const { onlyRoute } = require('../../../formats/profile/only-route')
const { DIFFERENCE_FORMATS, HEAP_PARAMETERS, VIEW_PARAMETERS, encodeDifference, encodeHeapView, encodeView, fileName, notesOf, timeOf } = require('../views')
const { readRoute } = require('../router')

/** @import { Context, RouteRow } from '../router' */

const { format, order, sources } = VIEW_PARAMETERS

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'cpu',
    path: '/cpu',
    title: 'a CPU profile: ?last=30, ?seconds=10, &format=, &route=, &threads=1, &against=',
    methods: {
      GET: {
        scope: 'profile',
        cost: 'window',
        parameters: {
          ...VIEW_PARAMETERS,
          against: VIEW_PARAMETERS.last,
          threads: flag()
        },
        handle: cpu
      }
    }
  },
  {
    name: 'stall-cpu',
    path: '/stalls/:id/cpu',
    methods: { GET: { scope: 'profile', cost: 'nothing', parameters: { format, order, sources }, handle: stallCpu } }
  },
  readRoute('/heap-profile', 'sampled allocations by stack: ?seconds=10, &mode=, &format=', { scope: 'profile', cost: 'reading', parameters: HEAP_PARAMETERS, handle: heapProfile })
]

/** @param {Context} context */
async function cpu (context) {
  const { parameters, sources } = context
  assertThreads('parameter ', parameters)
  const wanted = timeOf(parameters, Date.now())
  if (parameters.against !== undefined) return difference(context, wanted)
  const { profile, fromMs, notes } = await pieceOf(context, { ...wanted, threads: parameters.threads })
  return encodeView(sources, profile, {
    format: parameters.format ?? 'cpuprofile',
    sources: parameters.sources,
    order: parameters.order,
    name: fileName('cpu', fromMs),
    startedAt: fromMs,
    notes,
    route: parameters.route
  })
}

/** @param {Context} context @param {{ fromMs: number, toMs: number, threads?: boolean }} wanted */
async function pieceOf ({ parameters, sources, signal }, wanted) {
  const view = await sources.view(wanted, signal)
  const { profile, notes } = onlyRoute(view.profile, parameters.route)
  return { profile, fromMs: view.fromMs, toMs: view.toMs, notes: [...notesOf(view, wanted.toMs - wanted.fromMs), ...notes] }
}

/** @param {Context} context @param {{ fromMs: number, toMs: number }} wanted */
async function difference (context, { fromMs, toMs }) {
  const { parameters: { against, format = 'flamegraph', sources: places, threads }, sources } = context
  if (threads) refuse('parameter threads', 'absent with against: threads are recorded from now on', '1')
  if (!DIFFERENCE_FORMATS.includes(format)) refuse('parameter format', `with against, one of ${DIFFERENCE_FORMATS.join(', ')}`, format)
  const earlierMs = against * 1e3
  if (earlierMs < toMs - fromMs) refuse('parameter against', `at least ${(toMs - fromMs) / 1e3}, the seconds compared: they must not overlap`, against)
  // The earlier one first: it may be dropped while the later one is recorded.
  const before = await pieceOf(context, { fromMs: Math.round(fromMs - earlierMs), toMs: Math.round(toMs - earlierMs) })
  const after = await pieceOf(context, { fromMs, toMs })
  return encodeDifference(sources, { before, after }, { format, sources: places, name: fileName('difference', after.fromMs) })
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
    order: parameters.order,
    name: `stall-${number}`,
    startedAt: stall?.at ?? 0
  })
}

/** @param {Context} context */
async function heapProfile ({ parameters, sources, signal }) {
  const { mode = 'live', seconds = null } = parameters
  const sampling = await sources.sampleHeap({ mode, seconds }, signal)
  const { appName, pid } = sources.facts
  return encodeHeapView(sources, { ...sampling, mode }, { ...parameters, name: 'heap-profile', title: `heap profile of ${appName} (pid ${pid})` })
}

module.exports = { routes }
