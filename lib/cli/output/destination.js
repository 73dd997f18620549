'use strict'

// Where a result goes, and in which format, the same for all commands: to standard output, or with -o into a new private file, never over one
// that is there. What speaks against a place is reported before anything is recorded; a file is there as a whole or not at all.

const fs = require('node:fs')
const path = require('node:path')
const { Readable, Writable } = require('node:stream')
const { buffer } = require('node:stream/consumers')
const { pipeline } = require('node:stream/promises')
const { Failure } = require('../failure')
const { localTime } = require('../../shared/base/local-time')
const { showBytes } = require('../../shared/base/sizes')

/** @import { Invocation } from '../commands' */
/** @import { Terminal } from './terminal' */

const OUTPUT_OPTIONS = Object.freeze({
  output: { type: /** @type {const} */ ('string'), short: 'o', meaning: 'file to write, or a folder; - is standard output (default)' },
  force: { type: /** @type {const} */ ('boolean'), meaning: 'write over a file that is there' }
})

const OWNER_ONLY = 0o600
const NO_LINKS = Object.freeze(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']) // what file systems without hard links say

/** @typedef {{ file: string | null, write: (content: Uint8Array | Readable) => Promise<void> }} Destination  file: null for standard output */

/**
 * @param {{ values: Record<string, any>, terminal: Terminal, signal?: AbortSignal }} invocation
 * @param {{ name: string, isText?: boolean }} made  name: where a folder is given, and for advice; isText: a terminal can show it
 * @returns {Destination}
 * @throws {Failure} when it cannot go there
 */
function openDestination ({ values: { output, force = false }, terminal, signal }, { name, isText = false }) {
  if (isStandardOutput(output)) return toOutput(terminal, { name, isText })
  const file = fileOf(output, name)
  const kind = kindOf(file, force)
  return {
    file,
    write: async content => {
      const bytes = await writeFile(file, content, { kind, force, signal })
      terminal.note(`written: ${file} (${showBytes(bytes)})`)
    }
  }
}

/**
 * Puts where -o says what a command prints: all of it, when it is complete.
 * @param {Invocation} invocation
 * @param {{ name: string, print: (invocation: Invocation) => Promise<number | void> | number | void }} command
 * @returns {Promise<number | void>}
 */
async function printInto (invocation, { name, print }) {
  const { values, terminal } = invocation
  if (isStandardOutput(values.output)) return print(invocation)
  const destination = openDestination(invocation, { name: `${name}.txt`, isText: true })
  /** @type {Buffer[]} */
  const chunks = []
  const output = new Writable({
    write (chunk, encoding, done) {
      chunks.push(chunk)
      done()
    }
  })
  const code = await print({ ...invocation, terminal: terminal.changed({ output }) })
  await destination.write(Buffer.concat(chunks))
  return code
}

/**
 * The format that was asked for; else the one that the name of the file tells, be it given with -o or after `>`; else text on standard output,
 * and the usual one in a file.
 * @template {Readonly<Record<string, { extension: string }>>} Formats
 * @param {Formats} formats
 * @param {{ values: Record<string, any>, terminal: Terminal }} invocation
 * @param {keyof Formats & string} usual  in a file
 * @returns {keyof Formats & string}
 */
function chooseFormat (formats, { values: { format, output }, terminal }, usual) {
  const names = /** @type {(keyof Formats & string)[]} */ (Object.keys(formats))
  if (format !== undefined) {
    if (Object.hasOwn(formats, format)) return format
    throw new Failure('usage', `${format} is not a format.`, `Known: ${names.join(', ')}.`)
  }
  const isToOutput = isStandardOutput(output)
  const file = isToOutput ? terminal.outputFile() : output
  const told = names.find(name => file.endsWith(`.${formats[name].extension}`))
  return told ?? (isToOutput && Object.hasOwn(formats, 'text') ? 'text' : usual)
}

/** @param {string | undefined} output  option */
function isStandardOutput (output) {
  return output === undefined || output === '-'
}

/**
 * @param {string} kind
 * @param {string} extension
 */
function nameOf (kind, extension) {
  const moment = localTime(Date.now())
  return `${kind}-${moment.replace(/[-:]/g, '').replace(' ', 't')}.${extension}`
}

/**
 * @param {Terminal} terminal
 * @param {{ name: string, isText: boolean }} made
 * @returns {Destination}
 */
function toOutput (terminal, { name, isText }) {
  if (!isText && terminal.isOutputTerminal) {
    throw new Failure('usage', 'The result is a file, which a terminal cannot show.', `Name one, as in -o ${name}, or pass it on with > or |.`)
  }
  return {
    file: null,
    write: async content => {
      if (isText) return terminal.text(content instanceof Readable ? await buffer(content) : content)
      if (content instanceof Readable) return terminal.stream(content)
      terminal.file(content)
    }
  }
}

/**
 * @param {string} output
 * @param {string} name
 */
function fileOf (output, name) {
  if (output === '') throw new Failure('usage', '--output wants the name of a file, of a folder, or -.')
  return statOf(output)?.isDirectory() ? path.join(output, path.basename(name)) : output
}

/**
 * @param {string} file
 * @param {boolean} force
 * @returns {'file' | 'device'}  device: it takes what it gets, and is not replaced
 */
function kindOf (file, force) {
  try {
    const stats = statOf(file)
    if (stats !== undefined && !stats.isFile()) return 'device'
    if (stats !== undefined && !force) throw fileExists(file)
    const folder = path.dirname(file)
    if (!fs.statSync(folder).isDirectory()) throw new Failure('failed', `Cannot write ${file}: ${folder} is not a folder.`)
    fs.accessSync(folder, fs.constants.W_OK)
    return 'file'
  } catch (/** @type {any} */ error) {
    throw error instanceof Failure ? error : new Failure('failed', `Cannot write ${file}: ${reasonOf(error, path.dirname(file))}`)
  }
}

/**
 * Versions of Node.js differ in what they throw for a path that leads through a file.
 * @param {string} file
 * @returns {fs.Stats | undefined} undefined: there is nothing, or it cannot be seen
 */
function statOf (file) {
  try {
    return fs.statSync(file)
  } catch {
    return undefined
  }
}

/**
 * @param {any} error
 * @param {string} folder
 */
function reasonOf (error, folder) {
  if (error.code === 'ENOENT') return `there is no folder ${folder}.`
  if (error.code === 'ENOTDIR') return `${folder} is not a folder.`
  if (error.code === 'EACCES') return `you may not write to ${folder}.`
  return error.message
}

/**
 * Writes a file beside its place, and puts it there when it is whole: an interrupted command leaves nothing.
 * @param {string} file
 * @param {Uint8Array | Readable} content
 * @param {{ kind: 'file' | 'device', force: boolean, signal?: AbortSignal }} how
 * @returns {Promise<number>} bytes
 */
async function writeFile (file, content, { kind, force, signal }) {
  // Over a link means over what it leads to.
  const place = force && fs.existsSync(file) ? fs.realpathSync(file) : file
  const part = kind === 'device' ? place : path.join(path.dirname(place), `.${path.basename(place)}.${process.pid}.part`)
  const source = content instanceof Uint8Array ? [content] : content
  const target = fs.createWriteStream(part, { flags: kind === 'device' ? 'w' : 'wx', mode: OWNER_ONLY })
  try {
    await pipeline(source, target, { signal })
    if (kind === 'file') publish(part, place, force)
    return target.bytesWritten
  } catch (/** @type {any} */ error) {
    if (kind === 'file') fs.rmSync(part, { force: true })
    throw error.syscall === undefined || error.syscall === 'read' ? error : toFailure(file, error)
  }
}

/**
 * @param {string} part
 * @param {string} file
 * @param {boolean} force
 */
function publish (part, file, force) {
  if (force) return fs.renameSync(part, file)
  try {
    fs.linkSync(part, file) // unlike a renaming it does not take the place of a file that came meanwhile
    fs.rmSync(part)
  } catch (/** @type {any} */ error) {
    if (!NO_LINKS.includes(error.code)) throw error
    fs.renameSync(part, file)
  }
}

/**
 * @param {string} file
 * @param {any} error
 */
function toFailure (file, error) {
  return error.code === 'EEXIST' ? fileExists(file) : new Failure('failed', `Cannot write ${file}: ${error.message}`)
}

/** @param {string} file */
function fileExists (file) {
  return new Failure('failed', `${file} is there already.`, 'Choose another name with --output, or pass --force.')
}

module.exports = { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination, printInto }
