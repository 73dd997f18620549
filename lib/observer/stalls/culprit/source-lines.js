'use strict'

// Reads the application's files from disk when a stall is explained: their number of lines (a larger line number belongs to another file),
// the text of lines, and the dependencies of a file's package.

const path = require('node:path')
const { readRegularFile } = require('../../../base/regular-file')

const MAX_FILES = 200
const MAX_BYTES = 16 * 1024 * 1024 // a bundle larger than this is not read for a line number
const MAX_LINE_LENGTH = 500 // minified code has no meaningful names
const LINE_FEED = 10
const PACKAGE_FOLDER = /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\//
const DEPENDENCY_FIELDS = ['dependencies', 'optionalDependencies', 'peerDependencies']

/**
 * @typedef {object} SourceLines
 * @property {(file: string) => number | null} count  null if the file cannot be read
 * @property {(file: string, from: number, to?: number) => string[]} read  lines from 1, `to` included; empty if the file cannot be read
 * @property {import('../../../formats/profile/called-package').DependsOn} dependsOn
 */

/** @param {{ appRoot: string }} parts @returns {SourceLines} */
function createSourceLines ({ appRoot }) {
  /** @type {Map<string, number | null>} */
  const counts = new Map()
  /** @type {Map<string, Set<string>>} by folder of the package */
  const dependencies = new Map()
  return {
    count (file) {
      const known = counts.get(file)
      if (known !== undefined) return known
      if (counts.size >= MAX_FILES) counts.clear()
      const bytes = readFile(appRoot, file)
      const count = bytes && countLines(bytes)
      counts.set(file, count)
      return count
    },
    read (file, from, to = from) {
      const lines = readFile(appRoot, file)?.toString().split('\n', to).slice(from - 1) ?? []
      return lines.map(line => line.length > MAX_LINE_LENGTH ? '' : line)
    },
    dependsOn (file, name) {
      const folder = PACKAGE_FOLDER.exec(file)?.[0]
      if (folder === undefined) return false
      let names = dependencies.get(folder)
      if (names === undefined) {
        if (dependencies.size >= MAX_FILES) dependencies.clear()
        names = readDependencies(appRoot, `${folder}package.json`)
        dependencies.set(folder, names)
      }
      return names.has(name)
    }
  }
}

/**
 * @param {string} appRoot
 * @param {string} file  as it is shown: a package may lie in a folder above the application
 * @returns {Buffer | null} null for code of Node's or made by eval, and for a file that is gone or too large
 */
function readFile (appRoot, file) {
  for (let folder = appRoot; ; folder = path.dirname(folder)) {
    try {
      return readRegularFile(path.resolve(folder, file), { maxBytes: MAX_BYTES })
    } catch {
      if (!file.startsWith('node_modules/') || folder === path.dirname(folder)) return null
    }
  }
}

/**
 * @param {string} appRoot
 * @param {string} file  a package.json
 * @returns {Set<string>} package names; empty if it cannot be read
 */
function readDependencies (appRoot, file) {
  try {
    const manifest = JSON.parse(String(readFile(appRoot, file)))
    return new Set(DEPENDENCY_FIELDS.flatMap(field => Object.keys(manifest[field] ?? {})))
  } catch {
    return new Set()
  }
}

/** @param {Buffer} bytes */
function countLines (bytes) {
  let count = 1
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

/** For profiles whose source files are not on this machine. @type {SourceLines} */
const NO_SOURCE = Object.freeze({ count: () => null, read: () => [], dependsOn: () => false })

module.exports = { createSourceLines, NO_SOURCE }
