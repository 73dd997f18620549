'use strict'

// Formats what a finding has beside its sentences: its evidence, and the prediction of what its fix would change. The names of figures end with
// their unit: `busyShare`, `longestStallMs`, `oldBytes`. Pure; it requires nothing, because the pages load this file as a script (html-page.js).

/** @import { PredictedQuantile, Prediction, RoutePrediction } from '../../../types/what-if' */

/** @typedef {{ duration: (ms: number) => string, bytes: (bytes: number) => string }} Shows */
/** @typedef {(value: number, shows: Shows) => string} Show */

/** @type {Show} */
const percent = value => `${Math.round(value * 100)} %`
/** @type {{ suffix: string, show: Show }[]} */
const UNITS = [
  { suffix: 'Share', show: percent },
  { suffix: 'Bytes', show: (value, { bytes }) => bytes(value) },
  { suffix: 'Seconds', show: (value, { duration }) => duration(value * 1000) },
  { suffix: 'Ms', show: (value, { duration }) => duration(value) }
]
/** Names that are only a unit. @type {Record<string, { name: string, show: Show }>} */
const BARE = {
  share: { name: 'share', show: percent },
  utilization: { name: 'utilization', show: percent },
  seconds: { name: 'time', show: (value, { duration }) => duration(value * 1000) },
  ms: { name: 'time', show: (value, { duration }) => duration(value) },
  bytesPerMinute: { name: 'growth', show: (value, { bytes }) => `${bytes(value)} per minute` }
}

/**
 * @param {Record<string, number | string | null>} evidence
 * @param {Shows} shows
 * @returns {{ name: string, text: string }[]} the figures that are known
 */
function formatEvidence (evidence, shows) {
  return Object.entries(evidence).filter(([, value]) => value !== null && value !== '').map(([name, value]) => {
    if (typeof value !== 'number') return { name: spaced(name), text: String(value) }
    if (name in BARE) return { name: BARE[name].name, text: BARE[name].show(value, shows) }
    const unit = UNITS.find(({ suffix }) => name.endsWith(suffix))
    return unit === undefined ? { name: spaced(name), text: String(Number(value.toFixed(2))) } : { name: spaced(name.slice(0, -unit.suffix.length)), text: unit.show(value, shows) }
  })
}

/** @param {string} name */
function spaced (name) {
  return name.replace(/[A-Z](?![0-9])/g, letter => ` ${letter.toLowerCase()}`).replace(/P(?=[0-9])/g, ' p')
}

const MAX_ROUTES = 2
const CHANGES = { removed: 'without it', asynchronous: 'off the event loop', scaled: 'with that change' }
// A smaller gain is within the difference between two processes of the same code.
const MIN_GAIN = 1.05
// Less is within that, too.
const MIN_CHANGE = { share: 0.2, ms: 5 }

/** @param {Prediction | null | undefined} prediction @returns {string} empty: there is nothing to predict */
function predictionText (prediction) {
  if (!prediction) return ''
  const { change, reason, routes, maxSpeedUp } = prediction
  if (reason !== null) return `no prediction: ${reason}`
  const changed = routes.filter(({ p95Ms }) => p95Ms !== null && isChange(p95Ms)).sort((left, right) => gainOf(right) - gainOf(left))
  const shown = changed.slice(0, MAX_ROUTES).map(({ route, p95Ms }) => `p95 of ${route} would be about ${quantileText(/** @type {PredictedQuantile} */ (p95Ms))}`)
  const durations = shown.length === 0 ? ['no route would differ by more than two runs of one program do'] : shown
  const rate = maxSpeedUp !== null && maxSpeedUp >= MIN_GAIN ? [`requests a second at most ${maxSpeedUp} times`] : []
  return `${CHANGES[change]}, ${[...durations, ...rate].join('; ')}`
}

/** @param {PredictedQuantile} quantile */
function isChange ({ now, low, expected, high }) {
  return high < now || low > now || Math.abs(now - expected) > Math.max(MIN_CHANGE.ms, now * MIN_CHANGE.share)
}

/** @param {RoutePrediction} route */
function gainOf ({ p95Ms, requests }) {
  return p95Ms === null ? 0 : requests * (p95Ms.now - p95Ms.expected)
}

/** @param {PredictedQuantile} quantile */
function quantileText ({ now, low, expected, high }) {
  return `${expected} ms (${low} to ${high}) instead of ${now}`
}

module.exports = { formatEvidence, predictionText }
