'use strict'

// A capture in each process of the group. Each decides for itself, by its own budget and its own room, and writes to its own store.

const { outOfScope, readCaptureBody, readKey } = require('../capture-body')
const { policyOf } = require('../capture-policy')
const { askedFor } = require('../who-asks')
const { json } = require('../../../shared/admin/responses')
const { assertKind } = require('../../../shared/captures/kinds')
const { groupCaptures } = require('../../../shared/group/group-captures')
const { tellWhole, toProcess } = require('../../../shared/group/processes')

/** @import { Context, RouteRow } from '../router' */
/** @import { GroupCaptures } from '../../../../types/group' */
/** @import { MemberCapture } from '../../../shared/group/group-captures' */

/** @returns {RouteRow[]} */
function createGroupCaptureRoutes () {
  /** Kinds, one at a time: who stops one process after the other stops no two at once. @type {Set<string>} */
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

  return [{
    name: 'group-captures',
    path: '/group/captures',
    title: 'POST: a capture in each process of the group',
    methods: { POST: { scope: 'profile', cost: 'captures', handle: create } }
  }]
}

/**
 * @param {MemberCapture[]} captures
 * @param {Pick<GroupCaptures, 'group' | 'kind'>} of
 * @param {Context} context
 */
function answerOf (captures, of, { request: { base }, sources }) {
  const here = new Set(sources.store.list().map(({ name }) => name))
  const processes = captures.map(({ capture, ...answer }) => {
    const artifact = capture?.artifact ?? null
    // The store is that of this process too, unless the other is in another container; it keeps as many as it is told to.
    const links = artifact !== null && here.has(artifact.name) ? { _links: { artifact: { href: `${base}/artifacts/${artifact.name}` } } } : {}
    return { ...toProcess(answer), capture: capture?.id ?? null, artifact, ...links }
  })
  if (processes.every(({ artifact }) => artifact === null)) {
    return { status: 503, detail: `No process of the group wrote a capture: ${tellWhole(processes)}.`, remedy: 'See /group for its processes.' }
  }
  /** @type {GroupCaptures} */
  const answer = { ...of, at: Date.now(), processes, complete: processes.every(({ problem }) => problem === null) }
  return json(201, answer)
}

/** @param {string} kind */
function busy (kind) {
  return { status: 409, detail: `A ${kind} capture of the group is under way.`, remedy: 'Wait for it.', headers: { 'Retry-After': '10' } }
}

module.exports = { createGroupCaptureRoutes }
