'use strict'

// Counts the objects of the main thread by constructor, through the inspector: exactly, and with a fraction of the pause and memory of a
// snapshot. It counts neither sizes nor retainers, and no objects without a prototype, proxies, strings or numbers.

const { OWN_FOLDER } = require('../../base/own-files')

/** @import { HeapHistogram } from '../../formats/formats' */

const GROUP = 'loopscope-histogram' // the object group of the handles, which would keep every object alive
const SOURCE = `${OWN_FOLDER}observer/heap/histogram.js` // with this name it counts as a frame of loopscope's in profiles
const MAX_CLASSES = 5000 // more classes mean code that creates classes, and would make a file of megabytes
const MAX_NAME_CHARS = 200 // a name can be any string

/**
 * Runs in the main thread, over all objects. No code of the application may run: names are read from property descriptors, which calls no
 * getter, and never from a proxy. V8 returns no proxies, but a prototype or a constructor can be one.
 */
const COUNT = `function (maxClasses, maxNameChars) {
  const { isProxy } = process.getBuiltinModule('node:util').types
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object
  const valueOf = (object, key) => isProxy(object) ? undefined : getOwnPropertyDescriptor(object, key)?.value
  const constructorOf = prototype => {
    for (let at = prototype; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
      if (getOwnPropertyDescriptor(at, 'constructor') !== undefined) return valueOf(at, 'constructor')
    }
  }
  const byPrototype = new Map()
  for (let at = 0; at < this.length; at++) {
    const prototype = getPrototypeOf(this[at])
    byPrototype.set(prototype, (byPrototype.get(prototype) ?? 0) + 1)
  }
  const byName = new Map()
  for (const [prototype, count] of byPrototype) {
    const constructor = constructorOf(prototype)
    const own = typeof constructor === 'function' ? valueOf(constructor, 'name') : undefined
    const name = typeof own === 'string' && own !== '' ? own.slice(0, maxNameChars) : '(no constructor)'
    byName.set(name, (byName.get(name) ?? 0) + count)
  }
  const classes = [...byName].sort((a, b) => b[1] - a[1])
  const others = classes.slice(maxClasses).reduce((sum, [, count]) => sum + count, 0)
  return { total: this.length, classes: classes.slice(0, maxClasses), others, heapUsedBytes: process.getBuiltinModule('node:v8').getHeapStatistics().used_heap_size }
}`

class Histograms {
  #post
  #pausedMs
  /** The last count: two at the same time would hold all handles twice. @type {Promise<unknown>} */
  #last = Promise.resolve()

  /**
   * @param {object} parts
   * @param {(method: string, params?: object) => Promise<any>} parts.post  sends to the inspector of the main thread
   * @param {() => number} parts.pausedMs  how long posted commands have paused the main thread so far
   */
  constructor ({ post, pausedMs }) {
    this.#post = post
    this.#pausedMs = pausedMs
  }

  /**
   * @param {AbortSignal} [signal]  checked between the steps: no step can be interrupted
   * @returns {Promise<HeapHistogram>}
   * @throws ERR_LOOPSCOPE_INSPECTOR_UNAVAILABLE
   */
  take (signal) {
    const taken = this.#last.then(() => this.#take(signal))
    this.#last = taken.catch(() => {})
    return taken
  }

  /** @param {AbortSignal} [signal] */
  async #take (signal) {
    signal?.throwIfAborted()
    try {
      // Answered when the main thread can be interrupted: what it did until then is not a pause caused by loopscope.
      const evaluation = { expression: 'Object.prototype', objectGroup: GROUP, silent: true }
      const { result: prototype } = await this.#post('Runtime.evaluate', evaluation)
      signal?.throwIfAborted()
      const takenAt = Date.now()
      const fromMs = this.#pausedMs()
      const { objects } = await this.#post('Runtime.queryObjects', { prototypeObjectId: prototype.objectId, objectGroup: GROUP })
      signal?.throwIfAborted()
      const counts = await this.#count(objects.objectId)
      return describe(counts, { takenAt, pauseMs: Math.round(this.#pausedMs() - fromMs) })
    } finally {
      await this.#post('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => {})
    }
  }

  /** @param {string} objectId */
  async #count (objectId) {
    const { result, exceptionDetails } = await this.#post('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: `${COUNT}\n//# sourceURL=${SOURCE}\n`,
      arguments: [{ value: MAX_CLASSES }, { value: MAX_NAME_CHARS }],
      returnByValue: true,
      silent: true
    })
    if (exceptionDetails) {
      throw new Error(`objects could not be counted: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    }
    return result.value
  }
}

/**
 * @param {{ total: number, classes: [name: string, count: number][], others: number, heapUsedBytes: number }} counts
 * @param {{ takenAt: number, pauseMs: number }} how
 * @returns {HeapHistogram}
 */
function describe ({ total, classes, others, heapUsedBytes }, { takenAt, pauseMs }) {
  return {
    type: 'loopscope-heap-histogram',
    version: 1,
    pid: process.pid,
    nodeVersion: process.version,
    takenAt,
    pauseMs,
    heapUsedBytes,
    total,
    classes: [...classes.map(([name, count]) => ({ name, count })), ...(others > 0 ? [{ name: '_other', count: others }] : [])]
  }
}

module.exports = { Histograms }
