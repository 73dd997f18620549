'use strict'

// Waits of code without promises, while sampling was asked for: a callback that Node.js calls once, by the kind of its resource. Only from Node.js 24
// on: before, async_hooks cannot be kept from tracking every promise, which makes each of them several times as slow.

const { createHook } = require('node:async_hooks')
const { reportFault } = require('../../base/guard')
const { monotonicMicros } = require('../../base/monotonic')

/** @import { AwaitSample, Wait } from './await-sample' */
/** @import { Budget } from './await-sampler' */

let isCheap = Number(process.versions.node.split('.', 1)[0]) >= 24

/** Resources with one callback, by their type in Node.js. */
const RESOURCES = new Map(Object.entries({
  Timeout: 'timer',
  Immediate: 'timer',
  FSREQCALLBACK: 'file',
  FSREQPROMISE: 'file',
  GETADDRINFOREQWRAP: 'dns',
  GETNAMEINFOREQWRAP: 'dns',
  QUERYWRAP: 'dns',
  TCPCONNECTWRAP: 'connect',
  PIPECONNECTWRAP: 'connect',
  HTTPCLIENTREQUEST: 'http',
  PROCESSWRAP: 'process',
  PBKDF2REQUEST: 'crypto',
  SCRYPTREQUEST: 'crypto',
  HASHREQUEST: 'crypto',
  RANDOMBYTESREQUEST: 'crypto',
  KEYPAIRGENREQUEST: 'crypto',
  SIGNREQUEST: 'crypto',
  VERIFYREQUEST: 'crypto'
}))

class ResourceWaits {
  #sampleNow
  #budget
  /** @type {ReturnType<typeof createHook> | null} */
  #hook = null
  /** By async id. @type {Map<number, Wait>} */
  #waits = new Map()

  /**
   * @param {object} parts
   * @param {() => AwaitSample | undefined} parts.sampleNow
   * @param {Budget} parts.budget
   */
  constructor ({ sampleNow, budget }) {
    this.#sampleNow = sampleNow
    this.#budget = budget
  }

  /** @returns {boolean} whether such waits are seen */
  start () {
    if (!isCheap) return false
    // trackPromises is not in the types yet.
    this.#hook ??= createHook(/** @type {any} */ ({ init: this.#onInit, before: this.#onBefore, after: this.#onAfter, trackPromises: false }))
    this.#hook.enable()
    return true
  }

  stop () {
    this.#hook?.disable()
    this.#waits.clear()
  }

  /** @param {AwaitSample} sample  that is over */
  forget (sample) {
    for (const id of sample.resources) this.#waits.delete(id)
  }

  #onInit = (/** @type {number} */ id, /** @type {string} */ type) => {
    try {
      if (type === 'PROMISE') { // a Node.js 24 that does not have the option yet
        isCheap = false
        return this.stop()
      }
      const resource = RESOURCES.get(type)
      const sample = resource === undefined ? undefined : this.#sampleNow()
      if (resource === undefined || sample === undefined || sample.isTruncated) return
      const fromMicros = monotonicMicros()
      const stack = sample.capture(this.#onInit, false)
      if (stack !== null) {
        const wait = { stack, made: null, settled: null, isShared: false, resource, fromMicros, toMicros: 0, sample }
        this.#waits.set(id, wait)
        sample.waits.push(wait)
        sample.resources.push(id)
      }
      this.#budget.spendSince(fromMicros)
    } catch (error) {
      reportFault(error)
    }
  }

  #onBefore = (/** @type {number} */ id) => {
    try {
      const wait = this.#waits.get(id)
      if (wait !== undefined && wait.toMicros === 0) wait.toMicros = monotonicMicros()
    } catch (error) {
      reportFault(error)
    }
  }

  #onAfter = (/** @type {number} */ id) => {
    try {
      const wait = this.#waits.get(id)
      if (wait === undefined) return
      this.#waits.delete(id)
      wait.sample.runs.push(wait.toMicros, monotonicMicros())
    } catch (error) {
      reportFault(error)
    }
  }
}

module.exports = { ResourceWaits }
