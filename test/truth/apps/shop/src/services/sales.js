'use strict'

const rows = Array.from({ length: 100_000 }, (_, index) => ({
  id: index,
  customer: `Customer ${index % 977}`,
  city: ['Lisbon', 'Tallinn', 'Ghent', 'Graz'][index % 4],
  amount: index * 1.19,
  at: new Date(1.7e12 + index * 6e4).toISOString()
}))

/** Years of it are the same row again. @param {number} count */
function lastRows (count) {
  const last = []
  while (last.length < count) last.push(rows[last.length % rows.length])
  return last
}

module.exports = { lastRows }
