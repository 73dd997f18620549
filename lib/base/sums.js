'use strict'

// Sums, medians and groups of lists.

/** @template T @param {Iterable<T>} items @param {(item: T) => number} [of]  not needed where they are numbers */
function sum (items, of = Number) {
  let all = 0
  for (const item of items) all += of(item)
  return all
}

/**
 * @template T, Key
 * @param {Iterable<T>} items
 * @param {(item: T) => Key} keyOf
 * @param {(item: T) => number} of
 * @returns {Map<Key, number>}
 */
function sumBy (items, keyOf, of) {
  /** @type {Map<Key, number>} */
  const sums = new Map()
  for (const item of items) {
    const key = keyOf(item)
    sums.set(key, (sums.get(key) ?? 0) + of(item))
  }
  return sums
}

/** How many items have each key. @template T, Key @param {Iterable<T>} items @param {(item: T) => Key} keyOf */
function countBy (items, keyOf) {
  return sumBy(items, keyOf, () => 1)
}

/**
 * The sum of times or rates that are reported to a tenth.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => number} of
 */
function sumToTenths (items, of) {
  return Math.round(sum(items, of) * 10) / 10
}

/**
 * Map.groupBy(), which Node.js 20 does not have.
 * @template T, Key
 * @param {Iterable<T>} items
 * @param {(item: T) => Key} keyOf
 * @returns {Map<Key, T[]>}
 */
function groupBy (items, keyOf) {
  /** @type {Map<Key, T[]>} */
  const groups = new Map()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/** @param {Iterable<number>} numbers @returns {number} 0 of none */
function median (numbers) {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = (sorted.length - 1) / 2
  return sorted.length === 0 ? 0 : (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2
}

/**
 * With roundedSum(), a sum of floating-point numbers without rounding errors (Shewchuk 1997, as in Python's math.fsum()). In another order, or with
 * partial sums, a plain sum differs in its last digit; to Prometheus a counter that falls by even so little is a reset, and its whole value an increase.
 * @param {readonly number[]} numbers
 * @returns {number[]} numbers of the same sum that do not overlap, from small to large: one to three as a rule
 */
function exactParts (numbers) {
  if (!numbers.every(Number.isFinite)) return [numbers.reduce((sum, number) => sum + number, 0)]
  /** @type {number[]} */
  let parts = []
  for (const number of numbers) {
    const kept = []
    let sum = number
    for (const part of parts) {
      const [large, small] = Math.abs(sum) < Math.abs(part) ? [part, sum] : [sum, part]
      sum = large + small
      const lost = small - (sum - large)
      if (lost !== 0) kept.push(lost)
    }
    parts = [...kept, sum]
  }
  return parts
}

/** @param {readonly number[]} parts @returns {number} the number next to their sum */
function roundedSum (parts) {
  let at = parts.length - 1
  let sum = parts[at] ?? 0
  let lost = 0
  while (at > 0 && lost === 0) {
    const before = sum
    const part = parts[--at]
    sum = before + part
    lost = part - (sum - before)
  }
  // Half of the last digit was lost: what comes below decides where to.
  const isHalf = at > 0 && Math.sign(lost) === Math.sign(parts[at - 1]) && sum + lost * 2 - sum === lost * 2
  return isHalf ? sum + lost * 2 : sum
}

module.exports = { countBy, exactParts, groupBy, median, roundedSum, sum, sumBy, sumToTenths }
