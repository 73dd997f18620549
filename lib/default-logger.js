'use strict'

// Where our lines go when the application gives no logger, or cannot write.

const { isMainThread } = require('node:worker_threads')
const { clusterWorkerId } = require('./internal/cluster-worker')

/** @import { Logger } from '../types/diagnostics' */

const STANDARD_OUTPUT = 1
const STANDARD_ERROR = 2

/**
 * @param {{ fd?: number, isSync?: boolean }} [options]  isSync: written when the call returns
 * @returns {Logger}
 */
function makeLogger ({ fd = STANDARD_OUTPUT, isSync = false } = {}) {
  const pino = require('pino')
  const isManaged = isMainThread && clusterWorkerId() !== null
  /** @type {ReturnType<typeof pino.destination> | undefined} */
  let destination
  return pino({ name: 'loopscope' }, {
    write (line) {
      const taken = isManaged ? takenStream(fd) : null
      if (taken !== null) return taken.write(line)
      // Made with the first line: pino has one that nobody wrote to synced to the disk, too, when the process ends.
      destination ??= pino.destination({ dest: fd, sync: isSync })
      destination.write(line)
    }
  })
}

/**
 * In a cluster PM2 takes what a worker prints by a `write` of its own on the stream, and sorts it into the logs of the
 * application; what goes to the descriptor ends in the log of its daemon. It does so after a preload: asked for each line.
 * @param {number} fd
 */
function takenStream (fd) {
  const stream = fd === STANDARD_ERROR ? process.stderr : process.stdout
  return Object.hasOwn(stream, 'write') ? stream : null
}

module.exports = { makeLogger, STANDARD_ERROR }
