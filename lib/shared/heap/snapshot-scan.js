'use strict'

// Reads a heap snapshot file once, in constant memory, and passes its parts to a visitor. It keeps nothing; snapshot-parser.js interprets the bytes.

const fs = require('node:fs')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { errors } = require('../../base/errors')
const { SnapshotParser } = require('./snapshot-parser')
const { openRegularFile } = require('../../base/regular-file')

/** @import { Header } from './snapshot-parser' */

const READ_BYTES = 1024 ** 2 // a few milliseconds of work: the thread has other things to do in between
const MAX_TOKEN_BYTES = 256 * 1024 ** 2 // V8 cuts strings at 1,024 characters unless --heap-snapshot-string-limit is set

/**
 * @typedef {(values: Float64Array, length: number) => void} TakeRecords  whole records, field after field; valid during the call
 *
 * @typedef {object} Visitor
 * @property {(header: Header) => void} [header]
 * @property {TakeRecords} [nodes]
 * @property {TakeRecords} [edges]
 * @property {TakeRecords} [locations]
 * @property {(bytes: Buffer, start: number, end: number, position: number) => void} [string]  quotes included, escaped as in the
 *   file; position: of bytes in the file
 * @property {boolean} [isDone]  it has seen enough: the rest is not read
 * @property {(bytes: Buffer, start: number, end: number) => void} [other]   every byte that is not of a string, in order
 */

/**
 * @param {string} file
 * @param {Visitor} visitor
 * @param {{ onProgress?: (bytes: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<number>} bytes
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function scanSnapshot (file, visitor, { onProgress = () => {}, signal } = {}) {
  const parser = new SnapshotParser(file, visitor)
  const { fd } = openRegularFile(file)
  try {
    let buffer = Buffer.allocUnsafe(READ_BYTES)
    let kept = 0
    let bytes = 0
    for (;;) {
      const read = fs.readSync(fd, buffer, kept, buffer.length - kept, null)
      if (read === 0) break
      bytes += read
      const used = parser.take(buffer, kept + read, bytes - kept - read)
      buffer.copyWithin(0, used, kept + read)
      kept += read - used
      if (visitor.isDone) return bytes
      if (kept === buffer.length) buffer = grow(file, buffer)
      onProgress(bytes)
      await nextTurn(undefined, { signal })
    }
    parser.finish(bytes)
    return bytes
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {string} file @param {Buffer} buffer */
function grow (file, buffer) {
  if (buffer.length >= MAX_TOKEN_BYTES) {
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, `strings of at most ${MAX_TOKEN_BYTES} bytes`, 'a longer one')
  }
  return Buffer.concat([buffer], buffer.length * 2)
}

module.exports = { scanSnapshot }
