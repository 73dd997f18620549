'use strict'

// Names in the store: that of an artifact file, its facts parsed from the name, and that of an application's directory. It reads nothing. Lower case
// and [a-z0-9._-] only: safe in every file system, URL and shell, and never a device name of Windows.

const path = require('node:path')
const { assertInteger, assertNumberAbove, refuse } = require('../../base/validate')

/**
 * @typedef {object} NameFacts
 * @property {string} kind       of the capture: words joined by '-'
 * @property {string} extension  a word, with or without '.gz', without the leading dot
 * @property {number} at         milliseconds since the epoch, kept to the whole millisecond
 * @property {number} pid
 *
 * @typedef {{ appName: string, appRoot: string }} Application
 */

const KIND = /^[a-z0-9]+(-[a-z0-9]+)*$/
// One word, compressed or not: a backup `<name>.bak` and a `<name>.<pid>.partial` are not artifacts.
const EXTENSION = /^[a-z0-9]+(\.gz)?$/
const NAME = /^([a-z0-9-]+)-[a-z0-9_]+-(\d{8}t\d{9}z)-([1-9]\d*)-\d+\.([a-z0-9.]+)$/
const SIDECAR_EXTENSION = '.json'

const MAX_NAME_LENGTH = 128 // what the admin routes accept; every file system takes 255 bytes
const MAX_APP_LENGTH = 40 // leaves 88 for kind, moment, process, sequence and extension: 14 + 19 + 7 + 4 + 16 at most today
const MAX_AT = 253402300799999 // end of the year 9999: beyond it ISO dates grow a sign
const SEQUENCE_DIGITS = 4 // names sort by age up to 9999 artifacts a process; beyond that they are still unique

const KEY_DIGITS = 12 // 48 bits: applications of one user do not meet by chance
// In it, what its rules did: it is kept when everything else is gone, for the day that limits look back.
const RULES_FOLDER = 'rules'
const FOLDER = /^[a-z0-9_]+-[0-9a-f]{12}$/

/** Hyphens become '_' too: they part the fields of the name, and a kind holds them. @param {string} appName */
function sanitizeAppName (appName) {
  const words = appName.normalize('NFKD').toLowerCase().match(/[a-z0-9]+/g) ?? ['node']
  return words.join('_').slice(0, MAX_APP_LENGTH)
}

/** @param {NameFacts & { appName: string, sequence: number }} facts @returns {string} */
function createFileName ({ kind, extension, at, appName, pid, sequence }) {
  if (!KIND.test(kind)) refuse('artifact.kind', 'lower-case words joined by -', kind)
  if (!EXTENSION.test(extension)) refuse('artifact.extension', 'a lower-case word, with or without .gz', extension)
  if (typeof appName !== 'string') refuse('artifact.appName', 'a string', appName)
  assertNumberAbove('artifact.at', at, -1, MAX_AT)
  assertInteger('artifact.sequence', sequence, 0, Number.MAX_SAFE_INTEGER)
  const moment = new Date(at).toISOString().replace(/[-:.]/g, '').toLowerCase()
  const number = String(sequence).padStart(SEQUENCE_DIGITS, '0')
  const name = `${kind}-${sanitizeAppName(appName)}-${moment}-${pid}-${number}.${extension}`
  if (name.length > MAX_NAME_LENGTH) refuse('artifact name', `at most ${MAX_NAME_LENGTH} characters`, name)
  return name
}

/** @param {string} name @returns {NameFacts | null} null for a file that is not an artifact */
function parseFileName (name) {
  const match = name.length <= MAX_NAME_LENGTH ? NAME.exec(name) : null
  if (match === null) return null
  const [, kind, moment, pid, extension] = match
  const at = toEpochMs(moment)
  if (!KIND.test(kind) || !EXTENSION.test(extension) || Number.isNaN(at)) return null
  return { kind, extension, at, pid: Number(pid) }
}

/** What an artifact made in place has beside it: its facts, as JSON. @param {string} name  of the artifact */
function sidecarOf (name) {
  return `${name}${SIDECAR_EXTENSION}`
}

/** @param {string} name @returns {string | null} the name of the artifact it belongs to */
function parseSidecarName (name) {
  if (!name.endsWith(SIDECAR_EXTENSION)) return null
  const artifact = name.slice(0, -SIDECAR_EXTENSION.length)
  return parseFileName(artifact) === null ? null : artifact
}

/** @param {string} name  of the artifact that it is to become */
function createScratchName (name) {
  return name.replace(/\..*$/, '.raw')
}

/** @param {string} moment  20261120t120310123z */
function toEpochMs (moment) {
  return Date.parse(moment.replace(/(....)(..)(..)t(..)(..)(..)(...)z/, '$1-$2-$3T$4:$5:$6.$7Z'))
}

/**
 * The folder of one application among those that share a directory, so that none sees, counts or removes what is another's. An application is a
 * name and a root folder: the name alone is given freely, and twice.
 * @param {string} dir  that they share
 * @param {Application} application
 */
function applicationFolder (dir, { appName, appRoot }) {
  const { createHash } = process.getBuiltinModule('node:crypto') // loaded only where there is a folder
  const key = createHash('sha256').update(JSON.stringify([appName, appRoot])).digest('hex').slice(0, KEY_DIGITS)
  return path.join(path.resolve(dir), `${sanitizeAppName(appName)}-${key}`)
}

/** @param {string} name  of a file or folder in the directory */
function isApplicationFolder (name) {
  return FOLDER.test(name)
}

module.exports = { applicationFolder, createFileName, createScratchName, isApplicationFolder, parseFileName, parseSidecarName, RULES_FOLDER, sidecarOf }
