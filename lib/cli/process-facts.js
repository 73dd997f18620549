'use strict'

// What the system tells about a process of this host, read from /proc where there is one. What cannot be known is null or
// empty.

const fs = require('node:fs')

/**
 * @param {number} pid
 * @returns {{ uids: number[], pidInside: number | null, environment: NodeJS.ProcessEnv }} uids: who it runs as, and
 *   who it ran as before it gave up being root; pidInside: what it is called in its own container
 */
function readProcess (pid) {
  const status = readStatus(pid)
  const numbers = status.NSpid?.split(/\s+/)
  return {
    uids: [...new Set([status.Uid?.split(/\s+/)[EFFECTIVE], ownerOf(pid)])].flatMap(uid => uid === undefined ? [] : [Number(uid)]),
    pidInside: numbers === undefined ? null : Number(numbers.at(-1)),
    environment: readEnvironment(pid)
  }
}

const EFFECTIVE = 1 // after the real one

/**
 * @param {number} pid
 * @returns {string | undefined}
 */
function ownerOf (pid) {
  return fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid.toString()
}

/**
 * @param {number} pid
 * @returns {Record<string, string | undefined>}
 */
function readStatus (pid) {
  return Object.fromEntries([...read(`/proc/${pid}/status`).matchAll(/^(\w+):\s*(.*)$/gm)].map(([, name, value]) => [name, value]))
}

/**
 * @param {number} pid
 * @returns {NodeJS.ProcessEnv} as it was when the process started
 */
function readEnvironment (pid) {
  return Object.fromEntries([...read(`/proc/${pid}/environ`).matchAll(/([^\0=]+)=([^\0]*)/g)].map(([, name, value]) => [name, value]))
}

/** @param {string} file */
function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return '' // no /proc, no such process, or not ours to read
  }
}

module.exports = { readProcess, readStatus }
