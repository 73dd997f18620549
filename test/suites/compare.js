'use strict'

// Compares what the same tests said in two runs. Pure.

/**
 * @typedef {{ file: string, name: string, outcome: string }} Result
 * @typedef {{ file: string, name: string, without: string, with: string }} Difference
 */

/**
 * @param {Result[]} without
 * @param {Result[]} withUs
 * @returns {Difference[]} by file and name; a test that did not run is 'absent'
 */
function compare (without, withUs) {
  const before = byTest(without)
  const after = byTest(withUs)
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(key => before.get(key) !== after.get(key))
    .map(key => {
      const [file, name] = JSON.parse(key)
      return { file, name, without: before.get(key) ?? 'absent', with: after.get(key) ?? 'absent' }
    })
}

/**
 * Tests can share a name: which of them is which is not known, so what they said together is what is compared.
 * @param {Result[]} results
 * @returns {Map<string, string>}
 */
function byTest (results) {
  /** @type {Map<string, string[]>} */
  const outcomes = new Map()
  for (const { file, name, outcome } of results) {
    const key = JSON.stringify([file, name])
    outcomes.set(key, [...outcomes.get(key) ?? [], outcome])
  }
  return new Map([...outcomes].map(([key, list]) => [key, list.sort().join(' ')]))
}

module.exports = { compare }
