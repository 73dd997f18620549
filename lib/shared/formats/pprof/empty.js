'use strict'

// A profile without samples, for those who ask for something that a Node.js process does not have.

const { gzipSync } = require('node:zlib')
const { Profile } = require('pprof-format')
const { Tables } = require('./tables')

/**
 * @param {readonly { type: string, unit: string }[]} values  what its samples would count
 * @param {number} atMs  milliseconds since the epoch
 * @returns {Buffer}
 */
function encodeEmptyProfile (values, atMs) {
  const tables = new Tables()
  const sampleType = values.map(({ type, unit }) => tables.valueType(type, unit))
  return gzipSync(new Profile({
    sampleType,
    mapping: [tables.mapping()],
    timeNanos: BigInt(Math.round(atMs * 1e3)) * 1000n,
    periodType: sampleType[0],
    period: 1,
    stringTable: tables.strings
  }).encode())
}

module.exports = { encodeEmptyProfile }
