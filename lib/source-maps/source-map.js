'use strict'

// A parsed source map, which finds the original position of a position in the generated code. Pure. The map is untrusted: every value is checked
// before use, and values that no line of the script can refer to are dropped.

const { posix } = require('node:path')
const { sum } = require('../base/sums')
const { arraySpans, objectSpans, parseSpan } = require('./json-spans')
const { Mappings } = require('./mappings')

/** @import { Span } from './json-spans' */

/**
 * @typedef {object} Wanted  a place of the generated code
 * @property {number} line    from 0
 * @property {number | null} column  from 0; null for the line as a whole
 *
 * @typedef {object} Segment  the original position, from 0
 * @property {string} source
 * @property {number} line
 * @property {number} column
 * @property {{ column: number, name: string }[]} namesBefore  identifiers of the generated line that had another name, up to the
 *   place, nearest first
 */

// Names that belong to a function stand before its parameters: `const a=async function(`.
const MAX_NAME_DISTANCE = 40
// A generated line that comes from more lines than these is part of a bundle, and identifies none of them.
const MAX_LINES_OF_ONE = 20
const MAX_SECTIONS = 50_000
// Of names and sources, once they are strings; measured 6 to 8 with lists of short names.
const MEMORY_PER_BYTE = 10
// Of a map or a section without anything in it; measured 1.4 kB.
const PART_BYTES = 1500
const PREFIX = /^\uFEFF?(?:\)\]\}'[^\n]*\n)?/ // the second keeps browsers from running it
const MAX_PREFIX_BYTES = 200
const MAX_NUMBER_BYTES = 20
const MEMBERS = Object.freeze({
  map: ['sections', 'mappings', 'sources', 'names', 'sourceRoot'],
  section: ['offset', 'map'],
  offset: ['line', 'column']
})
const [OPEN_ARRAY, QUOTE, BACKSLASH] = [0x5B, 0x22, 0x5C]
const ORIGIN = /^(?:[a-z][a-z\d+.-]+:\/\/[^/]*\/?)?/i

/**
 * @param {Buffer} bytes  of the file; nothing of them is kept
 * @param {{ maxLines?: number, mayBytes?: number }} [limits]  maxLines: lines of the generated code; mayBytes: memory that may be taken
 * @returns {SourceMap}
 * @throws if it is not a source map
 */
function parseMap (bytes, { maxLines = Infinity, mayBytes = Infinity } = {}) {
  const [prefix] = /** @type {RegExpExecArray} */ (PREFIX.exec(bytes.toString('utf8', 0, MAX_PREFIX_BYTES)))
  const text = bytes.subarray(Buffer.byteLength(prefix))
  const map = objectSpans(text, MEMBERS.map)
  if (map === null) throw new SyntaxError('no object')
  const sections = map.get('sections')
  const parts = sections === undefined ? [readPart(text, map, { line: 0, column: 0 }, maxLines)] : readSections(text, sections, maxLines)
  const found = new SourceMap(parts)
  if (found.bytes > mayBytes) throw new RangeError('more names than memory')
  return found
}

/** @param {Buffer} bytes @param {Span} span @param {number} maxLines */
function readSections (bytes, span, maxLines) {
  const sections = arraySpans(bytes, span, MAX_SECTIONS)
  if (sections === null) throw new SyntaxError('no sections')
  const parts = []
  for (const section of sections) {
    const members = objectSpans(bytes, MEMBERS.section, section)
    const offset = readOffset(bytes, members?.get('offset'))
    const map = members?.get('map')
    if (map === undefined) throw new SyntaxError('no map')
    // The script has no such line.
    if (offset.line >= maxLines) continue
    parts.push(readPart(bytes, objectSpans(bytes, MEMBERS.map, map), offset, maxLines))
  }
  return parts.sort((left, right) => left.line - right.line || left.column - right.column)
}

/** @param {Buffer} bytes @param {Span | undefined} span */
function readOffset (bytes, span) {
  const members = span && objectSpans(bytes, MEMBERS.offset, span)
  const [line, column] = MEMBERS.offset.map(name => {
    const { from, to } = members?.get(name) ?? { from: 0, to: 0 }
    return Number(/^\d{1,15}(?=\s*$)/.exec(bytes.toString('latin1', from, Math.min(to, from + MAX_NUMBER_BYTES)))?.[0])
  })
  if (!isCount(line) || !isCount(column)) throw new SyntaxError('no offset')
  return { line, column }
}

/**
 * @param {Buffer} bytes
 * @param {Map<string, Span> | null} map
 * @param {{ line: number, column: number }} offset
 * @param {number} maxLines
 */
function readPart (bytes, map, offset, maxLines) {
  const [mappings, sources, names] = ['mappings', 'sources', 'names'].map(name => map?.get(name))
  if (map === null || mappings === undefined || sources === undefined) throw new SyntaxError('no mappings')
  const root = map.get('sourceRoot')
  return new Part(offset, {
    mappings: new Mappings(stringBytes(bytes, mappings), maxLines - offset.line),
    sources: new TextList(bytes, sources),
    names: names === undefined || bytes[names.from] !== OPEN_ARRAY ? null : new TextList(bytes, names),
    root: root === undefined || bytes[root.from] !== QUOTE ? null : parseSpan(bytes, root)
  })
}

/** @param {Buffer} bytes @param {Span} span */
function stringBytes (bytes, span) {
  const inner = bytes.subarray(span.from + 1, span.to - 1)
  if (bytes[span.from] !== QUOTE || bytes[span.to - 1] !== QUOTE) throw new SyntaxError('no string')
  return inner.includes(BACKSLASH) ? Buffer.from(parseSpan(bytes, span), 'latin1') : inner // some write \/
}

/** An array of texts, made when one of them is asked for. */
class TextList {
  /** @type {Buffer | string[]} */
  #list

  /** @param {Buffer} bytes @param {Span} span */
  constructor (bytes, { from, to }) {
    if (bytes[from] !== OPEN_ARRAY) throw new SyntaxError('no list')
    this.bytes = (to - from) * MEMORY_PER_BYTE
    this.#list = Buffer.from(bytes.subarray(from, to))
  }

  /** @param {number} index @returns {string | undefined} */
  at (index) {
    if (Buffer.isBuffer(this.#list)) this.#list = /** @type {string[]} */ (parseSpan(this.#list, { from: 0, to: this.#list.length }))
    const text = this.#list[index]
    return typeof text === 'string' ? text : undefined
  }
}

/** A map without sections, or one section. */
class Part {
  #mappings
  #sources
  #names
  #root
  /** @type {Map<number, string | undefined>} */
  #resolved = new Map()

  /**
   * @param {{ line: number, column: number }} offset
   * @param {{ mappings: Mappings, sources: TextList, names: TextList | null, root: unknown }} lists
   */
  constructor ({ line, column }, { mappings, sources, names, root }) {
    this.line = line
    this.column = column
    this.bytes = PART_BYTES + mappings.length + sources.bytes + (names?.bytes ?? 0)
    this.#mappings = mappings
    this.#sources = sources
    this.#names = names
    this.#root = typeof root === 'string' && root !== '' ? `${root}/` : ''
  }

  /**
   * The segments of a line of the generated code.
   * @param {number} line
   * @param {number} fromColumn
   * @param {import('./mappings').Visit} visit
   */
  walk (line, fromColumn, visit) {
    const shift = line === this.line ? this.column : 0
    this.#mappings.walk(line - this.line, Math.max(0, fromColumn - shift), (column, ...rest) => visit(column + shift, ...rest))
  }

  /** @param {number} index */
  source (index) {
    if (!this.#resolved.has(index)) this.#resolved.set(index, this.#resolve(this.#sources.at(index)))
    return this.#resolved.get(index)
  }

  /** @param {string | undefined} source */
  #resolve (source) {
    if (!source) return undefined
    const [origin] = /** @type {RegExpExecArray} */ (ORIGIN.exec(this.#root + source))
    const path = (this.#root + source).slice(origin.length)
    return origin + (path === '' ? '' : posix.normalize(path))
  }

  /** @param {number} index */
  name (index) {
    return index === -1 ? undefined : this.#names?.at(index)
  }
}

class SourceMap {
  #parts

  /** @param {Part[]} parts  in order */
  constructor (parts) {
    this.#parts = parts
    /** What it takes of memory, with all its names made. */
    this.bytes = sum(parts, ({ bytes }) => bytes)
  }

  /** @param {Wanted} wanted @returns {Segment | null} */
  locate ({ line, column }) {
    return column === null ? this.#wholeLine(line) : this.#place(line, column)
  }

  /** @param {number} line @param {number} column @returns {Segment | null} */
  #place (line, column) {
    const part = this.#parts[this.#lastPart(line, column)]
    if (part === undefined) return null
    /** @type {{ column: number, at: number[] } | null} */
    let best = null
    /** The last name at each column. @type {Map<number, number>} */
    const named = new Map()
    part.walk(line, column - MAX_NAME_DISTANCE, (from, source, originalLine, originalColumn, name) => {
      if (from > column) return false
      // The first one of those at the column itself, else the last one before it.
      if (best === null || best.column < column) best = { column: from, at: [source, originalLine, originalColumn] }
      if (name !== -1 && from >= column - MAX_NAME_DISTANCE) named.set(from, name)
      return true
    })
    const [source, originalLine, originalColumn] = /** @type {{ at: number[] } | null} */ (best)?.at ?? [-1, 0, 0]
    const place = toPlace(part, source, originalLine, originalColumn)
    const nearestFirst = [...named].sort(([left], [right]) => right - left)
    const namesBefore = nearestFirst.map(([column, index]) => ({ column, name: part.name(index) ?? '' })).filter(({ name }) => name !== '')
    return place && { ...place, namesBefore }
  }

  /** @param {number} line @returns {Segment | null} */
  #wholeLine (line) {
    /** @type {Segment | null} */
    let first = null
    let isMixed = false
    for (let index = Math.max(0, this.#lastPart(line, 0)); index < this.#parts.length && this.#parts[index].line <= line && !isMixed; index++) {
      const next = this.#parts[index + 1]
      const endColumn = next?.line === line ? next.column : Infinity
      const part = this.#parts[index]
      part.walk(line, 0, (from, source, originalLine, originalColumn) => {
        if (from >= endColumn) return false
        const at = toPlace(part, source, originalLine, originalColumn)
        if (at === null) return true
        first ??= at
        isMixed = at.source !== first.source || Math.abs(at.line - first.line) > MAX_LINES_OF_ONE
        return !isMixed
      })
    }
    return isMixed ? null : first
  }

  /** @param {number} line @param {number} column @returns {number} -1 where there is none */
  #lastPart (line, column) {
    let [low, high] = [-1, this.#parts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const part = this.#parts[middle]
      if (part.line < line || (part.line === line && part.column <= column)) low = middle
      else high = middle - 1
    }
    return low
  }
}

/**
 * @param {Part} part
 * @param {number} index   of the source
 * @param {number} line
 * @param {number} column
 * @returns {Segment | null}
 */
function toPlace (part, index, line, column) {
  const source = index < 0 || line < 0 || column < 0 ? undefined : part.source(index)
  return source === undefined ? null : { source, line, column, namesBefore: [] }
}

/** @param {unknown} value */
function isCount (value) {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

module.exports = { SourceMap, parseMap }
