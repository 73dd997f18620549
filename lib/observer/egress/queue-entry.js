'use strict'

// The file of one queued item: a line of JSON, and the body. It contains no secrets: they are added when it is sent.

const fs = require('node:fs')
const { pipeline } = require('node:stream/promises')
const { createGzip } = require('node:zlib')
const { parseBounded, oneOf, optional, record, text, textOf, time } = require('../../base/shapes')
const { openRegularFile } = require('../../base/regular-file')
const { sync } = require('../store/atomic-write')

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

/**
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

/**
 * @param {string} file
 * @returns {EntryFacts | null} null: it is gone, or not an entry
 */
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

/**
 * @param {string} file
 * @param {number} start
 */
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

module.exports = { openBody, packEntry, readFacts, writeEntry }
