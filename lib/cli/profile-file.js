'use strict'

// Profiles in files: read from a file or from standard input, cut to one route, shown as the code was written, and encoded anew.

const fs = require('node:fs')
const path = require('node:path')
const { isHeapProfile } = require('../shared/formats/profile/heap-tree')
const { FORMATS, SOURCES } = require('../shared/formats/formats')
const { assertCpuProfile } = require('../shared/formats/profile/assert-profile')
const { onlyRoute } = require('../shared/formats/profile/only-route')
const { toCpuProfile, toHeapProfile } = require('../shared/formats/profile/other-forms')
const { SourceMaps } = require('../shared/source-maps/source-maps')
const { Failure } = require('./failure')

/** @import { CpuProfile, Sources } from '../../types/profile' */
/** @import { SamplingProfile } from '../shared/formats/profile/heap-tree' */
/** @import { Invocation } from './commands' */

const STANDARD_INPUT = 0
const HEAP_PROFILE = 'a .heapprofile, as `loopscope heap --kind profile` and DevTools write it'
// A command may take its time: a thread that reads maps is ended long before.
const ASKING = Object.freeze({ maxMs: 120_000, isAsked: true })

const ROUTE_OPTION = Object.freeze(/** @type {const} */ ({ type: 'string', meaning: "only what ran for one route, as in 'POST /login'" }))
const SOURCES_OPTION = Object.freeze(/** @type {const} */ ({
  type: 'string',
  meaning: `code as it was written (default), by source maps on this machine, or as it runs: ${SOURCES.join(', ')}`
}))
const PROFILE_FILE_OPTIONS = Object.freeze(/** @type {const} */ ({
  root: { type: 'string', meaning: 'folder that files are shown relative to' },
  sources: SOURCES_OPTION,
  route: ROUTE_OPTION
}))

/**
 * @param {string} file  or - for standard input
 * @param {'text' | 'flamegraph'} format
 * @param {Pick<Invocation, 'values' | 'terminal'> & { title: string }} how  values: of PROFILE_FILE_OPTIONS
 * @returns {Promise<Buffer>}
 */
async function encodeProfileFile (file, format, { values, terminal, title }) {
  const written = createWrittenCode({ values, terminal })
  const context = { title, ...(values.root && { appRoot: values.root }) }
  if (isHeapProfileFile(file)) {
    assertNoRoute(file, values.route)
    const { HEAP_FORMATS } = require('../shared/formats/formats')
    return HEAP_FORMATS[format].encode({ profile: await written.heapProfile(readHeapProfile(file)), before: null }, context)
  }
  const { profile, notes } = ofRoute(file, readProfile(file), values.route)
  return FORMATS[format].encode(await written.profile(profile), { ...context, notes })
}

/**
 * @param {string} file  `-` for standard input
 * @returns {CpuProfile}
 */
function readProfile (file) {
  const profile = toCpuProfile(readJson(file, 'a .cpuprofile, as `loopscope profile --format cpuprofile` and DevTools write it'))
  try {
    assertCpuProfile(profile)
  } catch (error) {
    throw new Failure('failed', `${file}: ${/** @type {Error} */ (error).message}`)
  }
  return profile
}

/**
 * @param {string} file
 * @returns {SamplingProfile}
 */
function readHeapProfile (file) {
  const profile = toHeapProfile(readJson(file, HEAP_PROFILE))
  if (!isHeapProfile(profile)) throw new Failure('failed', `${file} is not a heap profile.`, `Wanted ${HEAP_PROFILE}.`)
  return profile
}

/** @param {string} file */
function isHeapProfileFile (file) {
  return path.extname(file) === '.heapprofile'
}

/**
 * @param {string} file  `-` for standard input
 * @param {string} wanted  in words
 * @returns {any}
 */
function readJson (file, wanted) {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('failed', `${file} is not JSON.`, `Wanted ${wanted}.`)
  }
}

/** @param {string} file */
function readText (file) {
  try {
    return fs.readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
  } catch (error) {
    throw new Failure('failed', `Cannot read ${file}: ${/** @type {Error} */ (error).message}`)
  }
}

/**
 * Puts into a sentence why a file of the user's cannot be read.
 * @template T
 * @param {Promise<T>} work  that reads files
 * @returns {Promise<T>}
 */
async function explainFileErrors (work) {
  try {
    return await work
  } catch (/** @type {any} */ error) {
    if (error.syscall === undefined) throw error
    throw new Failure('failed', `Cannot read ${error.path ?? 'the file'}: ${error.message}`)
  }
}

/**
 * The part of a profile that ran for one route.
 * @param {string} file  that it is of
 * @param {CpuProfile} profile
 * @param {string | undefined} route  undefined: all of it
 * @returns {{ profile: CpuProfile, notes: string[] }}
 * @throws {Failure} when nothing ran for it
 */
function ofRoute (file, profile, route) {
  try {
    return onlyRoute(profile, route)
  } catch (error) {
    throw new Failure('failed', `${file}: ${/** @type {Error} */ (error).message}`)
  }
}

/**
 * @param {string} file
 * @param {string | undefined} route
 */
function assertNoRoute (file, route) {
  if (route !== undefined) throw new Failure('usage', `--route does not go with ${file}: memory is not known by route.`)
}

/**
 * Profiles as the code was written, by the source maps that are on this machine: the same lookup as in a process, in a thread of its own.
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {Sources} [usual]  whose places, unless the options say otherwise
 * @throws {Failure} for sources that are none
 */
function createWrittenCode ({ values, terminal }, usual = 'original') {
  const { sources = usual, root: appRoot = process.cwd() } = values
  assertSources(sources)
  let isTold = false
  /** @param {string} problem */
  const onProblem = problem => {
    if (!isTold) terminal.note(`a source map cannot be used, so that code is shown as it runs: ${problem}`)
    isTold = true
  }
  const maps = new SourceMaps({ isOn: sources === 'original', appRoot, onProblem })
  return {
    /** @param {CpuProfile} profile */
    profile: profile => maps.profile(profile, ASKING),
    /** @param {SamplingProfile} profile */
    heapProfile: async profile => (await maps.heapSampling({ profile, before: null }, ASKING)).profile
  }
}

/** @param {any} sources  undefined: the usual ones */
function assertSources (sources) {
  if (sources === undefined || SOURCES.includes(sources)) return
  throw new Failure('usage', `${sources} are no sources.`, `Known: ${SOURCES.join(', ')}.`)
}

module.exports = {
  PROFILE_FILE_OPTIONS,
  ROUTE_OPTION,
  SOURCES_OPTION,
  assertSources,
  createWrittenCode,
  encodeProfileFile,
  explainFileErrors,
  ofRoute,
  readHeapProfile,
  readJson,
  readProfile
}
