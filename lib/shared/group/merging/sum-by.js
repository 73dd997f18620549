'use strict'

/**
 * Rows that are about the same become one, whose figures are added up. Pure.
 * @template {object} Row
 * @param {readonly Row[]} rows
 * @param {(row: Row) => unknown} keyOf  what a row is about: plain data
 * @param {readonly (keyof Row)[]} figures
 * @returns {Row[]} in the order of their first
 */
function sumBy (rows, keyOf, figures) {
  /** @type {Map<string, Row>} */
  const sums = new Map()
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row))
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...row })
    else for (const figure of figures) sum[figure] = /** @type {any} */ (Number(sum[figure]) + Number(row[figure]))
  }
  return [...sums.values()]
}

module.exports = { sumBy }
