'use strict'

// Finds the route of each sample of a profile: by time (a request's synchronous code was running, or had begun to run when it was read, or a stack probe
// found the same code), or by functions on its stack that work for one route only. If these contradict each other there is no label: none is better than a wrong one.
// The same windows also train the route attribution. Pure except for that.

const { parentsOf } = require('../../formats/profile/nodes')
const { NONE } = require('./function-routes')
const { FIELDS } = require('../../shared/requests/request-batch')
const { keyOfFrame, linesOf } = require('./function-keys')

/** @import { CpuProfile, ProfileNode, SampleRoutes } from '../../../types/profile' */
/** @import { Notes, Work } from '../../probe/request-notes' */
/** @import { Claim, FunctionRoutes } from './function-routes' */

/** @typedef {{ atMicros: number, route: string, lines: string[] }} ProbedStack  by a stack probe: whose code ran, and where the functions on its stack begin, outermost first */

const CLEAR_MAJORITY = 10 // times as many votes as the weaker claim
const NEAR_MICROS = 5000 // half of the interval between two samples

// Frames for which V8 has no stack.
const STACKLESS = new Set(['(garbage collector)', '(program)'])

// Half a minute of a busy process.
const MAX_TURNS = 12_000
// A request under way may have been read as long after its arrival, if the loop was late.
const MAX_LATE_MICROS = 10e6

/**
 * The requests by the time at which they were read. Node.js calls their code at once, and reads no other request until it returns: what runs below its
 * parser is of the request that was read last.
 */
class FirstTurns {
  /** In order of time. @type {{ startMicros: number, toMicros: number, route: string }[]} */
  #turns = []
  /** Times in which a request may have been read that is still under way. @type {{ fromMicros: number, toMicros: number }[]} */
  #open = []
  /** Since when no request is missing. */
  #sinceMicros = -Infinity

  /** @param {Pick<Notes, 'log' | 'inFlight' | 'toMicros'>} notes */
  add ({ log, inFlight, toMicros }) {
    const { requests, total } = inFlight
    this.#open = requests.map(({ fromMicros }, index) => ({ fromMicros, toMicros: total > requests.length && index === requests.length - 1 ? Infinity : fromMicros + MAX_LATE_MICROS }))
    if (log === null) return
    const { numbers, routes } = log
    if (log.toMicros < toMicros) {
      this.#turns = []
      this.#sinceMicros = toMicros
      return
    }
    const added = Array.from({ length: numbers.length / FIELDS }, (_, index) => {
      const [route, , startMicros, endMicros] = numbers.subarray(index * FIELDS)
      return { startMicros, toMicros: endMicros, route: routes[route] }
    })
    this.#turns = this.#turns.concat(added).sort((left, right) => left.startMicros - right.startMicros).slice(-MAX_TURNS)
  }

  /** @returns {(micros: number) => string | null} the route of what runs then below the parser of Node.js; called in order of time */
  finder () {
    let next = 0
    return micros => {
      while (next < this.#turns.length && this.#turns[next].startMicros <= micros) next++
      const last = this.#turns[next - 1]
      if (last === undefined || last.toMicros < micros || micros < this.#sinceMicros) return null
      return this.#open.some(({ fromMicros, toMicros }) => fromMicros <= micros && micros <= toMicros) ? null : last.route
    }
  }
}

/** @param {ProfileNode} node */
function isParser ({ callFrame: { functionName, url } }) {
  return functionName === 'parserOnIncoming' && url === 'node:_http_server'
}

/** @param {CpuProfile} profile @returns {Set<number>} the nodes that run below the parser of a server */
function nodesOfFirstTurns ({ nodes }) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const found = new Set(nodes.filter(isParser).map(({ id }) => id))
  for (const id of found) for (const child of byId.get(id)?.children ?? []) found.add(child)
  return found
}

/**
 * @param {CpuProfile} profile  in order
 * @param {FunctionRoutes} functionRoutes
 * @param {readonly Work[]} work  in order of time, not overlapping
 * @param {readonly ProbedStack[]} [seen]
 * @param {FirstTurns} [firstTurns]
 * @returns {SampleRoutes}
 */
function labelSamples (profile, functionRoutes, work, seen = [], firstTurns = new FirstTurns()) {
  const claims = claimsOf(profile, functionRoutes)
  const routeAt = createRouteFinder(work)
  const inFirstTurn = nodesOfFirstTurns(profile)
  const turnAt = firstTurns.finder()
  const probed = probedAt(profile, seen)
  let at = profile.startTime
  const numbers = profile.samples.map((id, index) => {
    at += profile.timeDeltas[index]
    const route = routeAt(at) ?? (inFirstTurn.has(id) ? turnAt(at) : null)
    if (route !== null) return functionRoutes.numberOf(route)
    const claim = claims.get(id)
    return claim?.isEnough ? claim.route : functionRoutes.numberOf(probed.get(index) ?? null)
  })
  fillStackless(profile, numbers)
  return toSampleRoutes(numbers, functionRoutes.names)
}

/**
 * The sample next to each stack probe, if it has the same stack except for the innermost function: V8 answers a probe at a function call or at
 * the next turn of a loop.
 * @param {CpuProfile} profile
 * @param {readonly ProbedStack[]} seen
 * @returns {Map<number, string>} routes by the index of the sample
 */
function probedAt ({ nodes, samples, timeDeltas, startTime }, seen) {
  const inOrder = seen.toSorted((left, right) => left.atMicros - right.atMicros)
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = parentsOf(nodes)
  const linesAt = (/** @type {number} */ leaf) => {
    const keys = []
    for (let node = byId.get(leaf); node !== undefined; node = byId.get(parents.get(node.id) ?? NaN)) keys.push(keyOfFrame(node.callFrame))
    return linesOf(keys.filter(key => key !== null)).reverse()
  }
  /** @type {Map<number, string>} */
  const found = new Map()
  let at = startTime
  let next = 0
  samples.forEach((id, index) => {
    at += timeDeltas[index]
    while (next < inOrder.length && inOrder[next].atMicros < at - NEAR_MICROS) next++
    const probe = inOrder[next]
    if (probe !== undefined && probe.atMicros <= at + NEAR_MICROS && isAlike(linesAt(id), probe.lines)) found.set(index, probe.route)
  })
  return found
}

/** @param {readonly string[]} left @param {readonly string[]} right */
function isAlike (left, right) {
  const shorter = Math.min(left.length, right.length)
  let shared = 0
  while (shared < shorter && left[shared] === right[shared]) shared++
  return shared >= Math.max(1, shorter - 1)
}

/**
 * @param {Pick<CpuProfile, 'nodes'>} profile
 * @param {FunctionRoutes} functionRoutes
 * @returns {Map<number, Claim | null>} by node: the claim of the functions from the outermost one down to it
 */
function claimsOf ({ nodes }, functionRoutes) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  /** @type {Map<number, Claim | null>} */
  const found = new Map()
  /** @type {{ node: ProfileNode, above: Claim | null }[]} */
  const pending = nodes.length === 0 ? [] : [{ node: nodes[0], above: null }]
  for (const { node, above } of pending) {
    const claim = stronger(above, functionRoutes.claimOf(node.callFrame))
    found.set(node.id, claim)
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child !== undefined) pending.push({ node: child, above: claim })
    }
  }
  return found
}

/**
 * A function seen a few times, for one route by chance, does not outweigh one seen often. Of two handlers the inner one is called by the outer
 * one. If neither claim is much stronger, the stack has no route, whatever follows below.
 * @param {Claim | null} outer
 * @param {Claim | null} inner
 * @returns {Claim | null}
 */
function stronger (outer, inner) {
  if (outer === null || inner === null || outer.route === inner.route) return outer === null || (inner?.votes ?? 0) > outer.votes ? inner : outer
  if (outer.votes >= inner.votes * CLEAR_MAJORITY) return outer
  return inner.votes >= outer.votes * CLEAR_MAJORITY ? inner : { route: NONE, votes: Math.max(outer.votes, inner.votes), isEnough: true }
}

/**
 * What runs without a stack between two samples of one route counts for that route: a garbage collection in the middle of its work.
 * @param {CpuProfile} profile
 * @param {number[]} numbers
 */
function fillStackless ({ nodes, samples }, numbers) {
  const stackless = new Set(nodes.filter(({ callFrame }) => STACKLESS.has(callFrame.functionName)).map(({ id }) => id))
  for (let index = 1; index < samples.length; index++) {
    if (!stackless.has(samples[index]) || numbers[index] >= 0) continue
    let end = index
    while (end < samples.length && stackless.has(samples[end])) end++
    if (numbers[index - 1] === numbers[end]) numbers.fill(numbers[end], index, end)
    index = end
  }
}

/**
 * @param {number[]} numbers  of routes
 * @param {readonly string[]} allNames
 * @returns {SampleRoutes}
 */
function toSampleRoutes (numbers, allNames) {
  /** @type {Map<number, number>} */
  const indexes = new Map()
  const samples = numbers.map(number => {
    if (number < 0) return -1
    const index = indexes.get(number) ?? indexes.size
    indexes.set(number, index)
    return index
  })
  return { names: [...indexes.keys()].map(number => allNames[number]), samples }
}

/** @param {readonly Work[]} work @returns {(micros: number) => string | null}  called in order of time */
function createRouteFinder (work) {
  let index = 0
  return micros => {
    while (index < work.length && work[index].toMicros < micros) index++
    const current = work[index]
    return current !== undefined && current.fromMicros <= micros ? current.route : null
  }
}

/**
 * Takes votes from a window: while a request's synchronous code was running, the functions on the samples' stacks were running for its route.
 * @param {CpuProfile} window  in order
 * @param {readonly Work[]} work  in order of time, not overlapping
 * @param {FunctionRoutes} functionRoutes  receives the votes
 */
function learnWindow (window, work, functionRoutes) {
  const routeAt = createRouteFinder(work)
  /** How many samples of a node were of a route. @type {Map<string, Map<number, number>>} */
  const counts = new Map()
  let at = window.startTime
  window.samples.forEach((id, index) => {
    at += window.timeDeltas[index]
    const route = routeAt(at)
    if (route === null) return
    const ofRoute = counts.get(route) ?? new Map()
    counts.set(route, ofRoute.set(id, (ofRoute.get(id) ?? 0) + 1))
  })
  if (counts.size === 0) return
  const byId = new Map(window.nodes.map(node => [node.id, node]))
  const parents = parentsOf(window.nodes)
  for (const [route, ofRoute] of counts) {
    const number = functionRoutes.numberOf(route)
    for (const [leaf, count] of ofRoute) {
      for (let id = /** @type {number | undefined} */ (leaf); id !== undefined; id = parents.get(id)) {
        const node = byId.get(id)
        if (node !== undefined) functionRoutes.addSamples(node.callFrame, number, count)
      }
    }
  }
}

module.exports = { FirstTurns, claimsOf, labelSamples, learnWindow }
