'use strict'

// Answers requests for original positions of positions in running scripts. Recently used source maps are cached, so that each is read once while it
// is needed.

const fs = require('node:fs')
const path = require('node:path')
const { attempt } = require('../base/guard')
const { readRegularFile } = require('../base/regular-file')
const { MAX_BYTES, Problem, decoded, findMap, scriptFile } = require('./find-map')
const { parseMap } = require('./source-map')

/** @import { Segment, SourceMap } from './source-map' */

/**
 * @typedef {object} Place  of a script
 * @property {number} line    from 0
 * @property {number | null} column  from 0; null for the line as a whole
 * @property {string} name    of the function that begins there, as V8 has it; '' where none does
 *
 * @typedef {object} OriginalPosition
 * @property {string} file    a path, or a name
 * @property {number} line    from 0
 * @property {number} column
 * @property {string} name
 *
 * @typedef {{ url: string, places: Place[], map?: string }} Script  map: its source map as text, where the process has it
 * @typedef {{ scripts: Script[], appRoot: string, mayBytes: number }} Question  mayBytes: memory that may be taken
 *
 * @typedef {object} Answer  about one script
 * @property {boolean} hasMap
 * @property {string | null} problem  why its map cannot be used
 * @property {(OriginalPosition | null)[]} places
 *
 * @typedef {{ map: SourceMap, folder: string, lineOf: (file: string) => (line: number) => string }} KnownMap
 */

const MAX_MAPS = 50
const MAX_BYTES_KEPT = 64e6
const LINES_PER_MARK = 1000
const LINE_FEED = 0x0A

// Names of a letter or two on a line as long as no person writes are a minifier's.
const MAX_MINIFIED_NAME = 2
const MIN_MINIFIED_LINE = 500

const IDENTIFIER = /[\w$\u0080-\uFFFF]+$/
const PART = /^[\w$\u0080-\uFFFF]/

const MAX_LENGTH = 300
const SCHEME = /^[a-z][a-z\d+.-]+:/i // C:\ is none
// webpack://shop/./src/a.ts, webpack:///src/a.ts, turbopack:///[project]/src/a.ts
const BUNDLERS = /^[a-z][a-z\d+.-]+:\/\/[^/]*\/(?:\[project\]\/)?/i
const SOURCE_CODE = /\.[cm]?[jt]sx?$/
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//

class MapReader {
  /** The one asked for last at the end. @type {Map<string, KnownMap>} */
  #known = new Map()
  #bytes = 0
  #maxBytes

  /** @param {number} [maxBytes]  of what is kept; one map may have more */
  constructor (maxBytes = MAX_BYTES_KEPT) {
    this.#maxBytes = maxBytes
  }

  /** The scripts whose maps are kept. */
  get kept () { return [...this.#known.keys()] }

  /** @param {Question} question @returns {Answer[]} */
  answer ({ scripts, appRoot, mayBytes }) {
    return scripts.map(script => {
      try {
        return this.#answerScript(script, appRoot, mayBytes)
      } catch (error) {
        // No message of other errors: it may contain text of a file that is not a source map.
        const problem = error instanceof Problem ? error.message : `the map of ${scriptFile(script.url)} is broken`
        return { hasMap: false, problem, places: script.places.map(() => null) }
      }
    })
  }

  /** @param {Script} script @param {string} appRoot @param {number} mayBytes @returns {Answer} */
  #answerScript (script, appRoot, mayBytes) {
    const { url, places } = script
    const file = scriptFile(url)
    const known = file === null ? null : this.#find(script, file, mayBytes)
    if (file === null || known === null) return { hasMap: false, problem: null, places: places.map(() => null) }
    const lineOf = known.lineOf(file)
    /** @type {(segment: Segment, index: number) => OriginalPosition | null} */
    const toOriginal = ({ source, line, column, namesBefore }, index) => {
      const original = toSourceFile(source, { folder: known.folder, script: file, appRoot })
      const { name, line: generatedLine } = places[index]
      if (original === null) return null
      return { file: original, line, column, name: name && toOriginalName(name, () => lineOf(generatedLine), namesBefore) }
    }
    return {
      hasMap: true,
      problem: null,
      places: places.map((place, index) => {
        const segment = known.map.locate(place)
        return segment === null ? null : toOriginal(segment, index)
      })
    }
  }

  /**
   * @param {Script} script
   * @param {string} file  its own
   * @param {number} mayBytes
   */
  #find (script, file, mayBytes) {
    const known = this.#known.get(script.url) ?? readMap(script, file, mayBytes)
    if (known !== null) this.#keep(script.url, known)
    return known
  }

  /** @param {string} url @param {KnownMap} map */
  #keep (url, map) {
    this.#bytes += this.#known.delete(url) ? 0 : map.map.bytes
    this.#known.set(url, map)
    for (const [oldest, { map: { bytes } }] of this.#known) {
      if ((this.#bytes <= this.#maxBytes && this.#known.size <= MAX_MAPS) || oldest === url) break
      this.#known.delete(oldest)
      this.#bytes -= bytes
    }
  }
}

/** @param {Script} script @param {string} file @param {number} mayBytes @returns {KnownMap | null} */
function readMap ({ map: text }, file, mayBytes) {
  const found = text === undefined ? findMap(file, mayBytes) : { bytes: Buffer.from(text), folder: path.dirname(file), maxLines: Infinity }
  if (found === null) return null
  const map = parseMap(found.bytes, { maxLines: found.maxLines, mayBytes })
  // What the process compiled as it loaded it is in no file.
  return { map, folder: found.folder, lineOf: text === undefined ? createLines : () => () => '' }
}

/**
 * A file may be nothing but millions of lines, so only the requested ones become text.
 * @param {string} file
 * @returns {(line: number) => string} of the generated code, from 0
 */
function createLines (file) {
  /** @type {Buffer | undefined} */
  let bytes
  const marks = [0] // where every LINES_PER_MARK-th line begins
  let last = { line: -1, text: '' }
  return line => {
    bytes ??= readRegularFile(file, { maxBytes: MAX_BYTES })
    if (line === last.line) return last.text
    const mark = Math.min(Math.floor(line / LINES_PER_MARK), marks.length - 1)
    let from = marks[mark]
    for (let at = mark * LINES_PER_MARK; at < line;) {
      const end = bytes.indexOf(LINE_FEED, from)
      if (end === -1) return ''
      from = end + 1
      if (++at === marks.length * LINES_PER_MARK) marks.push(from)
    }
    const end = bytes.indexOf(LINE_FEED, from)
    last = { line, text: bytes.toString('utf8', from, end === -1 ? bytes.length : end) }
    return last.text
  }
}

/**
 * V8 has the generated name; the source map has the original one at the identifier, some columns before the parameters, where the function begins
 * according to V8.
 * @param {string} generated  V8's name
 * @param {() => string} readLine  of the generated code: most names need none
 * @param {Segment['namesBefore']} namesBefore
 * @returns {string} '' where it is unknown
 */
function toOriginalName (generated, readLine, namesBefore) {
  const [identifier] = IDENTIFIER.exec(generated) ?? []
  if (identifier === undefined) return generated
  const holder = generated.slice(0, -identifier.length) // `exports.`
  const isMinified = (/** @type {string} */ name) => name.length <= MAX_MINIFIED_NAME && readLine().length >= MIN_MINIFIED_LINE
  const line = namesBefore.length === 0 ? '' : readLine()
  const found = namesBefore.find(({ column }) => line.startsWith(identifier, column) && !PART.test(line.slice(column + identifier.length)))
  const name = found?.name ?? (isMinified(identifier) ? '' : identifier)
  return name === '' || isMinified(holder.slice(0, -1)) ? name : holder + name
}

/**
 * What a map calls a source, as the path or name that a person looks for. A name is only shown: nothing reads the file behind it.
 * @param {string} source
 * @param {{ folder: string, script: string, appRoot: string }} context  folder: what it is relative to; script: the generated file
 * @returns {string | null} a path, or a name; null where it can be neither
 */
function toSourceFile (source, { folder, script, appRoot }) {
  if (source.length > MAX_LENGTH || /\p{Cc}/u.test(source)) return null
  const file = resolveSource(source, folder, appRoot)
  const [owner] = PACKAGE.exec(script.replaceAll('\\', '/')) ?? []
  // A package's code stays a package's, wherever it was built, and whether or not the package brings its sources.
  if (owner !== undefined) return file.replaceAll('\\', '/').startsWith(owner) ? file : null
  const isInside = file.startsWith(appRoot.replace(/[\\/]*$/, path.sep))
  return isInside || (SOURCE_CODE.test(file) && attempt(() => fs.statSync(file).isFile(), false)) ? file : toName(source)
}

/**
 * A source that does not exist here must not look like a path that does: a reader would find another file.
 * @param {string} source
 */
function toName (source) {
  return source.replace(/^[a-z][a-z\d+.-]+:\/\/[^/]*/i, '').replace(/^(?:\.{0,2}\/)+/, '')
}

/** @param {string} source @param {string} folder @param {string} appRoot */
function resolveSource (source, folder, appRoot) {
  if (source.startsWith('file:')) return scriptFile(source) ?? source
  if (!SCHEME.test(source)) return path.resolve(folder, decoded(source))
  const name = decoded(source.replace(BUNDLERS, '').replace(/\?[^?/]*$/, ''))
  // webpack:///external "fs", webpack/bootstrap
  return BUNDLERS.test(source) && !/^(external |webpack\/)/.test(name) ? path.resolve(appRoot, name) : name
}

module.exports = { MapReader }
