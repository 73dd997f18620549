'use strict'

// Reads from a heap snapshot where async functions are suspended: the innermost function of the application in each chain, how many are there, who
// awaits it, and what it awaits.

const { createPlaceFinder, findScriptNames, isOwnFile } = require('../suspects/places')
const { readGraph } = require('../graph/read-graph')
const { HolderFinder, PromiseGraph } = require('./promise-graph')

/** @import { CallFrame } from '../../../types/profile' */
/** @import { Graph } from '../graph/graph' */

/**
 * @typedef {object} Waiting  functions of one place
 * @property {number} place    index in places
 * @property {number} count
 * @property {Waiting[]} awaitedBy  most first
 *
 * @typedef {object} Stop  where chains end
 * @property {Waiting} waiting
 * @property {number | null} awaited  index in places: the function of a package or of Node.js that it awaits
 * @property {{ name: string, place: number } | null} holder  what will settle the promise; of a variable only the file is in its place
 * @property {boolean} isCircular  it waits for itself, through others
 *
 * @typedef {{ place: number, awaited: number | null, isCircular: boolean, generators: Set<number> }} Found
 *
 * @typedef {object} Suspended
 * @property {number} functions  that are suspended
 * @property {CallFrame[]} places
 * @property {Stop[]} stops  most first
 */

const MAX_DEPTH = 50
const MAX_STOPS = 500
const MAX_SAMPLES = 3 // promises of one stop: they are alike

/**
 * @param {string} file
 * @param {object} options
 * @param {(place: CallFrame) => boolean} options.isApp  whether the application's authors wrote it
 * @param {(bytes: number) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Suspended>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function readSuspended (file, { isApp, ...options }) {
  const { graph } = await readGraph(file, options)
  try {
    return new SuspendedReader(graph, isApp).read()
  } finally {
    graph.close()
  }
}

class SuspendedReader {
  #graph
  #promises
  #isApp
  #placeOf
  /** @type {CallFrame[]} */
  #places = []
  /** By position and name. @type {Map<string, number>} */
  #indexes = new Map()
  /** By generator. @type {Map<number, number>} */
  #placesOf = new Map()
  /** By generator: those that go on after it. @type {Map<number, number[]>} */
  #awaiters = new Map()

  /** @param {Graph} graph @param {(place: CallFrame) => boolean} isApp */
  constructor (graph, isApp) {
    this.#graph = graph
    this.#promises = new PromiseGraph(graph)
    this.#isApp = isApp
    this.#placeOf = createPlaceFinder(graph, findScriptNames(graph))
  }

  /** @returns {Suspended} */
  read () {
    const suspended = this.#readAwaiters()
    const isAwaited = new Set([...this.#awaiters.values()].flat())
    const reached = new Set()
    /** @type {Map<string, Found>} */
    const found = new Map()
    for (const generator of suspended) if (!isAwaited.has(generator)) this.#add(found, reached, generator, false)
    // What is left are circles, and what awaits them.
    for (const generator of suspended) if (!reached.has(generator)) this.#add(found, reached, generator, true)
    const most = [...found.values()].sort((left, right) => right.generators.size - left.generators.size).slice(0, MAX_STOPS)
    const holders = this.#holdersOf(most.filter(({ awaited, isCircular }) => awaited === null && !isCircular))
    const stops = most.map(one => {
      const { place, awaited, generators, isCircular } = one
      return { waiting: this.#waiting(place, generators, new Set(), 0), awaited, holder: holders.get(one) ?? null, isCircular }
    })
    return { functions: suspended.length, stops, places: this.#places }
  }

  /** @returns {number[]} those that are suspended, without loopscope's own */
  #readAwaiters () {
    const all = [...this.#promises.awaits.keys()].filter(generator => {
      const node = this.#promises.functionOf(generator)
      return node !== null && !isOwnFile(this.#placeOf(node)?.file ?? '')
    })
    const isKept = new Set(all)
    for (const generator of all) this.#awaiters.set(generator, [...this.#promises.awaitersOf(generator)].filter(one => isKept.has(one)))
    return all
  }

  /**
   * @param {Map<string, Found>} found
   * @param {Set<number>} reached
   * @param {number} generator  that awaits no suspended function
   * @param {boolean} isCircular
   */
  #add (found, reached, generator, isCircular) {
    for (const { stop, inner } of this.#toApplication(generator)) {
      const place = this.#placeIndex(stop)
      const awaited = inner === null ? null : this.#placeIndex(inner)
      const key = `${place} ${awaited} ${isCircular}`
      const known = found.get(key) ?? { place, awaited, isCircular, generators: new Set() }
      found.set(key, known)
      known.generators.add(stop)
    }
    const pending = [generator]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue
      reached.add(next)
      pending.push(...this.#awaitersOf(next))
    }
  }

  /**
   * A package's or Node's own functions are what the application awaits.
   * @param {number} generator
   * @returns {{ stop: number, inner: number | null }[]}
   */
  #toApplication (generator) {
    /** @type {Map<number, { stop: number, inner: number | null }>} */
    const stops = new Map()
    const seen = new Set([generator])
    const pending = this.#isOfApp(generator) ? [] : [generator]
    for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
      for (const stop of this.#awaitersOf(inner)) {
        if (seen.has(stop)) continue
        seen.add(stop)
        if (this.#isOfApp(stop)) stops.set(stop, { stop, inner })
        else pending.push(stop)
      }
    }
    return stops.size === 0 ? [{ stop: generator, inner: null }] : [...stops.values()]
  }

  /**
   * @param {number} place
   * @param {Set<number>} generators  at this place
   * @param {Set<number>} seen  in the same chains
   * @param {number} depth
   * @returns {Waiting}
   */
  #waiting (place, generators, seen, depth) {
    /** @type {Map<number, Set<number>>} */
    const next = new Map()
    for (const generator of generators) seen.add(generator)
    for (const generator of depth === MAX_DEPTH ? [] : generators) {
      for (const awaiter of this.#awaitersOf(generator)) {
        if (seen.has(awaiter)) continue
        const at = this.#placeIndex(awaiter)
        next.set(at, (next.get(at) ?? new Set()).add(awaiter))
      }
    }
    const awaitedBy = [...next].sort((left, right) => right[1].size - left[1].size).map(([at, all]) => this.#waiting(at, all, seen, depth + 1))
    return { place, count: generators.size, awaitedBy }
  }

  /** @param {Found[]} found @returns {Map<Found, Stop['holder']>} */
  #holdersOf (found) {
    const samples = found.map(one => [...one.generators].slice(0, MAX_SAMPLES).map(generator => /** @type {number} */ (this.#promises.awaits.get(generator))))
    const holders = new HolderFinder(this.#graph, this.#promises).find(samples.flat())
    return new Map(found.map((one, index) => {
      const promise = samples[index].find(promise => holders.has(promise))
      const holder = promise === undefined ? undefined : holders.get(promise)
      return [one, holder === undefined ? null : { name: holder.name, place: this.#indexOfPlace(holder.node, holder.isVariable) }]
    }))
  }

  /** @param {number} generator */
  #awaitersOf (generator) {
    return this.#awaiters.get(generator) ?? []
  }

  /** @param {number} generator */
  #isOfApp (generator) {
    return this.#isApp(this.#places[this.#placeIndex(generator)])
  }

  /** @param {number} generator */
  #placeIndex (generator) {
    const known = this.#placesOf.get(generator)
    if (known !== undefined) return known
    const index = this.#indexOfPlace(this.#promises.functionOf(generator) ?? generator)
    this.#placesOf.set(generator, index)
    return index
  }

  /**
   * @param {number} node  a function, or an object with the location of its class
   * @param {boolean} [isFile]  without the line
   */
  #indexOfPlace (node, isFile = false) {
    const { locations, locationOf } = this.#graph
    const location = isFile ? null : locations[locationOf[node]]
    const functionName = this.#graph.nameOf(node)
    const url = this.#placeOf(node)?.file ?? ''
    const key = `${functionName} ${url} ${location?.line} ${location?.column}`
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    const place = { functionName, scriptId: String(location?.script ?? 0), url, lineNumber: location?.line ?? -1, columnNumber: location?.column ?? -1 }
    const index = this.#places.push(place) - 1
    this.#indexes.set(key, index)
    return index
  }
}

module.exports = { readSuspended }
