'use strict'

// Reads and writes the result of a benchmark, a JSON file with a version. Only the current version is read: otherwise figures whose meaning has
// changed would be compared unnoticed.

const { readJson } = require('../profile-file')
const { Failure } = require('../failure')
const { assertCpuProfile } = require('../../formats/profile/assert-profile')
const { version: loopscope } = require('../../../package.json')

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

/**
 * @param {string} file
 * @returns {Bench}
 * @throws {Failure} for another file, or another version
 */
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

/** The fields that are read from a round. */
const NUMBERS = Object.freeze(['from', 'to', 'answered', 'perSecond', 'errors', 'timeouts', 'non2xx'])
const LATENCIES = Object.freeze(['mean', 'p50', 'p90', 'p97_5', 'p99', 'max'])
const TEXTS = Object.freeze(['id', 'title', 'severity', 'instead'])

/** @param {any} bench */
function assertShape ({ at, command, request, load, application, machine, processors, rounds, profile }) {
  assertField('at', Number.isFinite(at))
  assertField('command', isTexts(command))
  assertField('request', [request?.url, request?.method].every(isText) && isTexts(request.headers))
  assertField('load', [load?.connections, load?.seconds, load?.warmUpSeconds].every(Number.isFinite))
  assertField('application', [application?.name, application?.root, application?.nodeVersion].every(isText))
  assertField('machine', [machine?.platform, machine?.model].every(isText) && Number.isFinite(machine.cpus))
  assertField('processors', processors?.pinning === null ? isText(processors.reason) : isText(processors?.pinning?.application))
  assertField('rounds', Array.isArray(rounds) && rounds.length > 0)
  for (const [index, round] of rounds.entries()) assertRound(`rounds[${index}]`, round)
  if (profile === null) return
  assertField('profile', Number.isFinite(profile?.answered) && Number.isFinite(profile.startedAt))
  assertCpuProfile(profile.profile)
}

/** @param {string} name @param {any} round */
function assertRound (name, round) {
  assertField(name, NUMBERS.every(key => Number.isFinite(round?.[key])))
  assertField(`${name}.latencyMs`, LATENCIES.every(key => Number.isFinite(round.latencyMs?.[key])))
  const { delayMs, utilization, cpuMsPerRequest, stalls, findings, routes = [] } = round
  assertField(`${name}.delayMs`, delayMs === null || [delayMs?.p50, delayMs?.p99, delayMs?.max].every(Number.isFinite))
  assertField(name, [utilization, cpuMsPerRequest].every(value => value === null || Number.isFinite(value)))
  assertField(`${name}.stalls`, [stalls?.count, stalls?.blockedMs].every(Number.isFinite) && [stalls.byCause, stalls.byCulprit].every(Array.isArray))
  assertField(`${name}.findings`, Array.isArray(findings) && findings.every(finding => TEXTS.every(key => isText(finding?.[key]))))
  assertField(`${name}.routes`, Array.isArray(routes) && routes.every(one => isText(one?.route) && [one.p50Ms, one.p95Ms].every(Number.isFinite)))
  assertField(`${name}.findings`, findings.every((/** @type {any} */ { where }) => where === null || isText(where?.function)))
  assertField(`${name}.findings`, findings.every((/** @type {any} */ { prediction }) => !prediction || (Array.isArray(prediction.routes) && prediction.routes.every(isPredicted))))
}

/** @param {any} row */
function isPredicted (row) {
  return isText(row?.route) && [row.p50Ms, row.p95Ms].every(range => range === null || [range?.low, range?.high].every(Number.isFinite))
}

/** @param {string} name @param {boolean} isValid */
function assertField (name, isValid) {
  if (!isValid) throw new TypeError(`${name} has an unexpected value`)
}

/** @param {unknown} value */
function isText (value) {
  return typeof value === 'string'
}

/** @param {unknown} value */
function isTexts (value) {
  return Array.isArray(value) && value.every(isText)
}

module.exports = { encodeBench, readBench, toBench }
