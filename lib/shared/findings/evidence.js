'use strict'

// Formats the evidence of a finding. The names of its figures end with their unit: `busyShare`, `longestStallMs`, `oldBytes`.
// Pure; it requires nothing, because the pages load this file as a script (html-page.js).

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

module.exports = { formatEvidence }
