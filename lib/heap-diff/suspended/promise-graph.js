'use strict'

// Finds in a heap snapshot which async functions are suspended, which promise each of them awaits, and who awaits theirs. V8 keeps a suspended function
// as a generator. A pending promise has reactions: closures of V8's whose context leads to the generator that goes on, or to the promise that is
// settled then, by then(), Promise.all() and the like.

/** @import { Graph } from '../graph/graph' */

const NONE = 0
const GENERATOR = 1
const PROMISE = 2
const REACTION = 3
const CAPABILITY = 4
const REQUEST = 5
const CONTEXT = 6

// The same on Node 20 to 26.
const KINDS_OF_OBJECTS = new Map([['Generator', GENERATOR], ['AsyncGenerator', GENERATOR], ['Promise', PROMISE], ['system / Context', CONTEXT]])
const KINDS_OF_HIDDEN = new Map([['system / PromiseReaction', REACTION], ['system / PromiseCapability', CAPABILITY], ['system / AsyncGeneratorRequest', REQUEST]])

const MAX_PROMISES = 10_000 // from one to what awaits it, by then() and Promise.all()

class PromiseGraph {
  #graph
  /** @type {Uint8Array} by node */
  kinds
  #kindsOfEdges
  #context
  #object
  #closure
  /** What each suspended function awaits. @type {Map<number, number>} */
  awaits = new Map()

  /** @param {Graph} graph */
  constructor (graph) {
    this.#graph = graph
    this.#object = graph.nodeType('object')
    this.#closure = graph.nodeType('closure')
    this.#context = graph.edgeTypeOf('context')
    // What an application sets on a promise or a generator is a property of it, and says nothing.
    this.#kindsOfEdges = [graph.edgeTypeOf('internal'), graph.edgeTypeOf('hidden')]
    this.kinds = findKinds(graph)
    for (const promise of this.#findPending()) {
      for (const generator of this.#targets(promise).generators) this.awaits.set(generator, promise)
    }
  }

  /**
   * @param {number} generator
   * @returns {number | null} node of its function
   */
  functionOf (generator) {
    const closure = this.#internal(generator).find(edge => this.#graph.strings.get(this.#graph.edgeName[edge]) === 'function' && !this.#graph.hasNumber(edge))
    return closure === undefined ? null : this.#graph.edgeTo[closure]
  }

  /**
   * @param {number} generator
   * @returns {Set<number>} the suspended functions that go on after it
   */
  awaitersOf (generator) {
    const { kinds } = this
    const own = this.#internal(generator).map(edge => this.#graph.edgeTo[edge])
    const requested = own.filter(node => kinds[node] === REQUEST).flatMap(request => this.#linked(request, REQUEST)).flatMap(request => this.#internal(request).map(edge => this.#graph.edgeTo[edge]))
    const pending = [...own, ...requested].filter(node => kinds[node] === PROMISE)
    const seen = new Set(pending)
    const found = /** @type {Set<number>} */ (new Set())
    for (let promise = pending.pop(); promise !== undefined; promise = pending.pop()) {
      const { generators, promises } = this.#targets(promise)
      for (const one of generators) found.add(one)
      for (const next of promises) {
        if (seen.has(next) || seen.size === MAX_PROMISES) continue
        seen.add(next)
        pending.push(next)
      }
    }
    found.delete(generator)
    return found
  }

  /** Edges that V8 made. @param {number} node */
  #internal (node) {
    const { firstEdge, edgeType } = this.#graph
    const edges = []
    for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
      if (this.#kindsOfEdges.includes(edgeType[edge])) edges.push(edge)
    }
    return edges
  }

  /**
   * @param {number} node
   * @param {number} kind  of a list whose members lead to the next
   */
  #linked (node, kind) {
    const all = [node]
    for (let at = 0; at < all.length && all.length < MAX_PROMISES; at++) {
      for (const edge of this.#internal(all[at])) {
        const to = this.#graph.edgeTo[edge]
        if (this.kinds[to] === kind && !all.includes(to)) all.push(to)
      }
    }
    return all
  }

  /** Those that something waits for. Objects of a class of their own are known by what V8 keeps in them: a promise, an async generator. */
  #findPending () {
    const { nodeCount, firstEdge, edgeTo, type } = this.#graph
    const { kinds } = this
    const pending = []
    for (let node = 0; node < nodeCount; node++) {
      if (type[node] !== this.#object || (kinds[node] !== NONE && kinds[node] !== PROMISE)) continue
      for (let edge = firstEdge[node]; edge < firstEdge[node + 1]; edge++) {
        const kind = kinds[edgeTo[edge]]
        if (kind !== REACTION && kind !== REQUEST) continue
        kinds[node] = kind === REACTION ? PROMISE : GENERATOR
        if (kind === REACTION) pending.push(node)
        break
      }
    }
    return pending
  }

  /** @param {number} promise */
  #targets (promise) {
    const { edgeTo, type, locationOf } = this.#graph
    const { kinds } = this
    const generators = /** @type {Set<number>} */ (new Set())
    const promises = /** @type {Set<number>} */ (new Set())
    const add = (/** @type {number} */ node) => {
      if (kinds[node] === GENERATOR) generators.add(node)
      else if (kinds[node] === PROMISE) promises.add(node)
      else if (kinds[node] === CAPABILITY) this.#internal(node).forEach(edge => kinds[edgeTo[edge]] === PROMISE && promises.add(edgeTo[edge]))
    }
    const reactions = this.#internal(promise).map(edge => edgeTo[edge]).filter(node => kinds[node] === REACTION)
    for (const reaction of reactions.flatMap(node => this.#linked(node, REACTION))) {
      for (const edge of this.#internal(reaction)) {
        const to = edgeTo[edge]
        // A closure of V8's: the variables of others say nothing.
        if (type[to] === this.#closure && locationOf[to] === 0) this.#contextsOf(to).forEach(context => this.#internal(context).forEach(slot => add(edgeTo[slot])))
        else add(to)
      }
    }
    return { generators, promises }
  }

  /** @param {number} closure */
  #contextsOf (closure) {
    return this.#internal(closure).map(edge => this.#graph.edgeTo[edge]).filter(node => this.kinds[node] === CONTEXT)
  }
}

/** @param {Graph} graph */
function findKinds (graph) {
  const { nodeCount, type, name } = graph
  const kinds = new Uint8Array(nodeCount)
  const tables = [{ type: graph.nodeType('object'), kinds: KINDS_OF_OBJECTS }, { type: graph.nodeType('hidden'), kinds: KINDS_OF_HIDDEN }]
  for (const table of tables) {
    /** By index of the name. @type {Map<number, number>} */
    const known = new Map()
    for (let node = 0; node < nodeCount; node++) {
      if (type[node] !== table.type) continue
      let kind = known.get(name[node])
      if (kind === undefined) {
        kind = table.kinds.get(graph.nameOf(node)) ?? NONE
        known.set(name[node], kind)
      }
      kinds[node] = kind
    }
  }
  return kinds
}

module.exports = { CAPABILITY, CONTEXT, GENERATOR, PROMISE, PromiseGraph, REACTION }
