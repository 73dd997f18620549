'use strict'

// The queue of one destination, on disk: one file per item, its first line the facts of the request, the rest the body. Each process has a folder of
// its own; those of dead processes are taken over, file by file: a rename has one winner, so no item is sent twice. A file that cannot be sent,
// because it is not a valid entry, is set aside: it is not read again and blocks nothing else.

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')
const { createGzip } = require('node:zlib')
const { attempt } = require('../../base/guard')
const { ageMs } = require('../../base/local-time')
const { sum } = require('../../base/sums')
const { replaceFile } = require('../../base/system/replace-file')
const { ensureDirectory, readFreeBytes } = require('../store/directory')
const { parseBounded, oneOf, optional, record, text, textOf, time } = require('../../base/shapes')
const { openRegularFile } = require('../../base/regular-file')
const { sync } = require('../store/atomic-write')

const ENTRY = /^(\d{15})-(u|r)-[0-9a-f]{8}\.item$/
const PARTIAL = '.partial'
const ASIDE = '.aside'
const MAX_ASIDE = 10 // files set aside for inspection
const OWNER_ONLY = 0o600
const CHUNK_BYTES = 256 * 1024
const MAX_FACTS_BYTES = 64 * 1024
const NEWLINE = 10
const BODY_HEADERS = ['content-type', 'content-encoding']
// A header value that node:http accepts; only headers of the body are allowed.
const headerValue = optional(textOf(/^[\x20-\x7e]+$/))
const hasShapeOfFacts = record({
  atMs: time,
  method: oneOf(['PUT', 'POST']),
  url: text,
  headers: record({ 'content-type': headerValue, 'content-encoding': headerValue })
})

/** @typedef {{ path: string, atMs: number, isUrgent: boolean, bytes: number, isFile: boolean }} Waiting */

class Queue {
  #parts
  #own
  /** Items being sent: they are not dropped. @type {Set<string>} */
  #held = new Set()
  #bytes = 0

  /**
   * @param {object} parts
   * @param {string} parts.dir  the destination's folder, in the application's store
   * @param {string} parts.owner  id of this process
   * @param {number} parts.maxBytes  for all processes together
   * @param {number} parts.minFreeBytes  that must stay free on the disk
   * @param {number} parts.maxAgeMs
   * @param {(count: number) => void} parts.onDropped
   * @param {() => void} [parts.onAside]
   */
  constructor (parts) {
    this.#parts = parts
    this.#own = path.join(parts.dir, parts.owner)
  }

  /** Bytes of this process: from the last scan of the whole folder and what was sent since. */
  get bytes () { return this.#bytes }

  /**
   * Throws where the store cannot be written.
   * @param {EntryFacts} facts
   * @param {Uint8Array} body
   * @param {{ isUrgent: boolean }} how
   * @returns {boolean} false: too large, or the disk is full
   */
  put (facts, body, how) {
    const file = this.#nextFile(facts, how)
    try {
      return this.#commit(file, writeEntry(`${file}${PARTIAL}`, facts, body))
    } finally {
      fs.rmSync(`${file}${PARTIAL}`, { force: true })
    }
  }

  /**
   * The same with a file as body, which may be large: it is compressed in chunks.
   * @param {EntryFacts} facts
   * @param {string} from
   * @param {{ isUrgent: boolean }} how
   */
  async putFile (facts, from, how) {
    const file = this.#nextFile(facts, how)
    try {
      return this.#commit(file, await packEntry(`${file}${PARTIAL}`, facts, from))
    } finally {
      fs.rmSync(`${file}${PARTIAL}`, { force: true })
    }
  }

  /** @param {EntryFacts} facts @param {{ isUrgent: boolean }} how */
  #nextFile ({ atMs }, { isUrgent }) {
    ensureDirectory(this.#own)
    const name = `${String(atMs).padStart(15, '0')}-${isUrgent ? 'u' : 'r'}-${randomBytes(4).toString('hex')}.item`
    return path.join(this.#own, name)
  }

  /** @param {string} file @param {number} bytes */
  #commit (file, bytes) {
    const { maxBytes, minFreeBytes } = this.#parts
    const fits = bytes <= maxBytes && readFreeBytes(this.#own) >= minFreeBytes
    if (fits) replaceFile(`${file}${PARTIAL}`, file)
    this.#drop()
    return fits
  }

  /** @param {boolean} isUrgent @returns {Waiting | null} the oldest item */
  first (isUrgent) {
    const kind = isUrgent ? 'u' : 'r'
    for (const name of namesIn(this.#own).sort()) {
      if (ENTRY.exec(name)?.[2] !== kind || this.#held.has(path.join(this.#own, name))) continue
      const entry = entryOf(this.#own, name)
      if (entry?.isFile) return entry
      if (entry !== null) this.setAside(entry)
    }
    return null
  }

  /** @param {Waiting} entry @returns {EntryFacts | null} null: it is gone, or unreadable and set aside */
  hold (entry) {
    const facts = readFacts(entry.path)
    if (facts !== null) this.#held.add(entry.path)
    else if (fs.lstatSync(entry.path, { throwIfNoEntry: false }) !== undefined) this.setAside(entry)
    return facts
  }

  /** Removes it from the queue, whatever it is. @param {Waiting} entry */
  setAside ({ path: file, bytes }) {
    this.#held.add(file) // also if it cannot be renamed
    this.#bytes = Math.max(0, this.#bytes - bytes)
    try {
      fs.renameSync(file, `${file}${ASIDE}`)
      this.#held.delete(file)
      for (const name of namesIn(this.#own).filter(name => name.endsWith(ASIDE)).sort().slice(0, -MAX_ASIDE)) {
        fs.rmSync(path.join(this.#own, name), { recursive: true, force: true })
      }
    } catch {}
    this.#parts.onAside?.()
  }

  /** @param {Waiting} entry */
  release ({ path: file }) {
    this.#held.delete(file)
  }

  /** @param {Waiting} entry */
  remove ({ path: file, bytes }) {
    this.#held.delete(file)
    fs.rmSync(file, { force: true })
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }

  /**
   * Takes over the items of dead processes, and shows that this one is alive.
   * @param {(owner: string, folder: string) => boolean} isGone
   */
  sweep (isGone) {
    const { dir, owner } = this.#parts
    touch(this.#own)
    for (const name of namesIn(dir)) {
      const folder = path.join(dir, name)
      if (name !== owner && isGone(name, folder)) this.#adopt(folder)
    }
    this.#drop()
  }

  /** @param {string} folder */
  #adopt (folder) {
    for (const { path: file } of listFolder(folder)) {
      ensureDirectory(this.#own)
      try {
        fs.renameSync(file, path.join(this.#own, path.basename(file)))
      } catch {} // another process was faster
    }
    fs.rmSync(folder, { recursive: true, force: true }) // including incomplete files of an interrupted write
  }

  /** The oldest first, of any process: the limit is for the disk. */
  #drop () {
    const { dir, maxBytes, maxAgeMs, onDropped } = this.#parts
    const entries = namesIn(dir).flatMap(name => listFolder(path.join(dir, name))).filter(({ isFile }) => isFile)
    const now = Date.now()
    const isTooLarge = (/** @type {Waiting} */ entry) => entry.bytes > maxBytes // it must not displace all others
    entries.sort((left, right) => Number(isTooLarge(right)) - Number(isTooLarge(left)) || ageMs(right.atMs, now) - ageMs(left.atMs, now))
    const dropped = new Set()
    let bytes = sum(entries, ({ bytes }) => bytes)
    for (const entry of entries) {
      if (!isTooLarge(entry) && bytes <= maxBytes && ageMs(entry.atMs, now) <= maxAgeMs) break
      if (this.#held.has(entry.path)) continue
      this.remove(entry)
      bytes -= entry.bytes
      dropped.add(entry)
    }
    this.#bytes = sum(entries.filter(entry => !dropped.has(entry) && path.dirname(entry.path) === this.#own), ({ bytes }) => bytes)
    if (dropped.size > 0) onDropped(dropped.size)
  }
}

/** @param {string} folder @returns {Waiting[]} oldest first */
function listFolder (folder) {
  return namesIn(folder).sort().flatMap(name => entryOf(folder, name) ?? [])
}

/** @param {string} folder @param {string} name @returns {Waiting | null} null: something else, or gone */
function entryOf (folder, name) {
  const [, atMs, kind] = ENTRY.exec(name) ?? []
  const file = path.join(folder, name)
  const stats = atMs === undefined ? undefined : fs.lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return null
  const isFile = stats.isFile()
  return { path: file, atMs: Number(atMs), isUrgent: kind === 'u', bytes: isFile ? stats.size : 0, isFile }
}

/** @param {string} folder */
function namesIn (folder) {
  return attempt(() => fs.readdirSync(folder), []) // none yet, or not a folder
}

/** @param {string} folder */
function touch (folder) {
  try {
    fs.utimesSync(folder, new Date(), new Date())
  } catch {} // none yet
}

/**
 * The first line of the file of a queued item, as JSON; the rest is the body. It contains no secrets: they are added when it is sent.
 * @typedef {object} EntryFacts
 * @property {number} atMs  when it was created
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} headers
 */

/**
 * @param {string} file  a new file
 * @param {EntryFacts} facts
 * @param {Uint8Array} body
 * @returns {number} its size in bytes
 */
function writeEntry (file, facts, body) {
  const fd = fs.openSync(file, 'wx', OWNER_ONLY)
  try {
    const line = Buffer.from(`${JSON.stringify(facts)}\n`)
    fs.writeFileSync(fd, line)
    fs.writeFileSync(fd, body)
    sync(fd)
    return line.length + body.length
  } finally {
    fs.closeSync(fd)
  }
}

/**
 * The same, with another file as the body, compressed.
 * @param {string} file  a new file
 * @param {EntryFacts} facts
 * @param {string} from
 * @returns {Promise<number>} its size in bytes
 */
async function packEntry (file, facts, from) {
  writeEntry(file, facts, Buffer.alloc(0))
  await pipeline(fs.createReadStream(from, { fd: openRegularFile(from).fd }), createGzip(), fs.createWriteStream(file, { flags: 'a' }))
  return fs.statSync(file).size
}

/** @param {string} file @returns {EntryFacts | null} null: it is gone, or not an entry */
function readFacts (file) {
  try {
    const facts = /** @type {EntryFacts} */ (parseBounded(firstLine(file)))
    if (!hasShapeOfFacts(facts)) return null
    const headers = BODY_HEADERS.flatMap(name => facts.headers[name] ? [[name, facts.headers[name]]] : [])
    return { ...facts, headers: Object.fromEntries(headers) }
  } catch {
    return null
  }
}

/**
 * @param {string} file
 * @returns {{ bytes: number, chunks: () => Generator<Buffer> }} its body, read in chunks and synchronously, since the thread pool belongs to the
 *   application
 */
function openBody (file) {
  const start = firstLine(file).length + 1
  const bytes = fs.lstatSync(file).size - start
  return { bytes, chunks: () => readFrom(file, start) }
}

/** @param {string} file @param {number} start */
function * readFrom (file, start) {
  const { fd } = openRegularFile(file, { follow: false })
  try {
    for (let at = start; ;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      const length = fs.readSync(fd, chunk, 0, CHUNK_BYTES, at)
      if (length === 0) return
      at += length
      yield chunk.subarray(0, length)
    }
  } finally {
    fs.closeSync(fd)
  }
}

/** @param {string} file */
function firstLine (file) {
  const { fd } = openRegularFile(file, { follow: false })
  try {
    const head = Buffer.alloc(MAX_FACTS_BYTES)
    const length = fs.readSync(fd, head, 0, MAX_FACTS_BYTES, 0)
    const end = head.subarray(0, length).indexOf(NEWLINE)
    if (end === -1) throw new Error(`${file} has no first line`)
    return head.subarray(0, end)
  } finally {
    fs.closeSync(fd)
  }
}

module.exports = { openBody, Queue }
