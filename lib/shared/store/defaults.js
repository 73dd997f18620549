'use strict'

// Defaults of the store: its directory and the number of artifacts, if the application does not set them.

const os = require('node:os')
const path = require('node:path')
const { ownName } = require('../../base/system/private-directory')

/** @import { RetentionOptions } from '../../../types/diagnostics' */

const MIB = 1024 ** 2

/** @type {Readonly<Required<RetentionOptions>>} */
const RETENTION = Object.freeze({
  maxCount: 10, // an incident leaves a handful; what is older is in the ticket by then
  maxBytes: 1024 * MIB, // a heap snapshot is about as large as the heap: one pair to compare, of a heap of 500 MiB
  maxAgeMs: 24 * 60 * 60 * 1000, // captures of the night can be read the next day; after that they are only a risk
  minFreeBytes: 256 * MIB // the disk belongs to the service: room for its logs until the problem is fixed
})

/** @returns {string} one directory per user, so that two users of a machine do not share one in the temporary directory */
function defaultDir () {
  return path.join(os.tmpdir(), `loopscope-${ownName()}`)
}

module.exports = { RETENTION, defaultDir }
