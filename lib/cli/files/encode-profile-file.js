'use strict'

// A CPU or heap profile in a file, encoded anew: of one route where one is asked for, and as the code was written.

const { ROUTE_OPTION, assertNoRoute, ofRoute } = require('./one-route')
const { isHeapProfileFile, readHeapProfile, readProfile } = require('./profile-file')
const { SOURCES_OPTION, createWrittenCode } = require('./written-code')
const { FORMATS } = require('../../shared/formats/formats')

/** @import { Invocation } from '../commands' */

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
    const { HEAP_FORMATS } = require('../../shared/formats/heap-profile')
    return HEAP_FORMATS[format].encode({ profile: await written.heapProfile(readHeapProfile(file)), before: null }, context)
  }
  const { profile, notes } = ofRoute(file, readProfile(file), values.route)
  return FORMATS[format].encode(await written.profile(profile), { ...context, notes })
}

module.exports = { PROFILE_FILE_OPTIONS, encodeProfileFile }
