'use strict'

// What the workers of one parent process share without its help: a token, because they share a port, and numbers, because each has its own listener.
// It is kept in a private directory named after the parent.

const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { attempt } = require('../../base/guard')
const { makeDirectory } = require('../../base/system/private-directory')
const { claim, identityOf, isRunning } = require('./claims')
const { holdControlDirectory } = require('./control-directory')
const { readRegularText } = require('../../base/regular-file')

const MAX_BYTES = 64 * 1024
const MAX_WORKERS = 128 // also the range of their ports
const NUMBERS = Array.from({ length: MAX_WORKERS }, (_, at) => at + 1)
const CHECK_EVERY_MS = 250 // for the end of the process that is replaced

/**
 * Its functions throw if the directory cannot be trusted.
 * @param {{ controlDir: string, parent?: number }} parts
 */
function createWorkerGroup ({ controlDir, parent = process.ppid }) {
  /** @template T @param {(directory: string) => T} work @returns {T} */
  function within (work) {
    const { name, release } = holdControlDirectory(controlDir)
    try {
      removeStale(name)
      const directory = path.join(name, `workers-${identityOf(parent)}`)
      makeDirectory(directory)
      return work(directory)
    } finally {
      release()
    }
  }

  return {
    /** The same for all, whichever is the first. @param {string} name @param {() => string} make */
    shared (name, make) {
      return within(directory => read(path.join(directory, name)) ?? write(path.join(directory, name), make()))
    },

    /** @param {string} name @returns {boolean} whether this process is the one to do it */
    isFirst (name) {
      return within(directory => claim(directory, name) === null)
    },

    /**
     * The smallest number that no living worker has: one that replaces another takes over its number.
     * @returns {number} from 1; Infinity: there are too many
     */
    number () {
      return within(directory => NUMBERS.find(number => claim(directory, `number-${number}`) === null) ?? Infinity)
    },

    /**
     * Resolves when the process that had this name has ended: in a reload it lives on for a while beside the one that replaces it.
     * @param {string} name
     * @param {AbortSignal} signal
     */
    async takeOver (name, signal) {
      while (!this.isFirst(name)) await sleep(CHECK_EVERY_MS, undefined, { signal, ref: false })
    }
  }
}

/** @param {string} file */
function read (file) {
  return attempt(() => readRegularText(file, { maxBytes: MAX_BYTES }), null)
}

/** Written atomically, and only one process is the first. @param {string} file @param {string} text */
function write (file, text) {
  const made = `${file}.${process.pid}`
  fs.writeFileSync(made, text, { mode: 0o600 })
  try {
    fs.linkSync(made, file)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  } finally {
    fs.rmSync(made, { force: true })
  }
  return readRegularText(file, { maxBytes: MAX_BYTES })
}

/** Those of parents that have ended. @param {string} controlDir */
function removeStale (controlDir) {
  for (const name of fs.readdirSync(controlDir)) {
    const [, parent] = /^workers-(\d+-\d+)$/.exec(name) ?? []
    if (parent !== undefined && !isRunning(parent)) fs.rmSync(path.join(controlDir, name), { recursive: true, force: true })
  }
}

module.exports = { createWorkerGroup, MAX_WORKERS }
