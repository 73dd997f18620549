'use strict'

// The lines above the list of requests under way, as text. Pure.

const { describeCulprit } = require('../stalls/stall-line')

/** @import { RequestsInFlight } from '../../../types/requests' */

/** @typedef {Omit<RequestsInFlight, 'requests'>} Summary */

const NO_ROUTE = 'code outside requests'

/** @param {Summary} answer @param {number} shownCount  in the list */
function describeCounts (answer, shownCount) {
  const { total, upgraded, blockedMs, isStale, running } = answer
  const shown = shownCount < total ? `, the oldest ${shownCount} shown` : ''
  const sockets = upgraded === 0 ? '' : `; ${upgraded} upgraded connection${upgraded === 1 ? '' : 's'}`
  const where = describeRunning(answer)
  const by = running === null ? '' : ` by ${running.route ?? NO_ROUTE}${where === '' ? '' : `: ${where}`}`
  const blocked = blockedMs > 0 && !isStale ? `; the event loop has been blocked for ${blockedMs} ms${by}` : ''
  return `${total === 0 ? 'no requests' : `${total} request${total === 1 ? '' : 's'}`} under way${shown}${sockets}${blocked}`
}

/** @param {Pick<Summary, 'running'>} answer @returns {string} where the running code is; '': not known */
function describeRunning ({ running }) {
  if (running === null || running.culprit === null) return ''
  return describeCulprit(running.culprit, { route: running.route, stack: [] })
}

/** @param {Summary} answer @returns {string[]} lines */
function describeStale ({ isStale, ageMs, blockedMs }) {
  if (!isStale) return []
  const why = `the event loop has been blocked for ${blockedMs} ms, and what runs there cannot be interrupted`
  return [ageMs === null ? `${why}: nothing was read before` : `${why}: this was read ${(ageMs / 1e3).toFixed(1)} s ago`]
}

module.exports = { describeCounts, describeRunning, describeStale }
