'use strict'

function scoreEntries (limit) {
  let best = 0
  for (let entry = 0; entry < limit; entry++) {
    const score = Math.log1p(entry) * Math.tan(entry % 89) // truth: Koa handler after await
    if (score > best) best = score
  }
  return best
}

module.exports = { scoreEntries }
