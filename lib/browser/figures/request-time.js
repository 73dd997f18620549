'use strict'

// Where the time of a slow request went, as parts that follow one another in a bar.
// Pure; it requires nothing: the page has the same text as a script (html-page.js).

/**
 * @param {{ durationMs: number, ownMs: number, behindMs: number, gcMs: number, waitingMs: number }} request
 * @returns {{ kind: 'own' | 'behind' | 'gc' | 'waiting', ms: number, share: number }[]} without what took nothing
 */
function partsOf ({ durationMs, ownMs, behindMs, gcMs, waitingMs }) {
  const parts = Object.entries({ own: ownMs, behind: behindMs, gc: gcMs, waiting: waitingMs }).map(([kind, ms]) => ({ kind, ms })).filter(({ ms }) => ms >= 1)
  const whole = Math.max(durationMs, parts.reduce((sum, { ms }) => sum + ms, 0))
  return parts.map(part => ({ ...part, share: part.ms / whole }))
}

module.exports = { partsOf }
