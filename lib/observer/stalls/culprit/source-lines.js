'use strict'

// The lines of the application's files as they are on disk, read when a stall is explained: how many there are (a line beyond the end
// is none of the file's own), and what is written on them.

const path = require('node:path')
const { readRegularFile } = require('../../../shared/base/regular-file')

const MAX_FILES = 200
const MAX_BYTES = 16 * 1024 * 1024 // a bundle larger than this is not read for a line number
const MAX_LINE_LENGTH = 500 // minified code has names for no one
const LINE_FEED = 10

/**
 * @typedef {object} SourceLines
 * @property {(file: string) => number | null} count  null where it cannot be read
 * @property {(file: string, from: number, to?: number) => string[]} read  lines from 1, up to and with `to`; none where it cannot be read
 */

/**
 * @param {{ appRoot: string }} parts
 * @returns {SourceLines}
 */
function createSourceLines ({ appRoot }) {
  /** @type {Map<string, number | null>} */
  const counts = new Map()
  return {
    count (file) {
      const known = counts.get(file)
      if (known !== undefined) return known
      if (counts.size >= MAX_FILES) counts.clear()
      const bytes = readFile(path.resolve(appRoot, file))
      const count = bytes && countLines(bytes)
      counts.set(file, count)
      return count
    },
    read (file, from, to = from) {
      const lines = readFile(path.resolve(appRoot, file))?.toString().split('\n', to).slice(from - 1) ?? []
      return lines.map(line => line.length > MAX_LINE_LENGTH ? '' : line)
    }
  }
}

/**
 * @param {string} file
 * @returns {Buffer | null} Node's own, made by eval, gone, or too large
 */
function readFile (file) {
  try {
    return readRegularFile(file, { maxBytes: MAX_BYTES })
  } catch {
    return null
  }
}

/** @param {Buffer} bytes */
function countLines (bytes) {
  let count = 1
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

/** For profiles whose files are not here. @type {SourceLines} */
const NO_SOURCE = Object.freeze({ count: () => null, read: () => [] })

module.exports = { createSourceLines, NO_SOURCE }
