'use strict'

// The logger used when the application gives none, or its own cannot be used. It writes to a descriptor that belongs to the application: a line must
// never block its loop, end it, or keep it alive, so what the descriptor does not take is dropped. pino's own destination throws a failed write (a full
// disk, a terminal that is gone) into the application, and repeats it for ever when the process exits.

// As they are when this is loaded: tests of the application replace them, and exact counting wraps them.
const { closeSync, constants, fstatSync, openSync, write, writeSync } = require('node:fs')
const { hostname } = require('node:os')
const { isMainThread } = require('node:worker_threads')
const { attempt, guarded } = require('../base/guard')
const { monotonicMicros } = require('../base/monotonic')
const { clusterWorkerId } = require('../base/system/cluster-worker')
const { setTimeout } = require('../base/timers')

/** @import { Logger } from '../../types/diagnostics' */

const NAME = 'loopscope'
const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2
const MAX_WAITING_LINES = 1000
const RETRY_MS = 100
// Nobody reads the result of a write that takes longer. Another one would block the exit of the process.
const STUCK_MICROS = 1_000_000
const BUSY = new Set(['EAGAIN', 'EBUSY'])

/** By descriptor. @type {Map<number, Output>} */
const outputs = new Map()
let isFlushedAtExit = false

/**
 * @param {{ fd?: number, isSync?: boolean }} [options]  isSync: written when the call returns
 * @returns {Logger}
 */
function makeLogger ({ fd = STANDARD_OUTPUT, isSync = false } = {}) {
  const pino = require('pino')
  const isManaged = isMainThread && clusterWorkerId() !== null
  const output = outputTo(fd)
  /** @param {string} line */
  const writeLine = line => {
    const stream = isManaged ? replacedStream(fd) : null
    if (stream !== null) return stream.write(line)
    if (isSync) output.writeSync(line)
    else output.write(line)
  }
  try {
    return pino({ name: NAME }, { write: writeLine })
  } catch {
    return plainLogger(writeLine) // on Node.js 20 pino sets Error.prepareStackTrace, which throws where Error is frozen (--frozen-intrinsics)
  }
}

/** The same lines without pino. @param {(line: string) => unknown} write @returns {Logger} */
function plainLogger (write) {
  /** @param {number} level @returns {(fields: any, msg?: string) => void} */
  const log = level => ({ err, ...fields }, msg) => {
    const line = { level, time: Date.now(), pid: process.pid, hostname: hostname(), name: NAME, ...fields, ...(err !== undefined && { err: describeError(err) }), msg }
    write(`${JSON.stringify(line)}\n`)
  }
  return { info: log(30), warn: log(40), error: log(50) }
}

/** @param {unknown} error */
function describeError (error) {
  return error instanceof Error ? { ...error, type: error.name, message: error.message, stack: error.stack } : error
}

/** Lines for a descriptor, in their order. */
class Output {
  #fd
  /** @type {Buffer[]} */
  #waiting = []
  #isBusy = false
  #writingSinceMicros = Infinity

  /** @param {number} fd */
  constructor (fd) {
    this.#fd = fd
  }

  /** @param {string} line */
  write (line) {
    if (this.#waiting.length >= MAX_WAITING_LINES) return
    this.#waiting.push(Buffer.from(line))
    if (!this.#isBusy) this.#writeNext()
  }

  /** Written when the call returns, or dropped. @param {string} line */
  writeSync (line) {
    this.#waiting.push(Buffer.from(line))
    this.flush()
  }

  flush () {
    const waiting = this.#waiting.splice(0)
    if (monotonicMicros() - this.#writingSinceMicros > STUCK_MICROS) return
    attempt(() => {
      for (const bytes of waiting) {
        for (let done = 0; done < bytes.length;) done += writeToPipe(this.#fd, bytes.subarray(done)) ?? writeSync(this.#fd, bytes, done)
      }
    }, undefined)
  }

  #writeNext () {
    const bytes = this.#waiting.shift()
    this.#isBusy = bytes !== undefined
    if (bytes === undefined) return
    /** @type {(error: NodeJS.ErrnoException | null, written: number) => void} */
    const onWritten = guarded((error, written) => {
      this.#writingSinceMicros = Infinity
      if (error === null ? written < bytes.length : BUSY.has(error.code ?? '')) this.#waiting.unshift(bytes.subarray(written))
      if (error !== null && this.#waiting[0] !== undefined) setTimeout(guarded(() => this.#writeNext()), RETRY_MS).unref()
      else this.#writeNext()
    })
    try {
      const written = writeToPipe(this.#fd, bytes)
      if (written !== null) return onWritten(null, written)
      this.#writingSinceMicros = monotonicMicros()
      write(this.#fd, bytes, onWritten)
    } catch (error) {
      onWritten(/** @type {NodeJS.ErrnoException} */ (error), 0)
    }
  }
}

/**
 * A write to a full pipe lasts until somebody reads it, unless the pipe says otherwise, to everybody who has it. So it is opened once more, and only
 * for this write: while it is open, its reader sees no end.
 * @param {number} fd
 * @param {Buffer} bytes
 * @returns {number | null} how many were written; null: not a pipe, or not one that can be opened
 */
function writeToPipe (fd, bytes) {
  if (process.platform !== 'linux' || !fstatSync(fd).isFIFO()) return null
  const own = attempt(() => openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK), null)
  if (own === null) return null // it belongs to another user, or nobody has its other end
  try {
    return writeSync(own, bytes)
  } finally {
    closeSync(own)
  }
}

/** @param {number} fd */
function outputTo (fd) {
  flushAtExit()
  const output = outputs.get(fd) ?? new Output(fd)
  outputs.set(fd, output)
  return output
}

/** Called before there is a line: code that counts the listeners for the exit of the process must not find another one later. */
function flushAtExit () {
  if (isFlushedAtExit) return
  isFlushedAtExit = true
  process.on('exit', guarded(() => { for (const output of outputs.values()) output.flush() }))
}

/**
 * In a cluster PM2 takes what a worker prints by a `write` of its own on the stream, and sorts it into the logs of the
 * application; what goes to the descriptor ends in the log of its daemon. It does so after a preload: asked for each line.
 * @param {number} fd
 */
function replacedStream (fd) {
  const stream = fd === STANDARD_ERROR ? process.stderr : process.stdout
  return Object.hasOwn(stream, 'write') ? stream : null
}

module.exports = { flushAtExit, makeLogger, STANDARD_ERROR }
