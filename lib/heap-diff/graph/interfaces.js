'use strict'

// Groups plain objects by their properties, such as `{id, name}`, with the rules and limits of Chrome DevTools.

const { groupBy } = require('../../base/sums')

/** @import { Shape } from './raw-classes' */

const MAX_NAME_LENGTH = 120
const MIN_OBJECTS = 2 // a single object does not make a class
const MIN_SHARE = 1000 // one in a thousand plain objects, so that there is no long tail

/** @typedef {{ name: string, properties: readonly string[] }} Interface */

/**
 * @param {readonly Shape[]} shapes  in the order in which they were met
 * @returns {Interface[]} the most frequent first
 */
function inferInterfaces (shapes) {
  /** @type {Map<string, Interface & { count: number }>} */
  const candidates = new Map()
  let objects = 0
  for (const { properties, count } of shapes) {
    objects += count
    const candidate = toInterface(properties)
    if (candidate.properties.length === 0) continue
    const known = candidates.get(candidate.name)
    if (known) known.count += count
    else candidates.set(candidate.name, { ...candidate, count })
  }
  const minCount = Math.max(MIN_OBJECTS, objects / MIN_SHARE)
  return [...candidates.values()].filter(({ count }) => count >= minCount).sort((a, b) => b.count - a.count)
    .map(({ name, properties }) => ({ name, properties }))
}

/** @param {readonly string[]} names @returns {Interface} */
function toInterface (names) {
  let text = '{'
  const properties = []
  for (const name of names) {
    if (name === '__proto__') continue
    const formatted = /[,'"{}]/.test(name) ? JSON.stringify(name) : name
    if (text.length > 1 && text.length + formatted.length > MAX_NAME_LENGTH) break
    text += text.length === 1 ? formatted : `, ${formatted}`
    properties.push(name)
  }
  return { name: `${text}}`, properties }
}

/**
 * @param {readonly Interface[]} interfaces
 * @param {(property: string) => unknown} [toToken]  what the properties of the objects are known by
 */
function createMatcher (interfaces, toToken = property => property) {
  const candidates = interfaces.map(({ name, properties }) => ({ name, tokens: [...new Set(properties)].map(toToken) }))
  // The one with the most properties wins, of several the first.
  const ranked = candidates.sort((a, b) => b.tokens.length - a.tokens.length)
  // By its first property each is looked up; what has none of them is not compared at all.
  const byToken = groupBy(ranked.map((candidate, rank) => ({ rank, ...candidate })), ({ tokens: [first] }) => first)
  /**
   * @param {readonly unknown[]} tokens  of an object
   * @returns {string} `Object` when none fits
   */
  return tokens => {
    const has = new Set(tokens)
    let best = { rank: Infinity, name: 'Object' }
    for (const token of has) {
      const found = byToken.get(token)?.find(candidate => candidate.rank < best.rank && candidate.tokens.every(wanted => has.has(wanted)))
      if (found) best = found
    }
    return best.name
  }
}

module.exports = { inferInterfaces, createMatcher }
