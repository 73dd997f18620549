'use strict'

// How often a rule may act, and in which processes: for each rule and each culprit, from what it did in the last day. Pure: observer/rules/ stores
// it.

const { isObject, number, record, text, time } = require('../../base/shapes')
const { assertBoolean, assertInteger, assertKnownKeys, assertPlainObject } = require('../../base/validate')

const DAY_MS = 24 * 60 * 60 * 1000
// As CockroachDB has it: what was worst is forgotten, so that the next trouble is seen again.
const HIGH_WATER_MS = 20 * 60 * 1000

// Of another process, which wrote while this one made up its mind. What is dated later is of before the clock was set back, or of no clock at all.
const MAX_AHEAD_MS = 60_000

const DEFAULTS = Object.freeze({
  coolDownSeconds: 600, // a second capture of the same problem within minutes adds nothing
  perDay: 10, // as many artifacts as the store keeps: more would push out each other
  perCulpritPerDay: 3, // one slow function must not use up the limit for all others
  highWaterMark: false,
  everyNth: 1
})

/**
 * @typedef {{ -readonly [Name in keyof typeof DEFAULTS]: typeof DEFAULTS[Name] extends boolean ? boolean : number }} Limit
 *
 * @typedef {object} Act  that a rule did something
 * @property {number} at  milliseconds since the epoch
 * @property {string} culprit  '' where there is none
 * @property {number} value  of the rule's first condition
 *
 * @typedef {Record<string, Act[]>} LimitState  the acts of each rule in the last day, oldest first
 * @typedef {{ refusal: Refusal | null, state: LimitState | null }} Admission  state: as it is to be kept; null: as it is
 * @typedef {{ reason: Exclude<keyof Limit, 'everyNth'>, untilMs: number }} Refusal
 */

const hasShapeOfAct = record({ at: time, culprit: text, value: number })

/** @type {Readonly<Record<keyof Limit, (path: string, value: unknown) => void>>} */
const CHECKS = Object.freeze({
  coolDownSeconds: (path, value) => assertInteger(path, value, 1, DAY_MS / 1e3),
  perDay: (path, value) => assertInteger(path, value, 1, 1000),
  perCulpritPerDay: (path, value) => assertInteger(path, value, 1, 1000),
  highWaterMark: assertBoolean,
  everyNth: (path, value) => assertInteger(path, value, 1, 10_000)
})

/** @param {string} path @param {any} limit @returns {Limit} */
function checkLimit (path, limit = {}) {
  assertPlainObject(path, limit)
  assertKnownKeys(path, limit, Object.keys(CHECKS))
  /** @type {any} */
  const checked = { ...DEFAULTS }
  for (const [name, check] of Object.entries(CHECKS)) {
    if (limit[name] === undefined) continue
    check(`${path}.${name}`, limit[name])
    checked[name] = limit[name]
  }
  return checked
}

/**
 * Whether the rule may act now, and what is to be remembered if it does.
 * @param {LimitState} state
 * @param {{ name: string, limit: Limit }} rule
 * @param {Act} act
 * @returns {Admission}
 */
function admit (state, { name, limit }, act) {
  const acts = (Object.hasOwn(state, name) ? state[name] : []).filter(one => isRecent(one, act.at)).sort((left, right) => left.at - right.at)
  const refusal = findRefusal(acts, limit, act)
  return refusal === null ? { refusal, state: { ...withoutOld(state, act.at), [name]: [...acts, act] } } : { refusal, state: null }
}

/**
 * @param {Act[]} acts  of the rule, in the last day
 * @param {Limit} limit
 * @param {Act} act
 * @returns {Refusal | null}
 */
function findRefusal (acts, { coolDownSeconds, perDay, perCulpritPerDay, highWaterMark }, { at, culprit, value }) {
  const same = acts.filter(one => one.culprit === culprit)
  if (acts.length >= perDay) return { reason: 'perDay', untilMs: acts[acts.length - perDay].at + DAY_MS }
  if (same.length >= perCulpritPerDay) return { reason: 'perCulpritPerDay', untilMs: same[same.length - perCulpritPerDay].at + DAY_MS }
  const coolMs = (same.at(-1)?.at ?? -Infinity) + coolDownSeconds * 1e3
  if (at < coolMs) return { reason: 'coolDownSeconds', untilMs: coolMs }
  const isWorse = same.every(one => at - one.at >= HIGH_WATER_MS || value > one.value)
  // It may be worse the next moment.
  return highWaterMark && !isWorse ? { reason: 'highWaterMark', untilMs: at } : null
}

/** Rules that have another name now, or are gone. @param {LimitState} state @param {number} nowMs */
function withoutOld (state, nowMs) {
  return Object.fromEntries(Object.entries(state).filter(([, acts]) => acts.some(act => isRecent(act, nowMs))))
}

/** @param {Act} act @param {number} nowMs */
function isRecent ({ at }, nowMs) {
  return nowMs - at < DAY_MS && at - nowMs < MAX_AHEAD_MS
}

/**
 * The stored actions without invalid entries: the file may be of another version, or damaged.
 * @param {any} kept
 * @returns {LimitState}
 */
function toLimitState (kept) {
  const rules = isObject(kept) ? Object.entries(kept) : []
  return Object.fromEntries(rules.flatMap(([name, acts]) => Array.isArray(acts) ? [[name, acts.filter(hasShapeOfAct)]] : []))
}

/**
 * Which processes of a fleet act, where not all shall: every n-th, by chance, and always the same.
 * @param {number} everyNth
 * @param {string} identity  of the process in the fleet
 */
function isChosen (everyNth, identity) {
  const { createHash } = process.getBuiltinModule('node:crypto') // the main thread checks limits, and needs no hash for that
  return createHash('sha256').update(identity).digest().readUInt32BE(0) % everyNth === 0
}

module.exports = { admit, checkLimit, DEFAULTS, isChosen, toLimitState }
