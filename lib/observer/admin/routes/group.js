'use strict'

// The group's routes: the combined answers of all its processes, their merged profiles, and a capture in each. This process queries its own socket
// like those of the others, so that the answer is the same from any process, and available while its loop is blocked. Only routes of single processes
// are queried, so there are no cycles.

const { askedFor, outOfScope, policyOf, readCaptureBody, readKey } = require('../capture-requests')
const { oneOf } = require('../parameters')
const { json, text } = require('../../../shared/admin/responses')
const { SingleFlight } = require('../../../base/single-flight')
const { assertKind } = require('../../../shared/captures/kinds')
const { toGroupMarkdown, toGroupText } = require('../../../shared/findings/show')
const { onlyRoute } = require('../../../formats/profile/only-route')
const { askGroup } = require('../../../shared/group/ask-group')
const { askForGroupAnswer } = require('../../../shared/group/group-answers')
const { waitsQuestion } = require('../../../shared/group/merge-waits')
const { groupCaptures } = require('../../../shared/group/group-captures')
const { groupCpuProfile, groupHeapProfile } = require('../../group/group-profiles')
const { describeCoverage, toProcess } = require('../../../shared/group/processes')
const { HEAP_PARAMETERS, VIEW_PARAMETERS, encodeHeapView, encodeView, fileName, timeOf } = require('../views')
const { readRoute } = require('../router')

/** @import { Context, MethodRow, RouteRow, Sources } from '../router' */
/** @import { GroupQuestion } from '../../../shared/group/ask-group' */
/** @import { MemberCapture } from '../../../shared/group/group-captures' */
/** @import { GroupCaptures } from '../../../../types/group' */

const MAX_PROFILES = 4 // each holds sixteen profiles in memory
const TOO_MANY_PROFILES = Object.freeze({
  status: 429,
  detail: `${MAX_PROFILES} profiles of the group are under way.`,
  remedy: 'Wait for one of them.',
  headers: { 'Retry-After': '5' }
})

/** @typedef {Parameters<typeof askForGroupAnswer>[0]} Name */
/** @typedef {ReturnType<Sources['group']>} Group */

/** @returns {RouteRow[]} */
function createGroupRoutes () {
  return [...createAnswerRoutes(), ...createProfileRoutes(), createCaptureRoute()]
}

/** Requests at the same time share one run. @returns {RouteRow[]} */
function createAnswerRoutes () {
  /** @type {Map<string, SingleFlight<any>>} */
  const questions = new Map()

  /** @param {Name} name @param {Group} group @returns {Promise<any>} */
  function ask (name, group) {
    const question = questions.get(name) ?? new SingleFlight({
      take: async () => askForGroupAnswer(name, { name: group.name, members: await group.members() })
    })
    questions.set(name, question)
    return question.share()
  }

  /**
   * @param {Name} name
   * @param {Pick<MethodRow, 'scope' | 'parameters'> & { show?: (answer: any, context: Context) => ReturnType<typeof json> }} how
   * @returns {MethodRow}
   */
  function method (name, { show = answer => json(200, answer), ...how }) {
    const handle = async (/** @type {Context} */ context) => show(await ask(name, context.sources.group()), context)
    return { ...how, cost: 'group', handle }
  }

  return [
    readRoute('/group', 'the processes of the group, beside each other', method('overview', { scope: 'metrics' })),
    readRoute('/group/findings', 'what is wrong with any process of the group: ?format=text, markdown', method('findings', { scope: 'profile', parameters: { format: oneOf(['json', 'text', 'markdown']) }, show: showFindings })),
    readRoute('/group/stalls', 'the last stalls of all processes of the group', method('stalls', { scope: 'metrics' })),
    readRoute('/group/slow-requests', 'the worst requests of all processes of the group', method('slow-requests', { scope: 'metrics' })),
    readRoute('/group/requests', 'the requests and jobs under way in all processes of the group', method('requests', { scope: 'metrics' })),
    readRoute('/group/waits', 'where the requests of all processes of the group wait, by line: ?seconds=10, &route=', { scope: 'profile', cost: 'group', parameters: { seconds: VIEW_PARAMETERS.seconds, route: VIEW_PARAMETERS.route }, handle: groupWaits }),
    readRoute('/group/memory', 'who owns the memory of the processes of the group', method('memory', { scope: 'metrics' })),
    readRoute('/group/sync-calls', 'synchronous calls of all processes of the group', method('sync-calls', { scope: 'metrics' }))
  ]
}

/** Each process samples for as long as asked, as /waits of it does. @param {Context} context */
async function groupWaits ({ parameters, sources, signal }) {
  const group = sources.group()
  const question = { ...waitsQuestion(parameters), signal }
  return json(200, await askForGroupAnswer('waits', { name: group.name, members: await group.members() }, question))
}

/** @param {import('../../../../types/group').GroupFindings} answer @param {Context} context */
function showFindings (answer, { parameters: { format = 'json' } }) {
  const whole = describeCoverage(answer.processes)
  if (format === 'text') return text(200, toGroupText(answer, whole))
  if (format === 'markdown') return text(200, toGroupMarkdown(answer, whole), { 'Content-Type': 'text/markdown; charset=utf-8' })
  return json(200, answer)
}

/**
 * Queries each process over its control socket; what arrives in time is merged here, and the response names the missing ones.
 * @returns {RouteRow[]}
 */
function createProfileRoutes () {
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
      if (underWay === MAX_PROFILES) return TOO_MANY_PROFILES
      underWay++
      try {
        return await make(context, group)
      } finally {
        underWay--
      }
    }
  })
  return [
    readRoute('/group/cpu', 'a CPU profile of all processes of the group: as /cpu', { ...bounded(groupCpu), parameters: VIEW_PARAMETERS }),
    readRoute('/group/heap-profile', 'sampled allocations of all processes of the group: as /heap-profile', { ...bounded(groupHeap), parameters: HEAP_PARAMETERS })
  ]
}

/** @param {Context} context @param {Group} group */
async function groupCpu ({ parameters, sources, signal }, group) {
  const wanted = timeOf(parameters, Date.now())
  const { profile: whole, startedAt, asked, answered, notes } = await groupCpuProfile(askOf(group), wanted, signal)
  if (answered === 0) return noAnswers(notes)
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

/** @param {Context} context @param {Group} group */
async function groupHeap ({ parameters, sources, signal }, group) {
  const { mode = 'live', seconds } = parameters
  const { profile, asked, answered, notes, fromMs, toMs } = await groupHeapProfile(askOf(group), { mode, seconds }, signal)
  if (answered === 0) return noAnswers(notes)
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
function noAnswers (notes) {
  return { status: 503, detail: `No process of the group has a profile: ${notes.join('; ')}.`, remedy: 'See /group for its processes.' }
}

/** Each process decides by its own budget and limits, and writes to its own store. @returns {RouteRow} */
function createCaptureRoute () {
  /** Kinds under way, one group capture of each at a time: it stops one process after the other, never two at once. @type {Set<string>} */
  const underWay = new Set()

  /** @param {Context} context */
  async function create (context) {
    const { request, sources, can, signal } = context
    const { kind, label, options } = readCaptureBody(request)
    sources.checkCapture(kind, options)
    const { scope } = policyOf(kind)
    if (!await can(scope)) return outOfScope(kind, scope)
    const key = readKey(request)
    const group = sources.group()
    if (underWay.has(kind)) return busy(kind)
    underWay.add(kind)
    try {
      const headers = { ...askedFor(request), ...(key !== null && { 'Idempotency-Key': key }) }
      const body = { kind, ...(label !== null && { label }), ...options }
      const captures = await groupCaptures(await group.members(), { kind, seconds: options.seconds, body, headers }, signal)
      return answerOf(captures, { group: group.name, kind: assertKind(kind) }, context)
    } finally {
      underWay.delete(kind)
    }
  }

  return {
    name: 'group-captures',
    path: '/group/captures',
    title: 'POST: a capture in each process of the group',
    methods: { POST: { scope: 'profile', cost: 'captures', handle: create } }
  }
}

/** @param {MemberCapture[]} captures @param {Pick<GroupCaptures, 'group' | 'kind'>} of @param {Context} context */
function answerOf (captures, of, { request: { base }, sources }) {
  const here = new Set(sources.store.list().map(({ name }) => name))
  const processes = captures.map(({ capture, ...answer }) => {
    const artifact = capture?.artifact ?? null
    // The store is also this process's, unless the other is in another container; it keeps only as many files as configured.
    const links = artifact !== null && here.has(artifact.name) ? { _links: { artifact: { href: `${base}/artifacts/${artifact.name}` } } } : {}
    return { ...toProcess(answer), capture: capture?.id ?? null, artifact, ...links }
  })
  if (processes.every(({ artifact }) => artifact === null)) {
    return { status: 503, detail: `No process of the group wrote a capture: ${describeCoverage(processes)}.`, remedy: 'See /group for its processes.' }
  }
  /** @type {GroupCaptures} */
  const answer = { ...of, at: Date.now(), processes, complete: processes.every(({ problem }) => problem === null) }
  return json(201, answer)
}

/** @param {string} kind */
function busy (kind) {
  return { status: 409, detail: `A ${kind} capture of the group is under way.`, remedy: 'Wait for it.', headers: { 'Retry-After': '10' } }
}

module.exports = { createGroupRoutes }
