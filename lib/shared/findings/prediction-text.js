'use strict'

// Formats a prediction as one sentence, and its routes as rows. Pure; it requires nothing, because the page loads this file as a script
// (html-page.js).

/** @import { PredictedQuantile, Prediction, RoutePrediction } from '../../../types/what-if' */

const MAX_ROUTES = 2
const CHANGES = { removed: 'without it', asynchronous: 'off the event loop', scaled: 'with that change' }
// A smaller gain is within the difference between two processes of the same code.
const MIN_GAIN = 1.05

/**
 * @param {Prediction | null | undefined} prediction
 * @returns {string} empty: there is nothing to predict
 */
function predictionText (prediction) {
  if (!prediction) return ''
  const { change, reason, routes, maxSpeedUp } = prediction
  if (reason !== null) return `no prediction: ${reason}`
  const changed = routes.filter(({ p95Ms }) => p95Ms !== null && (p95Ms.high < p95Ms.now || p95Ms.low > p95Ms.now)).sort((left, right) => gainOf(right) - gainOf(left))
  const shown = changed.slice(0, MAX_ROUTES).map(({ route, p95Ms }) => `p95 of ${route} would be about ${quantileText(/** @type {PredictedQuantile} */ (p95Ms))}`)
  const durations = shown.length === 0 ? ['no route would differ by more than two runs of one program do'] : shown
  const rate = maxSpeedUp !== null && maxSpeedUp >= MIN_GAIN ? [`requests a second at most ${maxSpeedUp} times`] : []
  return `${CHANGES[change]}, ${[...durations, ...rate].join('; ')}`
}

/** @param {RoutePrediction} route */
function gainOf ({ p95Ms, requests }) {
  return p95Ms === null ? 0 : requests * (p95Ms.now - p95Ms.expected)
}

/** @param {PredictedQuantile} quantile */
function quantileText ({ now, low, expected, high }) {
  return `${expected} ms (${low} to ${high}) instead of ${now}`
}

module.exports = { predictionText }
