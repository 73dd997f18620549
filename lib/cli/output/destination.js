'use strict'

// Where the result of a command goes, and in which format: to standard output, or with -o into a new private file, which overwrites another only
// with --force. A path that cannot be written to is reported before anything is recorded; a file is written completely or not at all.

const fs = require('node:fs')
const path = require('node:path')
const { Readable, Writable } = require('node:stream')
const { buffer } = require('node:stream/consumers')
const { pipeline } = require('node:stream/promises')
const { Failure } = require('../failure')
const { attempt } = require('../../base/guard')
const { localTime } = require('../../base/local-time')
const { showBytes } = require('../../base/sizes')
const { replaceFile } = require('../../base/system/replace-file')

/** @import { Invocation } from '../commands' */
/** @import { Terminal } from './terminal' */

const OUTPUT_OPTIONS = Object.freeze({
  output: { type: /** @type {const} */ ('string'), short: 'o', meaning: 'file or folder to write to; - is standard output (default)' },
  force: { type: /** @type {const} */ ('boolean'), meaning: 'overwrite an existing file' }
})

const OWNER_ONLY = 0o600
const NO_LINKS = Object.freeze(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']) // error codes of file systems without hard links

/** @typedef {{ file: string | null, write: (content: Uint8Array | Readable) => Promise<void> }} Destination  file: null for standard output */

/**
 * @param {{ values: Record<string, any>, terminal: Terminal, signal?: AbortSignal }} invocation
 * @param {{ name: string, isText?: boolean }} made  name: of the file, where a folder is given, and as an example; isText: a terminal can show it
 * @returns {Destination}
 * @throws {Failure} where it cannot be written
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
 * Writes the output of a command to the destination of -o, once it is complete.
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
 * The format of --format; else that of the file name's extension, after -o or after `>`; else text on standard output, and the default one in
 * a file.
 * @template {Readonly<Record<string, { extension: string }>>} Formats
 * @param {Formats} formats
 * @param {{ values: Record<string, any>, terminal: Terminal }} invocation
 * @param {keyof Formats & string} fileDefault
 * @returns {keyof Formats & string}
 */
function chooseFormat (formats, { values: { format, output }, terminal }, fileDefault) {
  const names = /** @type {(keyof Formats & string)[]} */ (Object.keys(formats))
  if (format !== undefined) {
    if (Object.hasOwn(formats, format)) return format
    throw new Failure('usage', `${format} is not a format.`, `Formats: ${names.join(', ')}.`)
  }
  const isToOutput = isStandardOutput(output)
  const file = isToOutput ? terminal.outputFile() : output
  const byExtension = names.find(name => file.endsWith(`.${formats[name].extension}`))
  return byExtension ?? (isToOutput && Object.hasOwn(formats, 'text') ? 'text' : fileDefault)
}

/** @param {string | undefined} output  option */
function isStandardOutput (output) {
  return output === undefined || output === '-'
}

/** @param {string} kind @param {string} extension */
function nameOf (kind, extension) {
  const moment = localTime(Date.now())
  return `${kind}-${moment.replace(/[-:]/g, '').replace(' ', 't')}.${extension}`
}

/** @param {Terminal} terminal @param {{ name: string, isText: boolean }} made @returns {Destination} */
function toOutput (terminal, { name, isText }) {
  if (!isText && terminal.isOutputTerminal) {
    throw new Failure('usage', 'A terminal cannot show this result.', `Write it to a file, as in -o ${name}, or redirect it with > or |.`)
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

/** @param {string} output @param {string} name */
function fileOf (output, name) {
  if (output === '') throw new Failure('usage', '--output takes a file, a folder, or -.')
  return statOf(output)?.isDirectory() ? path.join(output, path.basename(name)) : output
}

/**
 * @param {string} file
 * @param {boolean} force
 * @returns {'file' | 'device'}  device: it is written to, and never replaced
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
 * @returns {fs.Stats | undefined} undefined: it does not exist, or is not accessible
 */
function statOf (file) {
  return attempt(() => fs.statSync(file), undefined)
}

/** @param {any} error @param {string} folder */
function reasonOf (error, folder) {
  if (error.code === 'ENOENT') return `the folder ${folder} does not exist.`
  if (error.code === 'ENOTDIR') return `${folder} is not a folder.`
  if (error.code === 'EACCES') return `no permission to write to ${folder}.`
  return error.message
}

/**
 * Writes a temporary file beside the target, and moves it into place when it is complete: an interrupted command leaves nothing.
 * @param {string} file
 * @param {Uint8Array | Readable} content
 * @param {{ kind: 'file' | 'device', force: boolean, signal?: AbortSignal }} how
 * @returns {Promise<number>} bytes
 */
async function writeFile (file, content, { kind, force, signal }) {
  // With --force, a symbolic link is followed.
  const target = force && fs.existsSync(file) ? fs.realpathSync(file) : file
  const part = kind === 'device' ? target : path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.part`)
  const source = content instanceof Uint8Array ? [content] : content
  const stream = fs.createWriteStream(part, { flags: kind === 'device' ? 'w' : 'wx', mode: OWNER_ONLY })
  try {
    await pipeline(source, stream, { signal })
    if (kind === 'file') publish(part, target, force)
    return stream.bytesWritten
  } catch (/** @type {any} */ error) {
    if (kind === 'file') fs.rmSync(part, { force: true })
    throw error.syscall === undefined || error.syscall === 'read' ? error : toFailure(file, error)
  }
}

/** @param {string} part @param {string} file @param {boolean} force */
function publish (part, file, force) {
  if (force) return replaceFile(part, file)
  try {
    fs.linkSync(part, file) // unlike rename(), it does not replace a file that was created in the meantime
    fs.rmSync(part)
  } catch (/** @type {any} */ error) {
    if (!NO_LINKS.includes(error.code)) throw error
    replaceFile(part, file)
  }
}

/** @param {string} file @param {any} error */
function toFailure (file, error) {
  return error.code === 'EEXIST' ? fileExists(file) : new Failure('failed', `Cannot write ${file}: ${error.message}`)
}

/** @param {string} file */
function fileExists (file) {
  return new Failure('failed', `${file} already exists.`, 'Choose another name with --output, or pass --force.')
}

module.exports = { OUTPUT_OPTIONS, chooseFormat, nameOf, openDestination, printInto }
