'use strict'

// The logger used when the application gives none, or its own cannot be used.

const { hostname } = require('node:os')
const { isMainThread } = require('node:worker_threads')
const { clusterWorkerId } = require('../base/system/cluster-worker')

/** @import { Logger } from '../../types/diagnostics' */

const NAME = 'loopscope'
const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * @param {{ fd?: number, isSync?: boolean }} [options]  isSync: written when the call returns
 * @returns {Logger}
 */
function makeLogger ({ fd = STANDARD_OUTPUT, isSync = false } = {}) {
  const pino = require('pino')
  const isManaged = isMainThread && clusterWorkerId() !== null
  const destination = makeDestination(pino, { dest: fd, sync: isSync })
  /** @param {string} line */
  const write = line => {
    const stream = isManaged ? replacedStream(fd) : null
    if (stream !== null) return stream.write(line)
    destination.write(line)
  }
  try {
    return pino({ name: NAME }, { write })
  } catch {
    return plainLogger(write) // on Node.js 20 pino sets Error.prepareStackTrace, which throws where Error is frozen (--frozen-intrinsics)
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

/**
 * Made before there is a line: with it pino listens for the end of the process, and what counts those listeners must not find
 * another one later.
 * @param {typeof import('pino')} pino
 * @param {{ dest: number, sync: boolean }} options
 */
function makeDestination (pino, options) {
  const destination = pino.destination(options)
  const { flushSync } = destination
  let isUsed = false
  // At exit pino flushes every destination, including one that was never written to.
  destination.flushSync = () => { if (isUsed) flushSync.call(destination) }
  return {
    /** @param {string} line */
    write (line) {
      isUsed = true
      return destination.write(line)
    }
  }
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

module.exports = { makeLogger, STANDARD_ERROR }
