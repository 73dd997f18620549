'use strict'

// Finds in a heap snapshot which async functions are suspended, which promise each of them awaits, and what awaits its own. V8 keeps a suspended function
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
    // What an application stores on a promise or a generator is a property, and shows nothing about what awaits it.
    this.#kindsOfEdges = [graph.edgeTypeOf('internal'), graph.edgeTypeOf('hidden')]
    this.kinds = findKinds(graph)
    for (const promise of this.#findPending()) {
      for (const generator of this.#targets(promise).generators) this.awaits.set(generator, promise)
    }
  }

  /** @param {number} generator @returns {number | null} node of its function */
  functionOf (generator) {
    const closure = this.#internal(generator).find(edge => this.#graph.strings.get(this.#graph.edgeName[edge]) === 'function' && !this.#graph.hasNumber(edge))
    return closure === undefined ? null : this.#graph.edgeTo[closure]
  }

  /** @param {number} generator @returns {Set<number>} the suspended functions that go on after it */
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

  /** @param {number} node @param {number} kind  of a list whose members lead to the next */
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
        // Only closures of V8: variables of other closures are not reactions.
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

/**
 * @typedef {object} Holder
 * @property {string} name  `Lock.queue`
 * @property {number} node  has the location of the class or the function
 * @property {boolean} [isVariable]  the location is that of a function which can use it: only the file is right
 */
/** @typedef {{ from: number, edge: number }} Retainer */

const MAX_STEPS = 9
const MAX_RETAINERS = 6 // of one node: of what has more, as an exported function, no one will settle the promise
const MAX_NODES = 50_000
// Closures of one context: of more it is a module's, and its variables are anybody's.
const MAX_CLOSURES = 3
const INDIRECT = 100 // steps: what holds the promise itself comes after what holds its resolve function

const PLAIN = new Set([
  'Object', 'Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Module', 'process', 'global', 'Error', 'AsyncContextFrame', 'AsyncResource', 'AsyncLocalStorage',
  'FinalizationRegistry', 'Arguments', 'EventTarget', 'AbortSignal', 'AbortController', 'Listener'
])
const IS_INTERNAL = /^(?:system \/|\(|global|Detached )/

/**
 * Finds what will settle a pending promise: the object that keeps its resolve function, as the queue of a lock or the query of a database client does;
 * else the function that calls it, or the variable or property in which the promise is. The edges of a snapshot lead away from such an object: each pass
 * over all of them goes one step back, from all promises at once.
 */
class HolderFinder {
  #graph
  #promises
  /** By node. @type {Map<number, Retainer[]>} */
  #retainers = new Map()
  #types

  /** @param {Graph} graph @param {PromiseGraph} promises */
  constructor (graph, promises) {
    this.#graph = graph
    this.#promises = promises
    this.#types = {
      object: graph.nodeType('object'),
      closure: graph.nodeType('closure'),
      native: graph.nodeType('native'),
      synthetic: graph.nodeType('synthetic'),
      weak: graph.edgeTypeOf('weak'),
      property: graph.edgeTypeOf('property'),
      context: graph.edgeTypeOf('context')
    }
  }

  /** @param {readonly number[]} promises @returns {Map<number, Holder>} */
  find (promises) {
    this.#readRetainers(promises)
    const found = new Map()
    for (const promise of promises) {
      const holder = this.#holderOf(promise)
      if (holder !== null) found.set(promise, holder)
    }
    return found
  }

  /** @param {readonly number[]} promises */
  #readRetainers (promises) {
    const { nodeCount, firstEdge, edgeTo, edgeType } = this.#graph
    const isWanted = new Uint8Array(nodeCount)
    let wanted = [...new Set(promises)]
    for (let step = 0; step < MAX_STEPS && wanted.length > 0 && this.#retainers.size < MAX_NODES; step++) {
      for (const node of wanted) {
        isWanted[node] = 1
        this.#retainers.set(node, [])
      }
      for (let from = 0; from < nodeCount; from++) {
        for (let edge = firstEdge[from]; edge < firstEdge[from + 1]; edge++) {
          const to = edgeTo[edge]
          if (isWanted[to] === 0 || edgeType[edge] === this.#types.weak || from === to) continue
          const retainers = /** @type {Retainer[]} */ (this.#retainers.get(to))
          if (retainers.length < MAX_RETAINERS && this.#isOpen(from)) retainers.push({ from, edge })
        }
      }
      const next = wanted.flatMap(node => /** @type {Retainer[]} */ (this.#retainers.get(node)).map(({ from }) => from))
      for (const node of wanted) isWanted[node] = 0
      wanted = [...new Set(next)].filter(node => !this.#retainers.has(node))
    }
  }

  /** Whether what it holds may be settled by it: not a function that waits, nor V8's roots. @param {number} node */
  #isOpen (node) {
    return this.#promises.kinds[node] !== GENERATOR && this.#graph.type[node] !== this.#types.synthetic
  }

  /** The nearest by steps. @param {number} promise @returns {Holder | null} */
  #holderOf (promise) {
    /** @type {{ node: number, cost: number, via: number | null }[]} */
    const pending = [{ node: promise, cost: 0, via: null }]
    const seen = new Set([promise])
    /** @type {{ holder: Holder, cost: number } | null} */
    let best = null
    const offer = (/** @type {Holder} */ holder, /** @type {number} */ cost) => {
      if (best === null || cost < best.cost) best = { holder, cost }
    }
    for (let at = 0; at < pending.length && at < MAX_NODES; at++) {
      const { node, cost, via } = pending[at]
      for (const { from, edge } of this.#retainers.get(node) ?? []) {
        if (seen.has(from)) continue
        seen.add(from)
        const now = cost + 1 + (this.#isIndirect(node, from, edge) ? INDIRECT : 0)
        const named = this.#graph.edgeType[edge] === this.#types.property ? this.#graph.edgeName[edge] : via
        const holder = this.#asHolder(from, named)
        if (holder !== null) offer(holder, now)
        else if (!this.#isCrowded(from)) pending.push({ node: from, cost: now, via: named })
        const other = holder === null ? this.#asFunction(from, edge) ?? this.#asVariable(from, edge) : null
        if (other !== null) offer(other, now + INDIRECT / 2)
      }
    }
    return best === null ? null : /** @type {{ holder: Holder }} */ (best).holder
  }

  /**
   * What holds a promise itself, not the function that settles it.
   * @param {number} node
   * @param {number} from
   * @param {number} edge
   */
  #isIndirect (node, from, edge) {
    const { kinds } = this.#promises
    return kinds[node] === PROMISE && (kinds[from] === 0 || this.#graph.edgeType[edge] === this.#types.context)
  }

  /**
   * @param {number} node
   * @param {number | null} via  name of the property
   * @returns {Holder | null}
   */
  #asHolder (node, via) {
    const { type, strings } = this.#graph
    if ((type[node] !== this.#types.object && type[node] !== this.#types.native) || this.#promises.kinds[node] !== 0) return null
    const name = this.#graph.nameOf(node).replace(/^Node \/ /, '')
    if (name === '' || PLAIN.has(name) || IS_INTERNAL.test(name)) return null
    const property = via === null ? '' : strings.get(via)
    return { name: /^[A-Za-z_$#][\w$]*$/.test(property) ? `${name}.${property}` : name, node }
  }

  /**
   * @param {number} node
   * @param {number} edge  by which it was reached
   * @returns {Holder | null} a function that can be looked up
   */
  #asFunction (node, edge) {
    const { type, locationOf } = this.#graph
    if (type[node] !== this.#types.closure || locationOf[node] === 0 || this.#isCrowded(this.#graph.edgeTo[edge])) return null
    return { name: this.#graph.nameOf(node), node }
  }

  /**
   * @param {number} node
   * @param {number} edge  by which it was reached
   * @returns {Holder | null} a variable of a module
   */
  #asVariable (node, edge) {
    const { edgeType, edgeName, strings } = this.#graph
    if (edgeType[edge] !== this.#types.context || !this.#isCrowded(node)) return null
    const user = this.#retainers.get(node)?.find(({ from }) => this.#graph.locationOf[from] !== 0)
    return { name: strings.get(edgeName[edge]), node: user?.from ?? node, isVariable: true }
  }

  /** @param {number} node */
  #isCrowded (node) {
    return this.#promises.kinds[node] === CONTEXT && (this.#retainers.get(node)?.length ?? 0) > MAX_CLOSURES
  }
}

module.exports = { HolderFinder, PromiseGraph }
