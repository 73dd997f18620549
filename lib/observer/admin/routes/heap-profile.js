'use strict'

// Sampled allocations for looking at now, as `loopscope heap --kind profile` writes them, without a file.

const { encodeHeapView } = require('../views/encode-heap-view')
const { numberAbove, oneOf } = require('../parameters')
const { MAX_SECONDS, MODES } = require('../../../shared/captures/kinds')
const { SOURCES } = require('../../../shared/formats/formats')
const { HEAP_FORMATS } = require('../../../shared/formats/heap-profile')

/** @import { Context, RouteRow } from '../router' */

const HEAP_PARAMETERS = Object.freeze({
  seconds: numberAbove(0, MAX_SECONDS),
  mode: oneOf(MODES),
  format: oneOf(Object.keys(HEAP_FORMATS)),
  sources: oneOf(SOURCES)
})

/** @type {RouteRow[]} */
const routes = [
  {
    name: 'heap-profile',
    path: '/heap-profile',
    title: 'sampled allocations by stack: ?seconds=10, &mode=, &format=',
    methods: { GET: { scope: 'profile', cost: 'reading', parameters: HEAP_PARAMETERS, handle: heapProfile } }
  }
]

/** @param {Context} context */
async function heapProfile ({ parameters, sources, signal }) {
  const { mode = 'live', seconds = null } = parameters
  const sampling = await sources.sampleHeap({ mode, seconds }, signal)
  const { appName, pid } = sources.facts
  return encodeHeapView(sources, { ...sampling, mode }, { ...parameters, name: 'heap-profile', title: `heap profile of ${appName} (pid ${pid})` })
}

module.exports = { HEAP_PARAMETERS, routes }
