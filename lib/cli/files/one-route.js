'use strict'

// The part of a profile in a file that ran for one route.

const { Failure } = require('../failure')
const { onlyRoute } = require('../../shared/formats/profile/only-route')

/** @import { CpuProfile } from '../../../types/profile' */

const ROUTE_OPTION = Object.freeze(/** @type {const} */ ({ type: 'string', meaning: "only what ran for one route, as in 'POST /login'" }))

/**
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

module.exports = { ROUTE_OPTION, assertNoRoute, ofRoute }
