'use strict'

// A cache of positions in scripts and the original positions that source maps gave for them (null: the map has none). Bounded: the least
// recently used scripts are evicted first. It reads no files.

/** @import { Answer, Place, Script, OriginalPosition } from './answer' */

const MAX_PLACES = 50_000 // some 10 MB
const MAX_SCRIPTS = 5000

/** @typedef {{ hasMap: boolean, places: Map<string, OriginalPosition | null> }} KnownScript */

class OriginalPositions {
  /** Least recently used first. @type {Map<string, KnownScript>} */
  #scripts = new Map()
  #count = 0
  #maxPlaces

  /** @param {number} [maxPlaces] */
  constructor (maxPlaces = MAX_PLACES) {
    this.#maxPlaces = maxPlaces
  }

  /** Number of cached positions. */
  get size () { return this.#count }

  /** @param {string} url @param {Place} place @returns {OriginalPosition | null} */
  lookUp = (url, place) => this.#scripts.get(url)?.places.get(keyOf(place)) ?? null

  /** @param {{ url: string, place: Place }[]} wanted @returns {Script[]} the positions that are not cached yet */
  unknown (wanted) {
    /** @type {Map<string, Map<string, Place>>} */
    const open = new Map()
    for (const { url, place } of wanted) {
      const known = this.#use(url)
      if (known?.hasMap === false || known?.places.has(keyOf(place))) continue
      const places = open.get(url) ?? new Map()
      open.set(url, places.set(keyOf(place), place))
    }
    return [...open].map(([url, places]) => ({ url, places: [...places.values()] }))
  }

  /** @param {Script} script @param {Pick<Answer, 'hasMap' | 'places'>} answer */
  add ({ url, places }, answer) {
    const known = this.#use(url) ?? { hasMap: true, places: new Map() }
    this.#scripts.set(url, known)
    if (known.places.size + places.length > this.#maxPlaces) this.#empty(known)
    known.hasMap = answer.hasMap
    if (answer.hasMap) {
      const before = known.places.size
      for (const [index, place] of places.entries()) known.places.set(keyOf(place), answer.places[index])
      this.#count += known.places.size - before
    }
    this.#evict(url)
  }

  /** @param {string} url */
  #use (url) {
    const known = this.#scripts.get(url)
    if (known === undefined) return undefined
    this.#scripts.delete(url)
    this.#scripts.set(url, known)
    return known
  }

  /** @param {KnownScript} known */
  #empty (known) {
    this.#count -= known.places.size
    known.places.clear()
  }

  /** @param {string} kept */
  #evict (kept) {
    for (const [url, { places }] of this.#scripts) {
      if ((this.#count <= this.#maxPlaces && this.#scripts.size <= MAX_SCRIPTS) || url === kept) break
      this.#scripts.delete(url)
      this.#count -= places.size
    }
  }
}

/** @param {Place} place */
function keyOf ({ line, column, name }) {
  return `${line}:${column ?? ''}:${name}`
}

module.exports = { OriginalPositions }
