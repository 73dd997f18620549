'use strict'

// Writes a .tar.gz archive (POSIX ustar) as a stream. For plain files of one folder the format is a header of 512 bytes for each and
// zeroes up to the next 512, which is not worth a dependency.

const { Readable } = require('node:stream')
const { createGzip } = require('node:zlib')
const { Failure } = require('../failure')

const BLOCK_BYTES = 512
const END_BYTES = 2 * BLOCK_BYTES
const MAX_NAME_BYTES = 100
const MAX_BYTES = 8 ** 11 - 1
const CHECKSUM_AT = 148
const OWNER_ONLY = 0o600

/** @typedef {{ name: string, bytes: number, content: Uint8Array | AsyncIterable<Uint8Array>, modifiedAt: number }} ArchiveFile  modifiedAt: ms */

/** @param {AsyncIterable<ArchiveFile>} files @returns {Readable} */
function tarArchive (files) {
  const source = Readable.from(blocksOf(files))
  const gzip = createGzip()
  source.on('error', error => gzip.destroy(error))
  gzip.on('close', () => source.destroy())
  return source.pipe(gzip)
}

/** @param {AsyncIterable<ArchiveFile>} files @returns {AsyncGenerator<Uint8Array>} */
async function * blocksOf (files) {
  for await (const { name, bytes, content, modifiedAt } of files) {
    yield headerOf(name, bytes, modifiedAt)
    let written = 0
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      written += chunk.length
      yield chunk
    }
    if (written !== bytes) throw new Failure('failed', `${name} has ${written} bytes instead of ${bytes}: it changed while it was read.`)
    yield Buffer.alloc((BLOCK_BYTES - bytes % BLOCK_BYTES) % BLOCK_BYTES)
  }
  yield Buffer.alloc(END_BYTES)
}

/** @param {string} name @param {number} bytes @param {number} modifiedAt */
function headerOf (name, bytes, modifiedAt) {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES || bytes > MAX_BYTES) throw new Failure('failed', `${name} (${bytes} bytes) does not fit into a tar archive.`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0)
  header.write(octal(OWNER_ONLY, 7), 100)
  header.write(octal(0, 7), 108) // user and group: those of the user who unpacks it
  header.write(octal(0, 7), 116)
  header.write(octal(bytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt / 1e3), 11), 136)
  header.write(' '.repeat(8), CHECKSUM_AT) // the checksum field itself counts as spaces
  header.write('0', 156) // a plain file
  header.write('ustar\u000000', 257)
  header.write(`${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\u0000 `, CHECKSUM_AT)
  return header
}

/** @param {number} number @param {number} digits */
function octal (number, digits) {
  return number.toString(8).padStart(digits, '0')
}

/** @param {string} name @param {unknown} value @param {number} modifiedAt @returns {ArchiveFile} */
function jsonFile (name, value, modifiedAt) {
  const content = Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
  return { name, bytes: content.length, content, modifiedAt }
}

module.exports = { jsonFile, tarArchive }
