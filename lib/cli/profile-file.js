'use strict'

// Reads profiles from a file or from standard input, filters them by route, maps them to the original code, and encodes them.

const fs = require('node:fs')
const path = require('node:path')
const { isHeapProfile } = require('../formats/profile/heap-tree')
const { FORMATS, SOURCES } = require('../formats/formats')
const { assertCpuProfile } = require('../formats/profile/assert-profile')
const { onlyRoute } = require('../formats/profile/only-route')
const { toCpuProfile, toHeapProfile } = require('../formats/profile/other-forms')
const { SourceMaps } = require('../source-maps/source-maps')
const { Failure } = require('./failure')

/** @import { CallFrame, CpuProfile, Sources } from '../../types/profile' */
/** @import { SamplingProfile } from '../formats/profile/heap-tree' */
/** @import { Invocation } from './commands' */

const STANDARD_INPUT = 0
const HEAP_PROFILE = 'a .heapprofile, as `loopscope heap --kind profile` and DevTools write it'
// Longer than in a process: here the user waits for the maps.
const MAPPING = Object.freeze({ maxMs: 120_000, isAsked: true })

const ROUTE_OPTION = Object.freeze(/** @type {const} */ ({ type: 'string', meaning: "only the samples of one route, as in 'POST /login'" }))
const SOURCES_OPTION = Object.freeze(/** @type {const} */ ({
  type: 'string',
  meaning: `locations in the original code (default), by source maps on this machine, or in the code that runs: ${SOURCES.join(', ')}`
}))
const PROFILE_FILE_OPTIONS = Object.freeze(/** @type {const} */ ({
  root: { type: 'string', meaning: 'folder to which file names are shown relative' },
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
  const mapping = createSourceMapping({ values, terminal })
  const context = { title, ...(values.root && { appRoot: values.root }) }
  if (path.extname(file) === '.heapprofile') {
    assertNoRoute(file, values.route)
    const { HEAP_FORMATS } = require('../formats/formats')
    return HEAP_FORMATS[format].encode({ profile: await mapping.heapProfile(readHeapProfile(file)), before: null }, context)
  }
  const { profile, notes } = ofRoute(file, readProfile(file), values.route)
  return FORMATS[format].encode(await mapping.profile(profile), { ...context, notes })
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

/** @param {string} file @returns {SamplingProfile} */
function readHeapProfile (file) {
  const profile = toHeapProfile(readJson(file, HEAP_PROFILE))
  if (!isHeapProfile(profile)) throw new Failure('failed', `${file} is not a heap profile.`, `Expected ${HEAP_PROFILE}.`)
  return profile
}

/**
 * @param {string} file  `-` for standard input
 * @param {string} expected  a description
 * @returns {any}
 */
function readJson (file, expected) {
  const text = readText(file)
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure('failed', `${file} is not JSON.`, `Expected ${expected}.`)
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
 * Turns file system errors into failures with a message for the user.
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
 * The samples of one route.
 * @param {string} file  with the profile
 * @param {CpuProfile} profile
 * @param {string | undefined} route  undefined: all of it
 * @returns {{ profile: CpuProfile, notes: string[] }}
 * @throws {Failure} where there are none
 */
function ofRoute (file, profile, route) {
  try {
    return onlyRoute(profile, route)
  } catch (error) {
    throw new Failure('failed', `${file}: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {string} file @param {string | undefined} route */
function assertNoRoute (file, route) {
  if (route !== undefined) throw new Failure('usage', `--route cannot be used with ${file}: a heap profile has no routes.`)
}

/**
 * Maps the locations of profiles to the original code, by the source maps on this machine, with the same lookup as in a process and in a separate thread.
 * @param {Pick<Invocation, 'values' | 'terminal'>} invocation
 * @param {Sources} [defaultSources]  without the option
 * @throws {Failure} for an invalid option
 */
function createSourceMapping ({ values, terminal }, defaultSources = 'original') {
  const { sources = defaultSources, root: appRoot = process.cwd() } = values
  assertSources(sources)
  let isReported = false
  /** @param {string} problem */
  const onProblem = problem => {
    if (!isReported) terminal.note(`a source map cannot be used, so positions are those of the generated code: ${problem}`)
    isReported = true
  }
  const maps = new SourceMaps({ isOn: sources === 'original', appRoot, onProblem })
  return {
    /** @param {CpuProfile} profile */
    profile: profile => maps.profile(profile, MAPPING),
    /** @param {SamplingProfile} profile */
    heapProfile: async profile => (await maps.heapSampling({ profile, before: null }, MAPPING)).profile,
    /** @param {CallFrame[]} frames */
    frames: frames => maps.frames(frames, MAPPING)
  }
}

/** @param {any} sources  undefined: the default */
function assertSources (sources) {
  if (sources === undefined || SOURCES.includes(sources)) return
  throw new Failure('usage', `--sources ${sources} is not valid.`, `Values: ${SOURCES.join(', ')}.`)
}

module.exports = {
  PROFILE_FILE_OPTIONS,
  ROUTE_OPTION,
  SOURCES_OPTION,
  assertSources,
  createSourceMapping,
  encodeProfileFile,
  explainFileErrors,
  ofRoute,
  readHeapProfile,
  readJson,
  readProfile
}
