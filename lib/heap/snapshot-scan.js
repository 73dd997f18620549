'use strict'

// Reads a heap snapshot file once, byte by byte, in constant memory, and tells a visitor what passes. It keeps nothing and
// knows no meaning beyond the file's own layout: a header, arrays of numbers, and the strings last.

const fs = require('node:fs')
const { setImmediate: nextTurn } = require('node:timers/promises')
const { errors } = require('../internal/errors')

const READ_BYTES = 1024 ** 2 // a few milliseconds of work: the thread has other things to do in between
const MAX_HEADER_BYTES = 64 * 1024 // it takes less than 1 KiB on every version
const MAX_TOKEN_BYTES = 256 * 1024 ** 2 // V8 cuts strings at 1,024 characters unless --heap-snapshot-string-limit says otherwise

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
const END = 0x7d

/**
 * @typedef {object} Header
 * @property {number} node_count
 * @property {number} edge_count
 * @property {number} [extra_native_bytes]
 * @property {{ node_fields: string[], node_types: any[], edge_fields: string[], edge_types: any[], location_fields?: string[] }} meta
 *
 * @typedef {object} Visitor
 * @property {(header: Header) => void} [header]
 * @property {(value: number) => void} [node]  every number of the nodes, field by field
 * @property {(value: number) => void} [edge]
 * @property {(value: number) => void} [location]
 * @property {(bytes: Buffer, start: number, end: number, position: number) => void} [string]  quotes included, escaped as in the file; position: of bytes in the file
 * @property {boolean} [isDone]  it has seen enough: the rest is not read
 * @property {(bytes: Buffer, start: number, end: number) => void} [other]   every byte that is no string, in order
 */

/**
 * @param {string} file
 * @param {Visitor} visitor
 * @param {{ onProgress?: (bytes: number) => void, signal?: AbortSignal }} [options]
 * @returns {Promise<number>} bytes
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function scanSnapshot (file, visitor, { onProgress = () => {}, signal } = {}) {
  const scanner = new Scanner(file, visitor)
  const fd = fs.openSync(file, 'r')
  try {
    let buffer = Buffer.allocUnsafe(READ_BYTES)
    let kept = 0
    let bytes = 0
    for (;;) {
      const read = fs.readSync(fd, buffer, kept, buffer.length - kept, null)
      if (read === 0) break
      bytes += read
      const used = scanner.take(buffer, kept + read, bytes - kept - read)
      buffer.copyWithin(0, used, kept + read)
      kept += read - used
      if (visitor.isDone) return bytes
      if (kept === buffer.length) buffer = grow(file, buffer)
      onProgress(bytes)
      await nextTurn(undefined, { signal })
    }
    scanner.finish(bytes)
    return bytes
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * @param {string} file
 * @param {Buffer} buffer
 */
function grow (file, buffer) {
  if (buffer.length >= MAX_TOKEN_BYTES) throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, `strings of at most ${MAX_TOKEN_BYTES} bytes`, 'a longer one')
  return Buffer.concat([buffer], buffer.length * 2)
}

/** Called with what was read and not used yet: the part of a token that the rest of the file completes comes again. */
class Scanner {
  #file
  #visitor
  #step = this.#header
  /** Of the array under way. @type {((value: number) => void) | undefined} */
  #number
  #value = -1
  #depth = 0
  #position = 0
  #hasStrings = false

  /**
   * @param {string} file
   * @param {Visitor} visitor
   */
  constructor (file, visitor) {
    this.#file = file
    this.#visitor = visitor
  }

  /**
   * @param {Buffer} buffer
   * @param {number} end
   * @param {number} position  of the buffer in the file
   * @returns {number} how much was used
   */
  take (buffer, end, position) {
    this.#position = position
    let at = 0
    while (at < end) {
      const step = this.#step
      const next = step.call(this, buffer, at, end)
      if (next === at && step === this.#step) break
      at = next
    }
    return at
  }

  /** @param {number} bytes */
  finish (bytes) {
    if (this.#step !== this.#tail) this.#refuse('a whole file, ending in ]}', bytes === 0 ? 'an empty one' : `one that breaks off after ${bytes} bytes`)
    if (!this.#hasStrings) this.#refuse('strings', 'none')
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #header (buffer, at, end) {
    const length = buffer.subarray(0, Math.min(end, MAX_HEADER_BYTES)).indexOf('"nodes":')
    if (length === -1) {
      if (end >= MAX_HEADER_BYTES) this.#refuse('a header in front of "nodes"', 'none')
      return at
    }
    this.#visitor.header?.(this.#parseHeader(buffer.toString('latin1', 0, length)))
    this.#visitor.other?.(buffer, 0, length)
    this.#step = this.#key
    return length
  }

  /**
   * @param {string} text
   * @returns {Header}
   */
  #parseHeader (text) {
    try {
      const { snapshot } = JSON.parse(`${text.replace(/,\s*$/, '')}}`)
      const { meta: { node_fields: nodeFields, node_types: [nodeTypes], edge_fields: edgeFields, edge_types: [edgeTypes] } } = snapshot
      if ([nodeFields, nodeTypes, edgeFields, edgeTypes].every(Array.isArray)) return snapshot
    } catch {}
    return this.#refuse('a header with fields and types', JSON.stringify(text.slice(0, 40)))
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #key (buffer, at, end) {
    const open = buffer.subarray(at, end).indexOf(OPEN)
    if (open === -1) return this.#endOfKeys(buffer, at, end)
    const [, name] = /^[\s,]*"(\w+)":\s*$/.exec(buffer.toString('latin1', at, at + Math.min(open, 100))) ?? this.#refuse('the name of an array', 'something else')
    if (this.#hasStrings) this.#refuse('nothing behind the strings', name)
    this.#number = this.#visitorOf(name)
    this.#hasStrings = name === 'strings'
    this.#step = this.#hasStrings ? this.#strings : this.#numbers
    this.#depth = 1
    this.#visitor.other?.(buffer, at, at + open + 1)
    return at + open + 1
  }

  /** @param {string} array */
  #visitorOf (array) {
    const { node, edge, location } = this.#visitor
    return { nodes: node, edges: edge, locations: location }[array]?.bind(this.#visitor)
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #endOfKeys (buffer, at, end) {
    const close = buffer.subarray(at, end).indexOf(END)
    if (close === -1) return at
    this.#step = this.#tail
    return at
  }

  /** The hot loop: nearly all bytes of a file pass here. @type {(buffer: Buffer, at: number, end: number) => number} */
  #numbers (buffer, start, end) {
    const number = this.#number
    let value = this.#value
    let depth = this.#depth
    let at = start
    for (; at < end && depth > 0; at++) {
      const byte = buffer[at]
      if (byte >= 0x30 && byte <= 0x39) {
        value = value === -1 ? byte - 0x30 : value * 10 + byte - 0x30
        continue
      }
      if (value !== -1) {
        if (number !== undefined) number(value)
        value = -1
      }
      if (byte === OPEN) depth++
      else if (byte === CLOSE) depth--
      else if (byte !== COMMA && byte > 0x20) this.#refuse('numbers in front of the strings', JSON.stringify(String.fromCharCode(byte)))
    }
    this.#value = value
    this.#depth = depth
    this.#visitor.other?.(buffer, start, at)
    if (depth === 0) this.#step = this.#key
    return at
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #strings (buffer, start, end) {
    let copied = start
    let at = start
    while (at < end) {
      const byte = buffer[at]
      if (byte === QUOTE) {
        const next = endOfString(buffer, at, end)
        if (next === -1) break
        if (at > copied) this.#visitor.other?.(buffer, copied, at)
        this.#visitor.string?.(buffer, at, next, this.#position)
        copied = at = next
        continue
      }
      at++
      if (byte === CLOSE) {
        this.#step = this.#key
        break
      }
      if (byte !== COMMA && byte > 0x20) this.#refuse('strings', JSON.stringify(String.fromCharCode(byte)))
    }
    if (at > copied) this.#visitor.other?.(buffer, copied, at)
    return at
  }

  /** @type {(buffer: Buffer, at: number, end: number) => number} */
  #tail (buffer, at, end) {
    if (/[^\s}]/.test(buffer.toString('latin1', at, end))) this.#refuse('nothing behind the strings', 'something')
    this.#visitor.other?.(buffer, at, end)
    return end
  }

  /**
   * @param {string} wanted
   * @param {string} got
   * @returns {never}
   */
  #refuse (wanted, got) {
    throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(this.#file, wanted, got)
  }
}

/**
 * @param {Buffer} buffer
 * @param {number} start  of the opening quote
 * @param {number} end
 * @returns {number} behind the closing quote; -1 when that has not been read yet
 */
function endOfString (buffer, start, end) {
  for (let at = start + 1; at < end; at++) {
    const byte = buffer[at]
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) return at + 1
  }
  return -1
}

module.exports = { scanSnapshot }
