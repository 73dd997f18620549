'use strict'

// Attributes every byte to the surviving object that retains it: the nearest one above it in the dominator tree that is in all snapshots. The growth
// of such an object is what it retains now minus what it retained before; the sum over all is the growth of the heap.

const { matchIds, NONE } = require('../comparison/match-ids')

/** @import { Baseline } from '../comparison/baseline' */

/** What V8 makes of code as it runs; it grows while an application warms up. */
const OF_CODE = new Set(['(compiled code)', '(object shape)'])

/**
 * @typedef {object} Growth  of a surviving object that keeps more than before
 * @property {number} position   of the object in the newest snapshot
 * @property {number[]} bytes    what it keeps, in each snapshot
 *
 * @typedef {{ growths: Growth[], codeBytes: number[], survivorOf: Int32Array }} Attribution
 *   survivorOf: by position of the newest, position of the object that keeps it
 */

/**
 * @param {readonly Baseline[]} snapshots  the oldest first
 * @returns {Attribution}
 */
function attributeGrowth (snapshots) {
  const newest = snapshots.length - 1
  const survivors = findSurvivors(snapshots)
  const count = survivors[newest].length
  const kept = snapshots.map((snapshot, at) => keptBy(snapshot, numbersOf(snapshot, survivors[at]), count))
  const growths = []
  for (let number = 0; number < count; number++) {
    if (kept[newest].bytes[number] <= kept[0].bytes[number]) continue
    growths.push({ position: survivors[newest][number], bytes: kept.map(({ bytes }) => bytes[number]) })
  }
  // In an order that does not depend on where the objects are.
  growths.sort((a, b) => snapshots[newest].id[a.position] - snapshots[newest].id[b.position])
  const survivorOf = kept[newest].keeper.map(number => survivors[newest][number])
  return { growths, codeBytes: kept.map(({ codeBytes }) => codeBytes), survivorOf }
}

/**
 * @param {readonly Baseline[]} snapshots
 * @returns {Int32Array[]} of each snapshot: positions of the objects that all of them have
 */
function findSurvivors ([first, ...others]) {
  const mayKeep = keepersOf(first)
  const found = [first, ...others].map(() => new Int32Array(first.id.length))
  const again = others.map(other => findAgain(first, other))
  let count = 0
  for (let position = 0; position < first.id.length; position++) {
    if (!mayKeep(position) || again.some(positions => positions[position] === NONE)) continue
    found[0][count] = position
    for (let at = 0; at < again.length; at++) found[at + 1][count] = again[at][position]
    count++
  }
  return found.map(positions => positions.subarray(0, count))
}

/**
 * @param {Baseline} first
 * @param {Baseline} other
 * @returns {Int32Array} by position of the first: that of the same object in the other, if it may keep something there
 */
function findAgain (first, other) {
  const mayKeep = keepersOf(other)
  const { again } = matchIds(first.id, other.id)
  return again.map(position => position !== NONE && mayKeep(position) ? position : NONE)
}

/**
 * @param {Baseline} snapshot
 * @param {Int32Array} positions
 */
function numbersOf ({ id }, positions) {
  const numbers = new Int32Array(id.length).fill(NONE)
  for (let number = 0; number < positions.length; number++) numbers[positions[number]] = number
  return numbers
}

/**
 * Native objects are numbered anew in every snapshot; V8's own arrays and tables belong to an object, which is named instead.
 * @param {Baseline} snapshot
 */
function keepersOf ({ id, classOf, classes }) {
  const isNamed = classes.map(({ name }) => name === '(synthetic)' || !name.startsWith('('))
  return (/** @type {number} */ position) => id[position] % 2 === 1 && isNamed[classOf[position]]
}

/**
 * @param {Baseline} snapshot
 * @param {Int32Array} numberOf
 * @param {number} count
 */
function keptBy ({ size, end, classOf, classes }, numberOf, count) {
  const bytes = new Float64Array(count)
  const keeper = new Int32Array(size.length)
  const isCode = classes.map(({ name }) => OF_CODE.has(name))
  let codeBytes = 0
  // The path of survivors above the position: number of each, and where what it dominates ends.
  /** @type {{ number: number, end: number }[]} */
  const above = [{ number: Math.max(0, numberOf[0]), end: size.length }]
  for (let position = 0; position < size.length; position++) {
    while (above[above.length - 1].end <= position) above.pop()
    const number = numberOf[position]
    if (number !== NONE) above.push({ number, end: end[position] })
    keeper[position] = above[above.length - 1].number
    if (isCode[classOf[position]]) codeBytes += size[position]
    else bytes[keeper[position]] += size[position]
  }
  return { bytes, keeper, codeBytes }
}

module.exports = { attributeGrowth }
