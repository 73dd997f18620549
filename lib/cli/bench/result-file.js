'use strict'

// Reads and writes the result of a benchmark, a JSON file with a version. Only the current version is read: otherwise figures whose meaning has
// changed would be compared unnoticed.

const { readJson } = require('../profile-file')
const { Failure } = require('../failure')
const { anyOf, listOf, number, optional, orNull, record, text } = require('../../base/shapes')
const { assertCpuProfile } = require('../../formats/profile/assert-profile')
const { version: loopscope } = require('../../../package.json')

/** @import { Shape } from '../../base/shapes' */
/** @import { CpuProfile } from '../../../types/profile' */
/** @import { Loaded } from './autocannon' */
/** @import { Processors } from './processors' */
/** @import { Observed } from './measure' */

const KIND = 'loopscope-bench'
const VERSION = 1
const EXPECTED = 'a file of `loopscope bench`'

/**
 * @typedef {Loaded & Omit<Observed, 'profile' | 'cpuMs'> & RoundFacts} Round
 *
 * @typedef {object} RoundFacts
 * @property {number} from  the load, in milliseconds since the epoch
 * @property {number} to
 * @property {number} pid
 * @property {import('./compare').MeasuredRoute[]} [routes]  as the process measured them; missing in files of earlier versions
 * @property {number | null} utilization      of the loop, 0 to 1; null where there is no recording
 * @property {number | null} cpuMsPerRequest  of all threads; null where the system does not report it
 *
 * @typedef {object} Bench
 * @property {typeof KIND} kind
 * @property {typeof VERSION} version
 * @property {string} loopscope  its version
 * @property {number} at         milliseconds since the epoch
 * @property {string[]} command
 * @property {{ url: string, method: string, headers: string[] }} request  names of headers: their values may be secrets
 * @property {{ tool: string, connections: number, seconds: number, warmUpSeconds: number }} load
 * @property {{ name: string, root: string, nodeVersion: string }} application
 * @property {{ platform: string, cpus: number, model: string, memoryBytes: number }} machine
 * @property {Processors} processors
 * @property {Round[]} rounds
 * @property {{ round: number, startedAt: number, answered: number, profile: CpuProfile } | null} profile  of the round (counted from 0)
 *   with the median rate
 */

/** @param {Omit<Bench, 'kind' | 'version' | 'loopscope'>} measured @returns {Bench} */
function toBench (measured) {
  return { kind: KIND, version: VERSION, loopscope, ...measured }
}

/** @param {Bench} bench */
function encodeBench (bench) {
  return Buffer.from(`${JSON.stringify(bench)}\n`)
}

/** @param {string} file @returns {Bench} @throws {Failure} for another file, or another version */
function readBench (file) {
  const bench = readJson(file, `${EXPECTED}; this one may be truncated`)
  if (bench?.kind !== KIND) throw new Failure('failed', `${file} is not the result of a benchmark.`, `Expected ${EXPECTED}.`)
  if (bench.version !== VERSION) {
    const message = `${file} has version ${bench.version}, of loopscope ${bench.loopscope}; this is loopscope ${loopscope}, which reads version ${VERSION}.`
    throw new Failure('failed', message, 'Measure both with the same version of loopscope.')
  }
  try {
    assertShape(bench)
  } catch (error) {
    throw new Failure('failed', `${file} was modified or is damaged: ${/** @type {Error} */ (error).message}.`, `Expected ${EXPECTED}.`)
  }
  return bench
}

const texts = listOf(text)
const range = orNull(record({ low: number, high: number }))
const predicted = record({ route: text, p50Ms: range, p95Ms: range })
const finding = record({
  id: text,
  title: text,
  severity: text,
  instead: text,
  where: orNull(record({ function: text })),
  prediction: optional(record({ routes: listOf(predicted) }))
})

/** What is read of a round, by member. @type {Readonly<Record<string, Shape>>} */
const ROUND = Object.freeze({
  from: number,
  to: number,
  answered: number,
  perSecond: number,
  errors: number,
  timeouts: number,
  non2xx: number,
  latencyMs: record({ mean: number, p50: number, p90: number, p97_5: number, p99: number, max: number }),
  delayMs: orNull(record({ p50: number, p99: number, max: number })),
  utilization: orNull(number),
  cpuMsPerRequest: orNull(number),
  stalls: record({ count: number, blockedMs: number, byCause: Array.isArray, byCulprit: Array.isArray }),
  findings: listOf(finding),
  routes: optional(listOf(record({ route: text, p50Ms: number, p95Ms: number })))
})

/** Likewise of the file. @type {Readonly<Record<string, Shape>>} */
const BENCH = Object.freeze({
  at: number,
  command: texts,
  request: record({ url: text, method: text, headers: texts }),
  load: record({ connections: number, seconds: number, warmUpSeconds: number }),
  application: record({ name: text, root: text, nodeVersion: text }),
  machine: record({ platform: text, model: text, cpus: number }),
  processors: anyOf(record({ pinning: value => value === null, reason: text }), record({ pinning: record({ application: text }) })),
  rounds: value => Array.isArray(value) && value.length > 0,
  profile: orNull(record({ answered: number, startedAt: number }))
})

/** @param {any} bench */
function assertShape (bench) {
  assertMembers('', bench, BENCH)
  for (const [index, round] of bench.rounds.entries()) assertMembers(`rounds[${index}].`, round, ROUND)
  if (bench.profile !== null) assertCpuProfile(bench.profile.profile)
}

/** @param {string} path @param {any} value @param {Readonly<Record<string, Shape>>} shapes */
function assertMembers (path, value, shapes) {
  const wrong = Object.entries(shapes).find(([name, hasShape]) => !hasShape(value?.[name]))
  if (wrong !== undefined) throw new TypeError(`${path}${wrong[0]} has an unexpected value`)
}

module.exports = { encodeBench, readBench, toBench }
