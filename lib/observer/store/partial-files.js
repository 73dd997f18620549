'use strict'

// Files of writes under way, or that were cut off: `<name>.<pid>.partial`, and sidecars without their artifact. Says which
// have no writer any more, and removes those.

const fs = require('node:fs')
const path = require('node:path')
const { isAlive } = require('../../shared/system/is-alive')
const { parseFileName, parseSidecarName } = require('../../shared/store/file-name')

const PARTIAL = /^(.+)\.([1-9]\d*)\.partial$/

// A process id is given away again. No write stays untouched for so long, whoever has the id now.
const ABANDONED_AFTER_MS = 60 * 60 * 1000

/**
 * @param {string} name  of the artifact
 * @returns {string}
 */
function createPartialName (name) {
  return `${name}.${process.pid}.partial`
}

/**
 * @param {string} dir
 * @param {number} now  milliseconds since the epoch
 * @returns {number} bytes of those that stay, which may be under way
 */
function removePartialFiles (dir, now) {
  const entries = fs.readdirSync(dir)
  const present = new Set(entries)
  let bytes = 0
  for (const entry of entries) {
    const pid = writerOfPartial(entry) ?? writerOfOrphan(entry, present)
    if (pid === null) continue
    const file = path.join(dir, entry)
    try {
      const { size, mtimeMs } = fs.lstatSync(file)
      if (isAbandoned(pid, mtimeMs, now)) fs.unlinkSync(file)
      else bytes += size
    } catch {} // another process was first, or holds it open on Windows
  }
  return bytes
}

/**
 * @param {string} entry
 * @returns {number | null} the process that writes it; null when it is no partial file of ours
 */
function writerOfPartial (entry) {
  const [, name, pid] = PARTIAL.exec(entry) ?? []
  if (name === undefined || (parseFileName(name) === null && parseSidecarName(name) === null)) return null
  return Number(pid)
}

/**
 * @param {string} entry
 * @param {Set<string>} present
 * @returns {number | null} the process that wrote a sidecar which has no artifact
 */
function writerOfOrphan (entry, present) {
  const artifact = parseSidecarName(entry)
  if (artifact === null || present.has(artifact)) return null
  return parseFileName(artifact)?.pid ?? null
}

/**
 * @param {number} pid
 * @param {number} touchedAt  milliseconds since the epoch
 * @param {number} now
 */
function isAbandoned (pid, touchedAt, now) {
  // In a container the process before the restart had our id: usually 1.
  if (pid === process.pid) return touchedAt < now - process.uptime() * 1000
  return now - touchedAt > ABANDONED_AFTER_MS || !isAlive(pid)
}

module.exports = { createPartialName, removePartialFiles }
