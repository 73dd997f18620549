'use strict'

// The logger used when the application gives none, or its own cannot be used.

const { isMainThread } = require('node:worker_threads')
const { clusterWorkerId } = require('../base/system/cluster-worker')

/** @import { Logger } from '../../types/diagnostics' */

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
  return pino({ name: 'loopscope' }, {
    write (line) {
      const stream = isManaged ? replacedStream(fd) : null
      if (stream !== null) return stream.write(line)
      destination.write(line)
    }
  })
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
