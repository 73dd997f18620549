'use strict'

// Removes the values from a heap snapshot: makes a copy in one pass, with the same nodes, edges and sizes, but with strings replaced unless they
// are names, and names replaced too if they look like data. It lowers the exposure, but does not eliminate it: names of functions, classes and
// properties, script URLs, sizes and integer keys stay.

const { createHmac } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { errors } = require('../../../base/errors')
const { assertOneOf } = require('../../../base/validate')
const { redactName } = require('./redaction-rules')
const { createRoles } = require('./string-roles')
const { scanSnapshot } = require('../../../shared/heap/snapshot-scan')

/** @import { Header } from '../../../shared/heap/snapshot-parser' */
/** @import { TakeRecords } from '../../../shared/heap/snapshot-scan' */

/**
 * values: replaces all strings except names, and names that look like data; strict: also names of properties that few objects have; off: the
 * snapshot is kept as it is (this file is not used then).
 */
const MODES = Object.freeze(['values', 'strict', 'off'])

// How many objects must have a property for its name to be kept. A property from the program's code has many, a key from data few.
const MIN_OBJECTS = Object.freeze({ values: 1, strict: 5 })

const WRITE_BYTES = 1024 ** 2
const REDACTED = Buffer.from('"[redacted]"')
const GROUP_CHARACTERS = 120 // the length of the property list by which DevTools groups plain objects
const SCRIPT_NAME = /\.[cm]?[jt]sx?$/
const TAG_DIGITS = 12 // 48 bits: among ten million strings few collide

/**
 * @typedef {object} RedactOptions
 * @property {'values' | 'strict'} mode
 * @property {Buffer} nameKey  the key of the process: a name must be the same in two compared snapshots
 * @property {Buffer} [valueKey]  the key of this snapshot: equal values get equal pseudonyms; without it there are no pseudonyms
 * @property {(bytes: number) => void} [onProgress]
 * @property {AbortSignal} [signal]
 *
 * @typedef {{ strings: number, values: number, names: number }} Redacted  strings: the total; values, names: how many of each were replaced
 */

/**
 * @param {string} from
 * @param {string} to  overwritten if it exists; its permissions stay
 * @param {RedactOptions} options
 * @returns {Promise<Redacted>}
 * @throws ERR_LOOPSCOPE_INVALID_SNAPSHOT
 */
async function redactSnapshot (from, to, { mode, nameKey, valueKey, ...options }) {
  assertOneOf('redact', mode, MODES.slice(0, 2))
  const fd = fs.openSync(to, 'w', 0o600)
  try {
    const output = new Output(fd)
    const redaction = new Redaction(output, { minObjects: MIN_OBJECTS[mode], nameKey, valueKey, maxStrings: fs.statSync(from).size })
    await scanSnapshot(from, redaction, options)
    output.flush()
    return redaction.done(from)
  } finally {
    fs.closeSync(fd)
  }
}

class Redaction {
  #output
  #minObjects
  #nameKey
  #valueKey
  #maxStrings
  /** @type {ReturnType<typeof createRoles> | undefined} */
  #roles
  #counts = { strings: 0, values: 0, names: 0 }

  /**
   * @param {Output} output
   * @param {{ minObjects: number, nameKey: Buffer, valueKey: Buffer | undefined, maxStrings: number }} how
   */
  constructor (output, { minObjects, nameKey, valueKey, maxStrings }) {
    this.#output = output
    this.#minObjects = minObjects
    this.#nameKey = nameKey
    this.#valueKey = valueKey
    this.#maxStrings = maxStrings
  }

  /** @param {Header} header */
  header (header) {
    const roles = createRoles(header, this.#maxStrings)
    this.#roles = roles
    this.nodes = roles.nodes
    this.edges = roles.edges
  }

  /** @type {TakeRecords} */
  nodes () {}

  /** @type {TakeRecords} */
  edges () {}

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  string (bytes, start, end) {
    const index = this.#counts.strings++
    // Index 0 is V8's own placeholder; an empty string reveals nothing.
    if (index === 0 || end - start <= 2) return this.#output.write(bytes, start, end)
    if (this.#roles?.isName(index, this.#minObjects)) return this.#name(bytes, start, end)
    this.#counts.values++
    const token = this.#valueKey === undefined
      ? REDACTED
      : Buffer.from(`"[redacted ${tag(this.#valueKey, bytes.toString('latin1', start, end))}]"`)
    this.#output.write(token, 0, token.length)
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  #name (bytes, start, end) {
    const text = readToken(bytes.toString('latin1', start, end))
    const kept = redactName(text, found => this.#pseudonym(found))
    if (kept === text || isScriptFile(text)) return this.#output.write(bytes, start, end)
    this.#counts.names++
    const token = Buffer.from(writeToken(kept))
    this.#output.write(token, 0, token.length)
  }

  /**
   * At least as long as the name: DevTools cuts the list of properties after a number of characters, and a shorter pseudonym would make room for
   * another property.
   * @param {string} name
   */
  #pseudonym (name) {
    return `[redacted ${tag(this.#nameKey, name)}]`.padEnd(Math.min(name.length, GROUP_CHARACTERS), '*')
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  other (bytes, start, end) {
    this.#output.write(bytes, start, end)
  }

  /** @param {string} file @returns {Redacted} */
  done (file) {
    const highest = this.#roles?.highestIndex ?? 0
    if (highest >= this.#counts.strings) {
      const wanted = `more than ${highest} strings, as its nodes and edges say`
      throw new errors.ERR_LOOPSCOPE_INVALID_SNAPSHOT(file, wanted, String(this.#counts.strings))
    }
    return { ...this.#counts }
  }
}

/** @param {Buffer} key @param {string} text */
function tag (key, text) {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, TAG_DIGITS)
}

/**
 * Whether the name is the path of a script on this machine. Its folders may look random (a release, a store of packages, a temporary folder); without
 * them nobody finds the line of a function.
 * @param {string} name  path or URL
 */
function isScriptFile (name) {
  if (!SCRIPT_NAME.test(name)) return false
  try {
    const file = name.startsWith('file://') ? fileURLToPath(name) : name
    return path.isAbsolute(file) && fs.statSync(file).isFile()
  } catch {
    return false // there is none, or it must not be read
  }
}

/** @param {string} token  as written in the file */
function readToken (token) {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token)
  } catch {
    return token // V8 writes nothing like this; it is still checked as a name
  }
}

/** Writes ASCII only, as V8 does and readers expect. @param {string} text */
function writeToken (text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Gathers small writes. */
class Output {
  #fd
  #buffer = Buffer.allocUnsafe(WRITE_BYTES)
  #filled = 0

  /** @param {number} fd */
  constructor (fd) {
    this.#fd = fd
  }

  /** @param {Buffer} bytes @param {number} start @param {number} end */
  write (bytes, start, end) {
    if (end - start > this.#buffer.length - this.#filled) this.flush()
    if (end - start > this.#buffer.length) return writeAll(this.#fd, bytes, start, end)
    this.#filled += bytes.copy(this.#buffer, this.#filled, start, end)
  }

  flush () {
    writeAll(this.#fd, this.#buffer, 0, this.#filled)
    this.#filled = 0
  }
}

/** @param {number} fd @param {Buffer} bytes @param {number} start @param {number} end */
function writeAll (fd, bytes, start, end) {
  for (let at = start; at < end;) at += fs.writeSync(fd, bytes, at, end - at)
}

module.exports = { redactSnapshot, MIN_OBJECTS }
