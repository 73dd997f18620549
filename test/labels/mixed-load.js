'use strict'

// A mixed load of six routes in a process of its own (test/fixtures/labels), and what of its samples carries which route, against what the
// load itself says was burned for whom and when.

const path = require('node:path')
const { start } = require('../process/child')

/**
 * @typedef {object} Judged  samples in which the load burned
 * @property {number} forRequests
 * @property {number} labelled       of these
 * @property {number} right          of these
 * @property {number} forNobody
 * @property {number} forNobodyLabelled
 */

/**
 * @param {import('node:test').TestContext} t
 * @param {string} framework
 * @param {number} seconds
 * @returns {Promise<Judged>}
 */
async function judge (t, framework, seconds) {
  const app = start(t, [path.join(__dirname, `../fixtures/labels/${framework}.js`), String(seconds)], { env: { NODE_ENV: 'production' } })
  const { profile, truth } = await app.until(/^judged$/)
  const judged = { forRequests: 0, labelled: 0, right: 0, forNobody: 0, forNobodyLabelled: 0 }
  let micros = profile.startTime
  let at = 0
  profile.samples.forEach((id, index) => {
    micros += profile.timeDeltas[index]
    while (at < truth.length && truth[at].toMicros < micros) at++
    if (at === truth.length || truth[at].fromMicros > micros) return
    note(judged, truth[at].route, profile.routes.names[profile.routes.samples[index]])
  })
  return judged
}

/**
 * @param {Judged} judged
 * @param {string | null} route  null: for no request
 * @param {string | undefined} label
 */
function note (judged, route, label) {
  if (route === null) {
    judged.forNobody++
    if (label !== undefined) judged.forNobodyLabelled++
    return
  }
  judged.forRequests++
  if (label !== undefined) judged.labelled++
  if (label === route) judged.right++
}

module.exports = { judge }
