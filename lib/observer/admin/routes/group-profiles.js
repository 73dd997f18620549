'use strict'

// Profiles of all processes of the group as one. Each is asked over its control socket; what answered in time is merged here, and the
// answer says who is missing.

const { encodeHeapView } = require('../views/encode-heap-view')
const { encodeView } = require('../views/encode-view')
const { HEAP_PARAMETERS } = require('./heap-profile')
const { VIEW_PARAMETERS, fileName, timeOf } = require('../views/view-parameters')
const { onlyRoute } = require('../../../shared/formats/profile/only-route')
const { askGroup } = require('../../../shared/group/ask-group')
const { groupCpuProfile } = require('../../../shared/group/group-cpu-profile')
const { groupHeapProfile } = require('../../../shared/group/group-heap-profile')

/** @import { GroupQuestion } from '../../../shared/group/ask-group' */
/** @import { Context, MethodRow, RouteRow } from '../router' */

const MAX_UNDER_WAY = 4 // sixteen profiles are in memory for each
const TOO_MANY = Object.freeze({
  status: 429,
  detail: `${MAX_UNDER_WAY} profiles of the group are under way.`,
  remedy: 'Wait for one of them.',
  headers: { 'Retry-After': '5' }
})

/** @typedef {ReturnType<Context['sources']['group']>} Group */

/** @returns {RouteRow[]} */
function createGroupProfileRoutes () {
  let underWay = 0
  /**
   * @param {(context: Context, group: Group) => ReturnType<MethodRow['handle']>} make
   * @returns {Pick<MethodRow, 'scope' | 'cost' | 'handle'>}
   */
  const bounded = make => ({
    scope: 'profile',
    cost: 'profiles',
    handle: async context => {
      const group = context.sources.group()
      if (underWay === MAX_UNDER_WAY) return TOO_MANY
      underWay++
      try {
        return await make(context, group)
      } finally {
        underWay--
      }
    }
  })
  return [
    {
      name: 'group-cpu',
      path: '/group/cpu',
      title: 'a CPU profile of all processes of the group: as /cpu',
      methods: { GET: { ...bounded(groupCpu), parameters: VIEW_PARAMETERS } }
    },
    {
      name: 'group-heap-profile',
      path: '/group/heap-profile',
      title: 'sampled allocations of all processes of the group: as /heap-profile',
      methods: { GET: { ...bounded(groupHeap), parameters: HEAP_PARAMETERS } }
    }
  ]
}

/**
 * @param {Context} context
 * @param {Group} group
 */
async function groupCpu ({ parameters, sources, signal }, group) {
  const wanted = timeOf(parameters, Date.now())
  const { profile: whole, startedAt, asked, answered, notes } = await groupCpuProfile(askOf(group), wanted, signal)
  if (answered === 0) return nobody(notes)
  const { profile, notes: ofRoute } = onlyRoute(whole, parameters.route)
  return encodeView(sources, profile, {
    format: parameters.format ?? 'cpuprofile',
    sources: parameters.sources,
    name: fileName('group-cpu', startedAt),
    startedAt,
    notes: [...notes, ...ofRoute],
    route: parameters.route,
    title: `CPU profile of ${group.name}: ${answered} of ${asked.length} processes`,
    headers: { 'X-Loopscope-Processes': `${answered}/${asked.length}` }
  })
}

/**
 * @param {Context} context
 * @param {Group} group
 */
async function groupHeap ({ parameters, sources, signal }, group) {
  const { mode = 'live', seconds } = parameters
  const { profile, asked, answered, notes, fromMs, toMs } = await groupHeapProfile(askOf(group), { mode, seconds }, signal)
  if (answered === 0) return nobody(notes)
  return encodeHeapView(sources, { profile, before: null, fromMs, toMs, mode }, {
    ...parameters,
    name: 'group-heap-profile',
    title: `heap profile of ${group.name}: ${answered} of ${asked.length} processes`,
    notes,
    headers: { 'X-Loopscope-Processes': `${answered}/${asked.length}` }
  })
}

/** @param {Group} group */
function askOf (group) {
  return async (/** @type {string} */ path, /** @type {GroupQuestion} */ question) => askGroup(await group.members(), path, question)
}

/** @param {string[]} notes */
function nobody (notes) {
  return { status: 503, detail: `No process of the group has a profile: ${notes.join('; ')}.`, remedy: 'See /group for its processes.' }
}

module.exports = { createGroupProfileRoutes }
