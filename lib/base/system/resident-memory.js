'use strict'

// Reads the memory of this process, and what its resident memory consists of: memory of its own, mapped files, stacks of threads. Linux has all of it;
// elsewhere only the total is known.

const fs = require('node:fs')
const { attempt } = require('../guard')

/**
 * @typedef {object} ResidentMemory
 * @property {number} rssBytes
 * @property {number | null} fileBytes   code, mapped files and shared memory; null: not known apart
 * @property {number | null} stackBytes  stacks of threads; null: not known apart
 */

const KB = 1024
// A worker of Node.js has 4 MB, other threads have the limit of the process, or 8 MB where there is none.
const STACK_BYTES = Object.freeze([4, 8].map(megabytes => megabytes * KB * KB))
const MAX_GUARD_BYTES = 64 * KB // below each stack is a small area without access
const ADDRESSES = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$/

/** @returns {number | null} null where it cannot be read: without /proc, in a plain chroot, Node.js throws */
function residentBytes () {
  return attempt(process.memoryUsage.rss, null)
}

/** @returns {NodeJS.MemoryUsage | null} as residentBytes() */
function memoryUsage () {
  return attempt(process.memoryUsage, null)
}

/** A few reads, some ten microseconds. @returns {ResidentMemory | null} null where the system reports nothing */
function readResident () {
  try {
    return parseStatus(fs.readFileSync('/proc/self/status', 'latin1'))
  } catch {
    return totalOnly()
  }
}

/** Reads every mapping: 3 to 60 ms, more in a process with many. @returns {ResidentMemory | null} */
function readMappings () {
  try {
    return parseMappings(fs.readFileSync('/proc/self/smaps', 'latin1'), stackSizes())
  } catch {
    return readResident()
  }
}

/** @returns {ResidentMemory | null} */
function totalOnly () {
  const rssBytes = residentBytes()
  return rssBytes === null ? null : { rssBytes, fileBytes: null, stackBytes: null }
}

/**
 * @param {string} text  of /proc/self/status
 * @returns {ResidentMemory}
 */
function parseStatus (text) {
  const read = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1]) * KB
  const [rssBytes, fileBytes, sharedBytes] = [read('VmRSS'), read('RssFile'), read('RssShmem')]
  if (Number.isNaN(rssBytes + fileBytes + sharedBytes)) throw new Error('/proc/self/status is not that of Linux 4.5 or later')
  return { rssBytes, fileBytes: fileBytes + sharedBytes, stackBytes: null }
}

/**
 * @param {string} text  of /proc/self/smaps
 * @param {readonly number[]} stackSizes
 * @returns {ResidentMemory}
 */
function parseMappings (text, stackSizes) {
  const sums = { rssBytes: 0, fileBytes: 0, stackBytes: 0 }
  let before = { end: -1, size: 0, isGuard: false }
  let kind = /** @type {'fileBytes' | 'stackBytes' | null} */ (null)
  for (const line of text.split('\n')) {
    if (line.startsWith('Rss:')) {
      const bytes = Number.parseInt(line.slice(4), 10) * KB
      sums.rssBytes += bytes
      if (kind !== null) sums[kind] += bytes
      continue
    }
    const [, from, to, access, path] = ADDRESSES.exec(line) ?? []
    if (from === undefined) continue
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
    const isBehindGuard = before.isGuard && before.end === start && before.size <= MAX_GUARD_BYTES
    kind = kindOf({ path, access, size: end - start, isBehindGuard }, stackSizes)
    before = { end, size: end - start, isGuard: access.startsWith('---') }
  }
  if (sums.rssBytes === 0) throw new Error('/proc/self/smaps is empty')
  return sums
}

/**
 * The kernel names only the main thread's stack; the others are recognized by their size and the guard below them.
 * @param {{ path: string, access: string, size: number, isBehindGuard: boolean }} mapping
 * @param {readonly number[]} stackSizes
 */
function kindOf ({ path, access, size, isBehindGuard }, stackSizes) {
  if (path === '[stack]') return 'stackBytes'
  if (path.startsWith('/') || path === '[vdso]' || path === '[vvar]') return 'fileBytes'
  const isStack = isBehindGuard && access.startsWith('rw-p') && stackSizes.some(bytes => size <= bytes && size >= bytes - MAX_GUARD_BYTES)
  return isStack ? 'stackBytes' : null
}

function stackSizes () {
  const limit = /^Max stack size\s+(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'latin1'))
  return limit === null ? STACK_BYTES : [...STACK_BYTES, Number(limit[1])]
}

module.exports = { memoryUsage, parseMappings, parseStatus, readMappings, readResident, residentBytes }
