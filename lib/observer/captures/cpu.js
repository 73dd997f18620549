'use strict'

// The kind 'cpu': a view of the recorder's windows, encoded. Nothing is started for it.

const { monotonicMicros, toEpochMs } = require('../../shared/base/monotonic')
const { FORMATS } = require('../../shared/formats/formats')
const { onlyRoute } = require('../../shared/formats/profile/only-route')
const { hotLines } = require('../../shared/formats/text/hot-lines')

/** @import { CaptureRequest } from '../../shared/captures/kinds' */
/** @import { Product, Tools } from './recorders' */

/**
 * @param {CaptureRequest} request
 * @param {Tools} tools
 * @returns {Promise<Product>}
 */
async function recordCpu ({ lastSeconds = 0, seconds = 0, format, sources: places, route, threads }, { sources, signal, stop, context, reportSections, wantsHot }) {
  // Whole microseconds, as V8 writes them: deltas with fractions do not add up exactly.
  const now = Math.round(monotonicMicros())
  const wanted = { fromMicros: now - Math.round(lastSeconds * 1e6), toMicros: now + Math.round(seconds * 1e6), threads }
  const { profile: whole, fromMicros, toMicros, isShortened, notes: missing = [] } = await sources.views.view(wanted, signal, stop)
  const { profile, notes: ofRoute } = onlyRoute(whole, route)
  const notes = [...missing, ...ofRoute]
  const wantedSeconds = roundSeconds(lastSeconds + seconds)
  const shortened = isShortened && !stop?.aborted ? { wantedSeconds, gotSeconds: roundSeconds((toMicros - fromMicros) / 1e6) } : null
  const { extension, contentType, sources: usualPlaces, encode } = FORMATS[/** @type {keyof typeof FORMATS} */ (format)]
  const shown = (places ?? usualPlaces) === 'original' ? await sources.sourceMaps.profile(profile, { isAsked: true }) : profile
  if (shortened !== null) notes.unshift(`${shortened.gotSeconds} s of the ${wantedSeconds} s asked for: the recorder held no more`)
  const found = usualPlaces === 'original' ? reportSections(shown) : {}
  const bytes = encode(shown, { ...context, startedAt: toEpochMs(fromMicros), notes, ...found })
  const hot = wantsHot ? hotLines(await sources.sourceMaps.profile(profile, { isAsked: true }), context) : undefined
  return { bytes, extension, contentType, from: toEpochMs(fromMicros), to: toEpochMs(toMicros), shortened, hot }
}

/** @param {number} seconds */
function roundSeconds (seconds) {
  return Math.round(seconds * 100) / 100
}

module.exports = { recordCpu }
