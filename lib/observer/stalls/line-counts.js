'use strict'

// How many lines a file of the application has, read when a stall is explained: a line beyond its end is none of its own.

const fs = require('node:fs')
const path = require('node:path')

const MAX_FILES = 200
const MAX_BYTES = 16 * 1024 * 1024 // a bundle larger than this is not read for a line number
const LINE_FEED = 10

/**
 * @param {{ appRoot: string }} parts
 * @returns {(file: string) => number | null} null where it cannot be read
 */
function createLineCounts ({ appRoot }) {
  /** @type {Map<string, number | null>} */
  const known = new Map()
  return file => {
    const found = known.get(file)
    if (found !== undefined) return found
    if (known.size >= MAX_FILES) known.clear()
    const count = countLines(path.resolve(appRoot, file))
    known.set(file, count)
    return count
  }
}

/** @param {string} file */
function countLines (file) {
  try {
    if (fs.statSync(file).size > MAX_BYTES) return null
    const bytes = fs.readFileSync(file)
    let count = 1
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++
    return count
  } catch {
    return null // Node's own, made by eval, or gone
  }
}

module.exports = { createLineCounts }
