'use strict'

// Reads a profile from a file, or from standard input.

const fs = require('node:fs')
const path = require('node:path')
const { assertCpuProfile } = require('../../shared/formats/profile/assert-profile')
const { toCpuProfile, toHeapProfile } = require('../../shared/formats/profile/other-forms')
const { isHeapProfile } = require('../../shared/formats/differences/heap-profile')
const { Failure } = require('../failure')

/** @import { CpuProfile } from '../../../types/profile' */
/** @import { SamplingProfile } from '../../shared/formats/profile/heap-tree' */

const STANDARD_INPUT = 0
const HEAP_PROFILE = 'a .heapprofile, as `loopscope heap --kind profile` and DevTools write it'

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

module.exports = { isHeapProfileFile, readHeapProfile, readJson, readProfile }
